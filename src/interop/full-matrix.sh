#!/usr/bin/env bash
# Every cipher under every use of parity, in both roles, against both versions of kcp-go: about 250 cells of 2 MB each way
# under 15 % loss, some ten minutes. CI runs the least set that pairs each with each; this is for a release.
# The lines of the cells go to target/interop-matrix.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
src/interop/install.sh
mkdir -p target
mvn -B -ntp -q verify -Pinterop -Dcheckstyle.skip -pl kcp-examples -am -Dkcp.matrix=full -Dtest=LiveCipherFecTest \
    -Dsurefire.failIfNoSpecifiedTests=false | tee target/interop-matrix.log
grep ' recovered here ' target/interop-matrix.log > target/interop-matrix.txt
wc -l target/interop-matrix.txt
