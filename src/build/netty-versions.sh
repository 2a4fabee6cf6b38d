#!/usr/bin/env bash
# Prints the Netty versions, other than the one in the pom, with which the library is tested, one per line: the version that Spring Boot
# manages, and the newest 4.2 version whose native transports can be resolved.
#   src/build/netty-versions.sh
# MAVEN_OPTIONS are passed to each call of Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"
get=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get
evaluate=org.apache.maven.plugins:maven-help-plugin:3.5.2:evaluate

property() {
    sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" pom.xml | head -n 1
}

managed_by_boot() {
    local directory
    directory=$(mktemp -d)
    cat > "$directory/pom.xml" << EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId><artifactId>spring-boot-dependencies</artifactId>
    <version>$(property spring-boot.version)</version><relativePath/>
  </parent>
  <artifactId>managed</artifactId>
  <packaging>pom</packaging>
</project>
EOF
    mvn -q "${maven_options[@]}" -f "$directory/pom.xml" "$evaluate" -Dexpression=netty.version -DforceStdout \
        | grep -oE '[0-9]+(\.[0-9]+)+\.Final'
    rm -r "$directory"
}

# Fails if the artifact does not exist. If no repository answers, the script exits, because it would otherwise print too few versions.
resolves() {
    local output
    output=$(mvn -q "${maven_options[@]}" "$get" -Dtransitive=false -Dartifact="$1" 2>&1) && return
    grep -qE 'Could not find artifact|was not found in' <<< "$output" && return 1
    printf 'Cannot determine whether %s exists:\n%s\n' "$1" "$output" >&2
    exit 1
}

newest_with_natives() {
    local newest=$1 patch version
    patch=${newest#4.2.}
    patch=${patch%.Final}
    while true; do
        patch=$((patch + 1))
        version=4.2.$patch.Final
        resolves "io.netty:netty-bom:$version:pom" || break
        if resolves "io.netty:netty-transport-native-epoll:$version:jar:linux-x86_64" \
            && resolves "io.netty:netty-transport-native-epoll:$version:jar:linux-aarch_64" \
            && resolves "io.netty:netty-transport-native-io_uring:$version:jar:linux-x86_64"; then
            newest=$version
        else
            echo "The native transports of Netty $version cannot be resolved." >&2
        fi
    done
    echo "$newest"
}

built=$(property netty.version)
boot=$(managed_by_boot)
newest=$(newest_with_natives "$built")
printf '%s\n' "$boot" "$newest" | sort -u | grep -vxF "$built" || true
