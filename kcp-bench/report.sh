#!/bin/sh
# Builds everything, runs the comparison and writes the page kcp-bench/target/report/index.html. This takes two hours.
# With --quick it takes some minutes, but the values are not meaningful. The measurement over a lossy link needs Linux and root.
# Other options are passed to SideBySide, for example --scenarios one-way,echo.
set -eu
cd "$(dirname "$0")/.."
jar=kcp-bench/target/benchmarks.jar
out=kcp-bench/target/report
lossy=
for option; do
    [ "$option" = --quick ] && lossy="--loss 0,5,20 --seconds 2 --warmup 1 --attempts 1"
done

src/interop/install.sh --bench
mvn -B -ntp -q -Pbench -Dcheckstyle.skip -Dmaven.test.skip -pl kcp-bench -am package
mkdir -p $out
status=0
java -cp $jar io.kcp.bench.SideBySide --out $out/results.json "$@" || status=$?
[ $status = 2 ] && exit 2
# Exit code 77 means that links cannot be emulated on this machine.
java -cp $jar io.kcp.bench.LossyLink --out $out/lossy.json $lossy || [ $? = 77 ] || status=1
java -cp $jar io.kcp.bench.Report $out/results.json --lossy $out/lossy.json --out $out/index.html
exit $status
