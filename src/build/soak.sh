#!/usr/bin/env bash
# Opens and closes sessions in all ways and checks that nothing leaks; see Soak.java of kcp-bench.
#   src/build/soak.sh [SECONDS [OPTION…]]
# SECONDS is the time in which sessions are opened after the warm-up, 60 by default. Further options are those of the program.
# MAVEN_OPTIONS are passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "SECONDS must be a positive number: $seconds" >&2; exit 2; }
shift || true
read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"

mvn -q "${maven_options[@]}" package -Pbench -DskipTests -pl kcp-bench -am
options=()
# The replay filter of a server allocates its second half after ten minutes, so the warm-up of a long run is longer.
[ "$seconds" -lt 600 ] || options=(--warmup 660 --round 100)
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx768m -Dio.netty.leakDetection.targetRecords=0 -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Soak --seconds "$seconds" "${options[@]}" "$@"
