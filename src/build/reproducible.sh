#!/usr/bin/env bash
# Builds all that is published twice, in two folders, and compares it byte for byte; checks the first bundle on the way.
#   src/build/reproducible.sh [DIRECTORY]
# Two builds from the same sources must not differ in anything but their signatures. DIRECTORY is as that of bundle.sh.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/../.."

directory=${1:-$PWD/target/reproducible}
case $directory in
    /*) ;;
    *) directory=$caller/$directory ;;
esac
src/build/bundle.sh "$directory/first"
# another path, another length of it
SIGN=false src/build/bundle.sh "$directory/second-and-elsewhere"

differences=$(diff -rq --exclude='*.asc' "$directory/first/unpacked" "$directory/second-and-elsewhere/unpacked" || true)
if [ -n "$differences" ]; then
    printf 'Two builds differ:\n%s\n' "$differences" >&2
    exit 1
fi
echo "Two builds are equal, byte for byte: $(find "$directory/first/unpacked" -name '*.jar' -o -name '*.pom' | wc -l) files."
