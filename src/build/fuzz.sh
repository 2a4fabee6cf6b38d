#!/usr/bin/env bash
# Searches with Jazzer for inputs that make a fuzz test fail. Each target runs in a JVM of its own, because Jazzer searches for one target
# per JVM. The targets of different modules run at the same time.
#   src/build/fuzz.sh [SECONDS [TARGET…]]
# SECONDS is the duration per target, 600 by default. A TARGET is a class or CLASS#METHOD from the list below; all targets run by default.
# Inputs that increase the coverage are kept in .cifuzz-corpus of the module, which Git ignores. An input that makes a test fail is stored
# in src/test/resources of the module, where each later build replays it.
# MAVEN_OPTIONS are passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

all_targets='
kcp-core    KcpOperationsFuzzTest#arbitraryOperationsKeepTheInvariants
kcp-core    SegmentHeaderFuzzTest#arbitraryBytesNeitherThrowNorLeak
kcp-core    FecDecoderFuzzTest#arbitraryShardsNeitherThrowNorLeak
kcp-core    DatagramCipherFuzzTest#arbitraryDatagramsNeverThrow
kcp-netty   PipelineFuzzTest#modifiedAndReencryptedDatagramsHarmNoOtherSession
kcp-netty   AdmissionFuzzTest#arbitraryPeersKeepCountsAndLimits
kcp-netty   ChannelOperationsFuzzTest#arbitraryCallsNeitherLeakNorBlockOtherSessions
kcp-streams FrameParserFuzzTest#arbitraryBytesNeitherThrowNorLeak
kcp-streams PacketFuzzTest#decoderAgreesWithASimpleDecoder
kcp-streams PacketFuzzTest#readerThrowsOnlyPacketExceptionsAndConsumesNothingThen
'

seconds=${1:-600}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "SECONDS must be a positive number: $seconds" >&2; exit 2; }
shift || true
read -ra maven_options <<< "${MAVEN_OPTIONS:--B -ntp}"

is_selected() {
    local target=$1 selection
    shift
    [ $# -gt 0 ] || return 0
    for selection in "$@"; do
        [[ $target == "$selection" || $target == "$selection#"* ]] && return 0
    done
    return 1
}

for selection in "$@"; do
    found=no
    while read -r module target; do
        ! is_selected "$target" "$selection" || found=yes
    done <<< "$all_targets"
    [ $found = yes ] || { echo "No target is called $selection" >&2; exit 2; }
done

# Fuzzes one target of a module, and prints the result.
fuzz_target() {
    local module=$1 target=$2 log=$results/$1.log
    # Without incremental compilation, Maven writes no files of a module that another process reads at the same time.
    if JAZZER_FUZZ=1 JAZZER_INSTRUMENTATION_INCLUDES="io.kcp.**" JAZZER_MAX_DURATION="${seconds}s" mvn -q "${maven_options[@]}" test \
        -pl "$module" -am -Dcheckstyle.skip -Dmaven.compiler.useIncrementalCompilation=false -Djazzer.hooks=true -Dleak.level=simple \
        -Djvm.short= -Dtest.processes=1 -Dtest="$target" -Dsurefire.failIfNoSpecifiedTests=false < /dev/null > "$log" 2>&1; then
        grep -E '^#[0-9]+.*(INITED|DONE)|^Done ' "$log" && return
        tail -n 20 "$log"
        echo "$target was not fuzzed" | tee -a "$results/failed"
    else
        tail -n 60 "$log"
        echo "$target" >> "$results/failed"
    fi
}

# Fuzzes the selected targets of a module one after the other.
fuzz_module() {
    local module=$1 target target_module
    shift
    while read -r target_module target; do
        if [ "$target_module" = "$module" ] && is_selected "$target" "$@"; then
            echo "$target: started, $seconds s"
            fuzz_target "$module" "$target" | sed "s/^/$target: /"
            echo "$target" >> "$results/finished"
        fi
    done <<< "$all_targets"
}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# Compiles all classes, because the processes must not compile the same class.
mvn -q "${maven_options[@]}" test -DskipTests -pl kcp-netty -am -Dcheckstyle.skip
jobs=()
for module in $(awk 'NF { print $1 }' <<< "$all_targets" | sort -u); do
    fuzz_module "$module" "$@" &
    jobs+=($!)
done
for job in "${jobs[@]}"; do
    wait "$job" || echo "not all targets, because the script failed" >> "$results/failed"
done

if [ -s "$results/failed" ]; then
    sed 's/^/Failed: /' "$results/failed"
    exit 1
fi
echo "$(wc -l < "$results/finished") fuzz targets found no failure."
