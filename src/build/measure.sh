#!/usr/bin/env bash
# Measures the tables of the README and the guide, and writes the result files, pages and charts.
#   src/build/measure.sh [NAME…]
# NAME is that of a result file in src/site/results without ".json"; without names, all are measured, which takes many hours.
# Run it on an otherwise idle Linux machine as root, from a commit without changes. warm-up-jdk25 needs JDK25, the folder of a JDK 25.
# EXPERIMENT_OPTIONS, such as --rounds 1, are passed to each experiment. MAVEN_OPTIONS are passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

all=(loopback sessions pinned packets overload overload-kcp-go-clients lossy-link link-comparison codecs warm-up
    warm-up-jdk25 attack attack-priority tunnel tunnel-idle simulated-links shared-links auto-settings recipes)
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
jar=kcp-bench/target/benchmarks.jar
cache=kcp-bench/target/load.aot
read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"
read -ra options <<< "${EXPERIMENT_OPTIONS:-}"

experiment() {
    "$java" -cp $jar io.kcp.bench.Experiments "$@" --out "src/site/results/$name.json" "${options[@]}"
}

# Simulates the tables of kcp-testkit and converts the values of their runs. The runs are named as in the first argument.
simulate() {
    local runs=$PWD/kcp-bench/target/$name.runs table
    rm -f "$runs"
    for table in "${@:3}"; do
        mvn -q "${maven_options[@]}" test -pl kcp-testkit -am -Dtest=TableTest -Dsurefire.failIfNoSpecifiedTests=false \
            "-Dkcp.table=${table//RUNS/$runs}"
    done
    "$java" -cp $jar io.kcp.bench.results.Collect --in "$runs" --out "src/site/results/$name.json" --name "$1" --metrics "$2" \
        --command "src/build/measure.sh $name"
}

measure() {
    local throughput=one-way,one-way-plain,connections-8,window-4096,aes-128,aes-128-gcm,salsa20,aes-128-fec,echo,small
    local number='(?<loss>[0-9.]+)' links='20,100 20,50,250 0,0.01,0.02,0.05,0.1 RUNS'
    local link='Cell\[megabits=(?<mbit>\d+), rttMs=(?<rtt>\d+), loss='$number'\]'
    local start=(warm-up --scenarios one-way,fleet-2000 --peers none --seconds 26 --warm-clients --rounds 3)
    case $name in
        loopback) experiment side-by-side --scenarios $throughput,ping-pong,ping-pong-spin ;;
        sessions) experiment side-by-side --scenarios fleet-5000,fleet-2000,fleet-flat,fleet-100000,idle --warmup 12 --rounds 3 ;;
        pinned) experiment side-by-side --scenarios pinned ;;
        packets) experiment side-by-side --scenarios packets-tcp,packets-kcp --peers kcp-go ;;
        overload) experiment overload --rounds 3 ;;
        overload-kcp-go-clients) experiment overload --peers none --kcp-go-clients --rounds 3 ;;
        lossy-link) experiment lossy-link --kinds delay-50 ;;
        link-comparison) experiment link-comparison ;;
        codecs) experiment codecs ;;
        warm-up) experiment "${start[@]}" ;;
        warm-up-jdk25)
            local java="${JDK25:?must be the folder of a JDK 25}/bin/java"
            "$java" -cp $jar io.kcp.bench.Experiments warm-up --scenarios fleet-2000 --peers none --seconds 20 \
                --server-jvm-option=-XX:AOTCacheOutput=$cache
            experiment "${start[@]}" --server-jvm-option=-XX:AOTCache=$cache ;;
        attack) experiment attack --rounds 3 ;;
        attack-priority) experiment attack --peers none --attacks none,segments,slow-readers,all,all-sealed --rounds 3 \
            --jvm-option=-XX:ThreadPriorityPolicy=1 --jvm-option=-XX:CompilerThreadPriority=10 ;;
        tunnel) experiment tunnel ;;
        tunnel-idle) experiment tunnel --idle 1000 --rounds 3 ;;
        simulated-links) simulate "(?<algorithm>\w+) $link 60 s, seed (?<seed>\d+)" goodput,drops,queue_p95_ms,start_ms \
            "CongestionTable BBR 20 60 $links" "CongestionTable CUBIC 1 60 $links" "CongestionTable KCP_GO 1 60 $links" ;;
        shared-links) simulate '(?<scenario>.+), seed (?<seed>\d+)' value_1,value_2,value_3 "SharedLinkTable 20 all RUNS" ;;
        auto-settings) simulate "(?<kind>bulk|game) $link, (?:(?<auto>auto)|(?<settings>.+)), (?<length>60|10000), seed (?<seed>\d+)" \
            goodput_mbit,p99_ms,held_bytes "AutoTable seeds=20 seconds=60 messages=10000 bulk=BBR results=RUNS" ;;
        recipes) simulate "(?<table>[\w ]+ per second|[\w ]+, two per second|bulk) (?<recipe>[\`…].*) $number (?<rtt>\d+) (?<seed>\d+)" \
            value_1,value_2,value_3 "RecipeTable game 3 RUNS" "RecipeTable bulk 3 RUNS" "RecipeTable response 3 RUNS" ;;
    esac
}

names=("$@")
[ $# -gt 0 ] || names=("${all[@]}")
for name in "${names[@]}"; do
    [[ " ${all[*]} " == *" $name "* ]] || { echo "Unknown name $name. Use one of: ${all[*]}" >&2; exit 2; }
done

src/interop/install.sh --bench
mvn -q "${maven_options[@]}" package -Pbench -Ptools -DskipTests -pl kcp-bench,kcp-tools -am
for name in "${names[@]}"; do
    # A missed requirement is a result too. The next command fails if the file is missing.
    measure || echo "$name: the experiment ended with status $?" >&2
    [ -f "src/site/results/$name.json" ] || exit 1
done
"$java" -cp $jar io.kcp.bench.results.Tables
