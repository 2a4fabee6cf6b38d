#!/usr/bin/env bash
# Copies all files that Git tracks, and new files that it does not ignore, with their present content.
#   src/build/copy-sources.sh DIRECTORY
# DIRECTORY is created if it does not exist.
set -euo pipefail
mkdir -p "$1"
directory=$(cd "$1" && pwd -P)
cd "$(dirname "$0")/../.."

# Leaves out files that are in the index but were deleted.
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
done | xargs -0 cp --parents -t "$directory"
