#!/usr/bin/env bash
# Builds all published files twice, in two directories, and compares them byte for byte. Two builds from the same sources may differ
# only in their signatures. bundle.sh also checks the content of both bundles.
#   src/build/reproducible.sh [DIRECTORY]
# DIRECTORY contains the two bundles. The default is target/reproducible.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/../.."

directory=${1:-$PWD/target/reproducible}
case $directory in
    /*) ;;
    *) directory=$caller/$directory ;;
esac
src/build/bundle.sh "$directory/first"
# The second path has another length, so that paths in the output would differ.
SIGN=false src/build/bundle.sh "$directory/second-and-elsewhere"

differences=$(diff -rq --exclude='*.asc' "$directory/first/unpacked" "$directory/second-and-elsewhere/unpacked" || true)
if [ -n "$differences" ]; then
    printf 'Two builds differ:\n%s\n' "$differences" >&2
    exit 1
fi
echo "The two builds are equal byte for byte: $(find "$directory/first/unpacked" -name '*.jar' -o -name '*.pom' | wc -l) files."
