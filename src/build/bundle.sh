#!/usr/bin/env bash
# Creates the bundle of a release for Maven Central from a copy of the sources, and checks its content. Publishes nothing.
#   src/build/bundle.sh DIRECTORY [VERSION]
# The script replaces the content of DIRECTORY, which must be empty or created by this script, and writes DIRECTORY/bundle.zip.
# VERSION defaults to the version of the sources without -SNAPSHOT.
# GPG_KEY is the key that signs the files; without it, a temporary key is generated. With SIGN=false or without gpg, nothing is signed.
# MAVEN_OPTIONS are passed to Maven. MAVEN_REPOSITORY is the local repository if it is not ~/.m2/repository.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/../.."

jars="kcp-core kcp-streams kcp-netty kcp-spring-boot-starter kcp-testkit kcp-tools"
poms="kcp-parent kcp-bom"
declare -A module_names=([kcp-core]=io.kcp.core [kcp-streams]=io.kcp.streams [kcp-netty]=io.kcp.netty [kcp-spring-boot-starter]=io.kcp.spring
    [kcp-testkit]=io.kcp.testkit [kcp-tools]=io.kcp.tools)

fail() {
    echo "bundle: $*" >&2
    exit 1
}

[ $# -ge 1 ] || fail "the first argument must be a directory"
[ -n "$1" ] || fail "the first argument, the directory, must not be empty"
case $1 in
    /*) directory=$1 ;;
    *) directory=$caller/$1 ;;
esac
# A directory with this file was created by this script, so its content may be deleted.
marker=.made-by-bundle.sh
snapshot=$(sed -n 's/^  <version>\(.*\)<\/version>$/\1/p' pom.xml)
version=${2:-${snapshot%-SNAPSHOT}}
sign=${SIGN:-true}
if [ "$sign" = true ] && ! command -v gpg > /dev/null; then
    echo "gpg is missing, so nothing is signed."
    sign=false
fi

make_directory() {
    if [ -e "$directory" ] && [ ! -d "$directory" ]; then
        fail "$directory is a file; choose a directory"
    fi
    mkdir -p "$directory"
    directory=$(cd "$directory" && pwd -P)
    if [ -n "$(ls -A "$directory")" ]; then
        [ -f "$directory/$marker" ] || fail "$directory is not empty and was not created by this script; empty it or choose another directory"
        find "$directory" -mindepth 1 -delete
    fi
    touch "$directory/$marker"
}

copy_sources() {
    src/build/copy-sources.sh "$directory/source"
    find "$directory/source" -name pom.xml -exec sed -i "s|<version>$snapshot</version>|<version>$version</version>|" {} +
}

prepare_key() {
    signing=(-Dgpg.skip)
    [ "$sign" = true ] || return 0
    signing=()
    if [ -n "${GPG_KEY:-}" ]; then
        signing=(-Dgpg.keyname="$GPG_KEY")
    else
        GNUPGHOME=$(mktemp -d)
        export GNUPGHOME
        trap 'gpgconf --kill gpg-agent || true; rm -rf "$GNUPGHOME"' EXIT
        gpg --batch --quiet --passphrase '' --pinentry-mode loopback --quick-gen-key 'Nobody <nobody@example.org>' ed25519 sign 1d 2> /dev/null
        echo "Signing with a temporary key."
    fi
}

build() {
    local selected=
    for module in $jars $poms; do
        selected+=${selected:+,}:$module
    done
    # Deploys to a directory and installs nothing.
    # shellcheck disable=SC2086
    (cd "$directory/source" && mvn -B -ntp -q ${MAVEN_OPTIONS:-} -Prelease -Dmaven.test.skip -Dcheckstyle.skip -Dmaven.install.skip \
        -DaltDeploymentRepository="bundle::file://$directory/repository" "${signing[@]}" -pl "$selected" -am deploy)
    forget_deployment
}

# Deletes the metadata of the deployment, which Maven stores in its local repository, and the directories that are then empty.
forget_deployment() {
    local notes=${MAVEN_REPOSITORY:-$HOME/.m2/repository}/io/kcp module
    for module in $jars $poms; do
        if [ -f "$notes/$module/maven-metadata-bundle.xml" ]; then
            rm -f "$notes/$module/maven-metadata-bundle.xml" "$notes/$module/resolver-status.properties"
            rmdir --ignore-fail-on-non-empty "$notes/$module"
        fi
    done
    [ ! -d "$notes" ] || rmdir --ignore-fail-on-non-empty "$notes"
}

# Writes the bundle without repository metadata, which Maven Central does not accept.
zip_bundle() {
    find "$directory/repository" \( -name 'maven-metadata*' -o -name '*.asc.md5' -o -name '*.asc.sha1' \) -delete
    (cd "$directory/repository" && jar --create --no-manifest --file "$directory/bundle.zip" --date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" .)
}

check_pom() {
    local pom=$1 element
    for element in name description url licenses developers scm groupId artifactId version; do
        grep -qE "<$element[ >]" "$pom" || fail "$pom has no <$element>"
    done
    ! grep -q '<parent>' "$pom" || fail "$pom has a parent"
    ! grep -q 'SNAPSHOT' "$pom" || fail "$pom contains a snapshot version"
    ! grep -q '<scope>test</scope>' "$pom" || fail "$pom has test dependencies"
    ! grep -q '<repositor' "$pom" || fail "$pom contains a repository"
    # ${project.version} is resolved within the pom itself.
    ! grep -v '<version>${project.version}<' "$pom" | grep -q '\${' || fail "$pom has an unresolved property"
    ! grep -q '<properties>' "$pom" || fail "$pom has build properties"
}

check_file() {
    local file=$1
    [ -s "$file" ] || fail "$file is missing"
    [ "$(md5sum < "$file" | cut -d' ' -f1)" = "$(cat "$file.md5")" ] || fail "$file.md5 is wrong"
    [ "$(sha1sum < "$file" | cut -d' ' -f1)" = "$(cat "$file.sha1")" ] || fail "$file.sha1 is wrong"
    if [ "$sign" = true ]; then
        gpg --batch --quiet --verify "$file.asc" "$file" 2> /dev/null || fail "$file.asc is wrong"
    fi
}

# Unpacks the bundle and checks the unpacked files, rather than those of the repository that it was created from.
check_bundle() {
    local module file described expected=0
    rm -rf "$directory/unpacked"
    mkdir "$directory/unpacked"
    cd "$directory/unpacked"
    jar --extract --file "$directory/bundle.zip"
    for module in $poms $jars; do
        file=io/kcp/$module/$version/$module-$version
        check_file "$file.pom"
        check_pom "$file.pom"
        expected=$((expected + 1))
    done
    for module in $jars; do
        file=io/kcp/$module/$version/$module-$version
        check_file "$file.jar"
        check_file "$file-sources.jar"
        check_file "$file-javadoc.jar"
        expected=$((expected + 3))
        described=$(jar --describe-module --file "$file.jar" | grep -o "^${module_names[$module]}@$version" || true)
        [ "$described" = "${module_names[$module]}@$version" ] || fail "$file.jar is not the module ${module_names[$module]}"
        jar --list --file "$file.jar" > "$directory/$module.classes"
        jar --list --file "$file-sources.jar" > "$directory/$module.sources"
        ! grep -qE 'Test(\$.*)?\.class$' "$directory/$module.classes" || fail "$file.jar contains tests"
        # Each class must have a source file; that of an inner class is the source file of its outer class.
        sed -n 's/\(\$[^/]*\)\?\.class$/.java/p' "$directory/$module.classes" | sort -u | comm -23 - <(sort -u "$directory/$module.sources") \
            > "$directory/$module.missing"
        [ ! -s "$directory/$module.missing" ] || fail "$file-sources.jar lacks $(head -3 "$directory/$module.missing" | tr '\n' ' ')"
        jar --list --file "$file-javadoc.jar" | grep -q '^index.html$' || fail "$file-javadoc.jar has no index.html"
        grep -q "<artifactId>$module</artifactId>" io/kcp/kcp-bom/"$version"/kcp-bom-"$version".pom || fail "kcp-bom lacks $module"
    done
    ! grep 'groupId' io/kcp/kcp-bom/"$version"/kcp-bom-"$version".pom | grep -qv '<groupId>io.kcp<' || fail "kcp-bom manages versions of other projects"
    local found
    found=$(find . -type f ! -name '*.md5' ! -name '*.sha1' ! -name '*.asc' | wc -l)
    [ "$found" = "$expected" ] || fail "the bundle has $found files instead of $expected: $(find . -name '*.jar' -o -name '*.pom' | tr '\n' ' ')"
    echo "$directory/bundle.zip: $expected files of version $version, each with checksums$([ "$sign" != true ] || echo " and a signature"). All checks passed."
}

make_directory
copy_sources
prepare_key
build
zip_bundle
check_bundle
