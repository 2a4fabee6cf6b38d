#!/bin/sh
# Builds the live peers of the interoperability tests into ./build (not
# tracked): kcppeer-5.6.72, kcppeer-5.6.1, and a Python environment for
# c/peer.py; linkemu, the lossy link of the benchmarks; and ./build/go, which
# runs a Go that is new enough for go/go.mod. Installs Debian's kcptun too where
# it may, and the compilers for the C++ and C# programs of the documentation;
# kcptun and those compilers are optional.
# Does nothing when everything is built and newer than its sources.
#   install.sh           build what is missing
#   install.sh --check   exit 0 if everything is built, 1 if not
#   install.sh --bench   build the load programs of ./jvm too, for benchmarks
set -eu
cd "$(dirname "$0")"

# Where Debian's golang-*-dev packages put Go sources.
debian_gopath=/usr/share/gocode
updated=no

say() { echo "interop: $*"; }

apt_install() {
    if ! command -v apt-get >/dev/null 2>&1; then
        say "apt-get is missing, cannot install $*" >&2
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

# The oldest Go that go/go.mod and link/go.mod accept, and the Go that is fetched where there is only an older one.
oldest_go=1.24.0
fetched_go=1.24.11

# new_enough GO: that command builds modules of $oldest_go. Go 1.21 and later fetch a newer toolchain by themselves when they may.
new_enough() {
    version=$(cd go && GOTOOLCHAIN=auto "$1" env GOVERSION 2>/dev/null) || return 1
    [ "$(printf '%s\n' "$oldest_go" "${version#go}" | sort -V | head -n 1)" = "$oldest_go" ]
}

# Writes ./build/go. Debian 12's Go is 1.19, which neither builds such modules nor fetches toolchains. But a toolchain is published as
# a module, so it downloads one as it downloads any other and checks it against the checksum database. It only leaves the programs
# without permission to run.
provide_go() {
    [ -x build/go ] && new_enough ../build/go && return
    command -v go >/dev/null 2>&1 || apt_install golang-go
    program=$(command -v go)
    if ! new_enough "$program"; then
        module=golang.org/toolchain@v0.0.1-go$fetched_go.$(go env GOOS)-$(go env GOARCH)
        say "$(go version) is older than $oldest_go, downloading $module"
        toolchain=$(cd build && GO111MODULE=on go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
        [ -n "$toolchain" ] || { say "$module could not be downloaded" >&2; exit 1; }
        chmod a+x "$toolchain"/bin/* "$toolchain"/pkg/tool/*/*
        program=$toolchain/bin/go
        new_enough "$program" || { say "$program does not run" >&2; exit 1; }
    fi
    printf '#!/bin/sh\nexec env GOTOOLCHAIN=auto "%s" "$@"\n' "$program" >build/go.new
    chmod +x build/go.new
    mv build/go.new build/go
}

# fresh BINARY: exists and no Go source or module file is newer
fresh() {
    [ -x "build/$1" ] && [ -z "$(find go -type f \( -name '*.go' -o -name 'go.*' \) -newer "build/$1" | head -n 1)" ]
}

linkemu_fresh() {
    [ -x build/linkemu ] && [ -z "$(find link -type f \( -name '*.go' -o -name 'go.*' \) -newer build/linkemu | head -n 1)" ]
}

jars="kcp-netty-peer java-kcp-peer plain-peer"

# jars_fresh: all exist and nothing in jvm is newer
jars_fresh() {
    for jar in $jars; do
        [ -f build/$jar.jar ] || return 1
        [ -z "$(find jvm -type f \( -name '*.java' -o -name pom.xml \) -newer build/$jar.jar | head -n 1)" ] || return 1
    done
}

venv_ok() {
    [ -f build/venv/.complete ] && [ ! c/requirements.txt -nt build/venv/.complete ] &&
        build/venv/bin/python -c 'import kcp.extension' 2>/dev/null
}

kcptun_there() {
    command -v kcptun-client >/dev/null 2>&1 && command -v kcptun-server >/dev/null 2>&1
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
    venv_ok || { say "the Python environment is missing"; status=1; }
    kcptun_there || say "kcptun is missing (optional)"
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
    say "kcppeer-5.6.72 is there"
else
    say "building kcppeer-5.6.72 (Go module, pinned in go/go.mod)"
    (cd go && GO111MODULE=on CGO_ENABLED=0 "$go" build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' \
        -o ../build/kcppeer-5.6.72.new .)
    mv build/kcppeer-5.6.72.new build/kcppeer-5.6.72
fi

if fresh kcppeer-5.6.1; then
    say "kcppeer-5.6.1 is there"
else
    # Brings its dependencies along: reedsolomon, cpuid, errors, xorsimd, cpu,
    # gmsm and the golang.org/x crypto, net, sys, term and text sources.
    [ -d $debian_gopath/src/github.com/xtaci/kcp-go ] || apt_install golang-github-xtaci-kcp-dev
    have=$(dpkg-query -W -f '${Version}' golang-github-xtaci-kcp-dev)
    case $have in
        5.6.1-*) ;;
        *) say "golang-github-xtaci-kcp-dev is $have here, 5.6.1 is wanted (Debian 12)" >&2; exit 1 ;;
    esac
    say "building kcppeer-5.6.1 (Debian's Go sources, version $have)"
    (cd go && GO111MODULE=off GOPATH=$debian_gopath CGO_ENABLED=0 "$go" build -tags kcp561 -trimpath -buildvcs=false \
        -ldflags '-s -w' -o ../build/kcppeer-5.6.1.new .)
    mv build/kcppeer-5.6.1.new build/kcppeer-5.6.1
fi

if linkemu_fresh; then
    say "linkemu is there"
elif [ "$(uname -s)" = Linux ]; then
    say "building linkemu"
    (cd link && GO111MODULE=on CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -ldflags '-s -w' -o ../build/linkemu.new .)
    mv build/linkemu.new build/linkemu
fi

if venv_ok; then
    say "the Python environment is there"
else
    command -v python3 >/dev/null 2>&1 || apt_install python3 python3-venv python3-dev
    python3 -c 'import venv, ensurepip' 2>/dev/null || apt_install python3-venv
    # The package is distributed as source: a C compiler and Python.h are needed.
    command -v cc >/dev/null 2>&1 || apt_install gcc libc6-dev
    header='import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
    python3 -c "$header" || apt_install python3-dev
    say "making the Python environment ($(cat c/requirements.txt))"
    rm -rf build/venv
    python3 -m venv build/venv
    build/venv/bin/python -m pip -q --disable-pip-version-check install -r c/requirements.txt
    build/venv/bin/python -c 'import kcp.extension'
    touch build/venv/.complete
fi

if kcptun_there; then
    say "kcptun is there"
elif ! may_install || ! (apt_install kcptun); then
    say "kcptun could not be installed, kcptun-smoke.sh will not run; the rest does without it"
fi

if compilers_there; then
    say "g++ and mono are there"
elif ! may_install || ! (apt_install g++ mono-mcs mono-runtime libmono-system4.0-cil); then
    say "g++ or mono could not be installed, the programs of the documentation in C++ or C# are not compiled"
fi

if [ "${1:-}" = --bench ]; then
    if jars_fresh; then
        say "the load programs of the JVM are there"
    else
        command -v javac >/dev/null 2>&1 || apt_install default-jdk-headless
        command -v mvn >/dev/null 2>&1 || apt_install maven
        say "building $jars (Maven, pinned in jvm/pom.xml)"
        mvn -B -ntp -q -f jvm package
    fi
fi
say "done"
