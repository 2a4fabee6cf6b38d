#!/usr/bin/env bash
# Prints the directory of a JDK of the given version.
#   src/build/find-jdk.sh VERSION
# The script searches in this order: the variable JAVA_HOME_VERSION (for example JAVA_HOME_25), JAVA_HOME, the JDK of the command javac,
# and the directories in which packages and other installers put JDKs. If none has this version, the script exits with 1.
set -euo pipefail

version=${1:-}
[[ $version =~ ^[1-9][0-9]*$ ]] || { echo "VERSION must be a number: $version" >&2; exit 2; }
variable=JAVA_HOME_$version

is_wanted() {
    [ -x "$1/bin/javac" ] && grep -qE "^JAVA_VERSION=\"$version[.\"]" "$1/release" 2> /dev/null
}

default_home=
if command -v javac > /dev/null; then
    default_home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
fi
for candidate in "${!variable:-}" "${JAVA_HOME:-}" "$default_home" /usr/lib/jvm/* /usr/java/* /opt/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
    if [ -n "$candidate" ] && is_wanted "$candidate"; then
        echo "$candidate"
        exit
    fi
done
cat >&2 << EOF
No JDK $version was found. Install one, or set $variable to the directory of a JDK $version, which contains bin/javac.
EOF
exit 1
