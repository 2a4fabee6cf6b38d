#!/usr/bin/env bash
# Runs the scenarios on simulated networks with many seeds.
#   src/build/scenarios.sh [SEEDS] [--first-seed N] [TEST…]
# SEEDS is the number of consecutive seeds of each scenario, 1000 by default. The variants with FEC and a cipher use a tenth of the seeds.
# The first seed is drawn at random and printed if SEEDS is at least 1000, and otherwise is 1. A TEST is a class or CLASS#METHOD; all
# scenarios run by default. A failed scenario names its seeds, and writes pcap files to target/captures of its module. MAVEN_OPTIONS are
# passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

drawn_from=1000
seeds=1000
first=
tests=()
while [ $# -gt 0 ]; do
    case $1 in
        --first-seed) first=${2:-}; shift
            [[ $first =~ ^[1-9][0-9]*$ ]] || { echo "--first-seed must be followed by a positive number: $first" >&2; exit 2; } ;;
        -*) echo "unknown option: $1" >&2; exit 2 ;;
        [0-9]*) seeds=$1 ;;
        *) tests+=("$1") ;;
    esac
    shift || true
done
[[ $seeds =~ ^[1-9][0-9]*$ ]] || { echo "SEEDS must be a positive number: $seeds" >&2; exit 2; }
if [ -z "$first" ]; then
    first=1
    [ "$seeds" -lt "$drawn_from" ] || first=$(( (RANDOM << 15 | RANDOM) % 1000000 + 1 ))
fi
selected='Scenario*Test,Simulated*Test,!SimulatedLinkTest'
[ ${#tests[@]} -eq 0 ] || selected=$(IFS=,; echo "${tests[*]}")
read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"

echo "Seeds $first to $((first + seeds - 1)). To repeat this run: src/build/scenarios.sh $seeds --first-seed $first${tests[*]+ ${tests[*]}}"
# The leak detector is off because each simulation checks that all of its buffers are released.
exec mvn "${maven_options[@]}" test -Pall -pl kcp-testkit,kcp-netty -am -Dcheckstyle.skip -Dsurefire.failIfNoSpecifiedTests=false \
    -Dleak.level=disabled -Dkcp.seeds="$seeds" -Dkcp.firstSeed="$first" -Dtest="$selected" --fail-at-end
