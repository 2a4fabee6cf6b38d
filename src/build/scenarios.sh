#!/usr/bin/env bash
# Runs the scenarios on simulated networks with many seeds.
#   src/build/scenarios.sh [SEEDS [TEST…]]
# SEEDS is the number of seeds of each scenario, 1000 by default. The variants with FEC and a cipher use a tenth of the seeds. A TEST is a
# class or CLASS#METHOD; all scenarios run by default. A failed scenario names its seeds, and writes pcap files to target/captures of its
# module. MAVEN_OPTIONS are passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

seeds=${1:-1000}
[[ $seeds =~ ^[1-9][0-9]*$ ]] || { echo "SEEDS must be a positive number: $seeds" >&2; exit 2; }
shift || true
tests='Scenario*Test,Simulated*Test,!SimulatedLinkTest'
[ $# -eq 0 ] || tests=$(IFS=,; echo "$*")
read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"

# The leak detector is off because each simulation checks that all of its buffers are released.
exec mvn "${maven_options[@]}" test -pl kcp-testkit,kcp-netty -am -Dcheckstyle.skip -Dsurefire.failIfNoSpecifiedTests=false \
    -Dleak.level=disabled -Dkcp.seeds="$seeds" -Dtest="$tests" --fail-at-end
