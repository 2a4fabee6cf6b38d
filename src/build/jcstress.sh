#!/usr/bin/env bash
# Tests with jcstress the classes that several event loops or threads share: options, statistics, the registry, the counts of sessions, and
# the queues between sockets. The tests are in kcp-bench/src/jcstress.
#   src/build/jcstress.sh [OPTION…]
# The options are those of jcstress, "-m quick" by default. A single test is selected with -t, for example: -t HandoverQueueStress
# MAVEN_OPTIONS are passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."
read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"

mvn -q "${maven_options[@]}" package -Pjcstress -DskipTests -pl kcp-bench -am
[ $# -gt 0 ] || set -- -m quick
target=$PWD/kcp-bench/target/jcstress
# jcstress writes its results into the current directory.
cd "$target"
log=$target/jcstress.log
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -jar "$target/jcstress.jar" -r "$target/results" "$@" > "$log" 2>&1 < /dev/null || { tail -n 60 "$log"; exit 1; }
sed -n '/^RUN COMPLETE/,$p' "$log"
grep -q '^RUN COMPLETE' "$log"
