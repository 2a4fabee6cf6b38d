#!/bin/sh
# Builds everything, runs the comparison and makes a page of it, kcp-bench/target/report/index.html. Takes two hours; with
# --quick some minutes, and the figures mean little. As root on Linux with the lossy link. Other options are those of
# SideBySide, for instance --scenarios one-way,echo.
set -eu
cd "$(dirname "$0")/.."
jar=kcp-bench/target/benchmarks.jar
out=kcp-bench/target/report
lossy=
for option; do
    [ "$option" = --quick ] && lossy="--loss 0,5,20 --seconds 2 --warmup 1 --attempts 1"
done

src/interop/install.sh --bench
mvn -B -ntp -q -Pbench -Dcheckstyle.skip -Dmaven.test.skip -pl kcp-core,kcp-netty,kcp-bench package
mkdir -p $out
status=0
java -cp $jar io.kcp.bench.SideBySide --out $out/results.json "$@" || status=$?
[ $status = 2 ] && exit 2
# 77: links cannot be made here
java -cp $jar io.kcp.bench.LossyLink --out $out/lossy.json $lossy || [ $? = 77 ] || status=1
java -cp $jar io.kcp.bench.Report $out/results.json --lossy $out/lossy.json --out $out/index.html
exit $status
