#!/bin/sh
# Builds the live peers of the interoperability tests into ./build, which is
# not tracked: kcppeer-5.6.72, kcppeer-5.6.1, kcptunpeer, smuxpeer, a Python environment for
# c/peer.py, linkemu (the lossy link of the benchmarks), and ./build/go, which
# runs a Go that is new enough for go/go.mod. If it has the permission, the
# script also installs Debian's kcptun and curl, and the compilers for the C++ and C#
# programs of the documentation. These are optional.
# Anything that is newer than its sources is not built again.
#   install.sh           build the missing programs
#   install.sh --check   exit with 0 if everything is built, otherwise with 1
#   install.sh --bench   also build the load programs of ./jvm, for benchmarks
set -eu
cd "$(dirname "$0")"

# Directory in which Debian's golang-*-dev packages install Go sources.
debian_gopath=/usr/share/gocode
updated=no

say() { echo "interop: $*"; }

apt_install() {
    if ! command -v apt-get >/dev/null 2>&1; then
        say "cannot install $*: apt-get is missing" >&2
        exit 1
    fi
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    if [ $updated = no ]; then
        say "apt-get update"
        $sudo apt-get -qq update
        updated=yes
    fi
    say "apt-get install $*"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

# The oldest Go that all go.mod files accept, and the Go that is downloaded if the installed one is older.
oldest_go=1.24.0
fetched_go=1.24.11

# new_enough GO: succeeds if the command GO can build modules of $oldest_go. Go 1.21 and later download a newer toolchain themselves.
new_enough() {
    version=$(cd go && GOTOOLCHAIN=auto "$1" env GOVERSION 2>/dev/null) || return 1
    [ "$(printf '%s\n' "$oldest_go" "${version#go}" | sort -V | head -n 1)" = "$oldest_go" ]
}

# Writes ./build/go. Debian 12 has Go 1.19, which cannot build modules of $oldest_go and does not download toolchains. Toolchains are
# published as modules, however, so Go 1.19 can download one like any other module and verify it with the checksum database. The
# downloaded programs are not executable, so this function adds that permission.
provide_go() {
    [ -x build/go ] && new_enough ../build/go && return
    command -v go >/dev/null 2>&1 || apt_install golang-go
    program=$(command -v go)
    if ! new_enough "$program"; then
        module=golang.org/toolchain@v0.0.1-go$fetched_go.$(go env GOOS)-$(go env GOARCH)
        say "$(go version) is older than $oldest_go, downloading $module"
        toolchain=$(cd build && GO111MODULE=on go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
        [ -n "$toolchain" ] || { say "cannot download $module" >&2; exit 1; }
        chmod a+x "$toolchain"/bin/* "$toolchain"/pkg/tool/*/*
        program=$toolchain/bin/go
        new_enough "$program" || { say "cannot run $program" >&2; exit 1; }
    fi
    printf '#!/bin/sh\nexec env GOTOOLCHAIN=auto "%s" "$@"\n' "$program" >build/go.new
    chmod +x build/go.new
    mv build/go.new build/go
}

# fresh BINARY: succeeds if BINARY exists and no Go source or module file is newer.
fresh() {
    [ -x "build/$1" ] && [ -z "$(find go -type f \( -name '*.go' -o -name 'go.*' \) -newer "build/$1" | head -n 1)" ]
}

kcptunpeer_fresh() {
    [ -x build/kcptunpeer ] && [ -z "$(find kcptun -type f \( -name '*.go' -o -name 'go.*' \) -newer build/kcptunpeer | head -n 1)" ]
}

linkemu_fresh() {
    [ -x build/linkemu ] && [ -z "$(find link -type f \( -name '*.go' -o -name 'go.*' \) -newer build/linkemu | head -n 1)" ]
}

smuxpeer_fresh() {
    [ -x build/smuxpeer ] && [ -z "$(find smux -type f \( -name '*.go' -o -name 'go.*' \) -newer build/smuxpeer | head -n 1)" ]
}

jars="kcp-netty-peer java-kcp-peer plain-peer"

# jars_fresh: succeeds if all jars exist and no source of them or of the load rig is newer.
jars_fresh() {
    for jar in $jars; do
        [ -f build/$jar.jar ] || return 1
        [ -z "$(find ../../pom.xml ../../kcp-bench/rig/pom.xml ../../kcp-bench/rig/src/main jvm -type f \
            \( -name '*.java' -o -name pom.xml \) -newer build/$jar.jar | head -n 1)" ] || return 1
    done
}

venv_ok() {
    [ -f build/venv/.complete ] && [ ! c/requirements.txt -nt build/venv/.complete ] &&
        build/venv/bin/python -c 'import kcp.extension' 2>/dev/null
}

kcptun_there() {
    command -v kcptun-client >/dev/null 2>&1 && command -v kcptun-server >/dev/null 2>&1 && command -v curl >/dev/null 2>&1
}

compilers_there() {
    command -v g++ >/dev/null 2>&1 && command -v mcs >/dev/null 2>&1 && command -v mono >/dev/null 2>&1
}

may_install() {
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

if [ "${1:-}" = --check ]; then
    status=0
    for b in kcppeer-5.6.72 kcppeer-5.6.1; do
        fresh $b || { say "$b is missing or older than its sources"; status=1; }
    done
    kcptunpeer_fresh || { say "kcptunpeer is missing or older than its sources"; status=1; }
    smuxpeer_fresh || { say "smuxpeer is missing or older than its sources"; status=1; }
    venv_ok || { say "the Python environment is missing"; status=1; }
    kcptun_there || say "kcptun or curl is missing (optional)"
    compilers_there || say "g++ or mono is missing (optional)"
    linkemu_fresh || say "linkemu is missing or older than its sources (benchmarks only)"
    [ $status = 0 ] && say "all built"
    exit $status
fi

mkdir -p build

provide_go
go=$PWD/build/go
say "$("$go" version)"

if fresh kcppeer-5.6.72; then
    say "kcppeer-5.6.72 is up to date"
else
    say "building kcppeer-5.6.72 (Go module, pinned in go/go.mod)"
    (cd go && GO111MODULE=on CGO_ENABLED=0 "$go" build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' \
        -o ../build/kcppeer-5.6.72.new .)
    mv build/kcppeer-5.6.72.new build/kcppeer-5.6.72
fi

if fresh kcppeer-5.6.1; then
    say "kcppeer-5.6.1 is up to date"
else
    # The package depends on the sources of reedsolomon, cpuid, errors, xorsimd,
    # cpu, gmsm and of golang.org/x crypto, net, sys, term and text.
    [ -d $debian_gopath/src/github.com/xtaci/kcp-go ] || apt_install golang-github-xtaci-kcp-dev
    have=$(dpkg-query -W -f '${Version}' golang-github-xtaci-kcp-dev)
    case $have in
        5.6.1-*) ;;
        *) say "golang-github-xtaci-kcp-dev has version $have; 5.6.1 of Debian 12 is required" >&2; exit 1 ;;
    esac
    say "building kcppeer-5.6.1 (Debian's Go sources, version $have)"
    (cd go && GO111MODULE=off GOPATH=$debian_gopath CGO_ENABLED=0 "$go" build -tags kcp561 -trimpath -buildvcs=false \
        -ldflags '-s -w' -o ../build/kcppeer-5.6.1.new .)
    mv build/kcppeer-5.6.1.new build/kcppeer-5.6.1
fi

if kcptunpeer_fresh; then
    say "kcptunpeer is up to date"
else
    say "building kcptunpeer (Go module, pinned in kcptun/go.mod)"
    (cd kcptun && GO111MODULE=on CGO_ENABLED=0 "$go" build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' \
        -o ../build/kcptunpeer.new .)
    mv build/kcptunpeer.new build/kcptunpeer
fi

if smuxpeer_fresh; then
    say "smuxpeer is up to date"
else
    say "building smuxpeer (Go module, pinned in smux/go.mod)"
    (cd smux && GO111MODULE=on CGO_ENABLED=0 "$go" build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' \
        -o ../build/smuxpeer.new .)
    mv build/smuxpeer.new build/smuxpeer
fi

if linkemu_fresh; then
    say "linkemu is up to date"
elif [ "$(uname -s)" = Linux ]; then
    say "building linkemu"
    (cd link && GO111MODULE=on CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -ldflags '-s -w' -o ../build/linkemu.new .)
    mv build/linkemu.new build/linkemu
fi

if venv_ok; then
    say "the Python environment is up to date"
else
    command -v python3 >/dev/null 2>&1 || apt_install python3 python3-venv python3-dev
    python3 -c 'import venv, ensurepip' 2>/dev/null || apt_install python3-venv
    # The package kcp is distributed as source, so building it requires a C compiler and Python.h.
    command -v cc >/dev/null 2>&1 || apt_install gcc libc6-dev
    header='import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
    python3 -c "$header" || apt_install python3-dev
    say "creating the Python environment ($(cat c/requirements.txt))"
    rm -rf build/venv
    python3 -m venv build/venv
    build/venv/bin/python -m pip -q --disable-pip-version-check install -r c/requirements.txt
    build/venv/bin/python -c 'import kcp.extension'
    touch build/venv/.complete
fi

if kcptun_there; then
    say "kcptun and curl are installed"
elif ! may_install || ! (apt_install kcptun curl); then
    say "cannot install kcptun and curl, so tests of tunnels with Debian's kcptun are skipped"
fi

if compilers_there; then
    say "g++ and mono are installed"
elif ! may_install || ! (apt_install g++ mono-mcs mono-runtime libmono-system4.0-cil); then
    say "cannot install g++ or mono, so the C++ or C# programs of the documentation are not compiled"
fi

if [ "${1:-}" = --bench ]; then
    if jars_fresh; then
        say "the load programs of the JVM are up to date"
    else
        command -v javac >/dev/null 2>&1 || apt_install default-jdk-headless
        command -v mvn >/dev/null 2>&1 || apt_install maven
        say "building $jars (Maven, pinned in jvm/pom.xml)"
        mvn -B -ntp -q -f ../.. -Ppeers -Dcheckstyle.skip -Dmaven.test.skip -am package \
            -pl src/interop/jvm/kcp-netty,src/interop/jvm/java-kcp,src/interop/jvm/plain
    fi
fi
say "done"
