#!/usr/bin/env bash
# Searches with Jazzer for inputs that make a fuzz test fail. Each target runs in a JVM of its own, because Jazzer searches for one target
# per JVM.
#   src/build/fuzz.sh [SECONDS [TARGET…]]
# SECONDS is the duration per target, 600 by default. A TARGET is a class or CLASS#METHOD from the list below; all targets run by default.
# Inputs that increase the coverage are kept in .cifuzz-corpus of the module, which Git ignores. An input that makes a test fail is stored
# in src/test/resources of the module, where each later build replays it.
# MAVEN_OPTIONS are passed to Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."

all_targets='
kcp-core  KcpOperationsFuzzTest#arbitraryOperationsKeepTheInvariants
kcp-core  SegmentHeaderFuzzTest#arbitraryBytesNeitherThrowNorLeak
kcp-core  FecDecoderFuzzTest#arbitraryShardsNeitherThrowNorLeak
kcp-core  PacketCipherFuzzTest#arbitraryDatagramsNeverThrow
kcp-netty PipelineFuzzTest#modifiedAndReencryptedDatagramsHarmNoOtherSession
kcp-netty AdmissionFuzzTest#arbitraryPeersKeepCountsAndLimits
kcp-netty ChannelOperationsFuzzTest#arbitraryCallsNeitherLeakNorBlockOtherSessions
kcp-netty FrameParserFuzzTest#arbitraryBytesNeitherThrowNorLeak
kcp-netty PacketFuzzTest#decoderAgreesWithASimpleDecoder
kcp-netty PacketFuzzTest#readerThrowsOnlyPacketExceptionsAndConsumesNothingThen
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

failed=()
count=0
while read -r module target; do
    if [ -z "$module" ] || ! is_selected "$target" "$@"; then
        continue
    fi
    count=$((count + 1))
    printf '\n--- %s: %d s\n' "$target" "$seconds"
    log=$(mktemp)
    if JAZZER_FUZZ=1 JAZZER_INSTRUMENTATION_INCLUDES="io.kcp.**" JAZZER_MAX_DURATION="${seconds}s" mvn -q "${maven_options[@]}" test -pl "$module" -am -Dcheckstyle.skip \
        -Djazzer.hooks=true -Dleak.level=simple -Dtest.processes=1 -Dtest="$target" -Dsurefire.failIfNoSpecifiedTests=false \
        < /dev/null > "$log" 2>&1; then
        grep -E '^#[0-9]+.*(INITED|DONE)|^Done ' "$log" || { tail -n 20 "$log"; echo "$target was not fuzzed"; failed+=("$target"); }
    else
        tail -n 60 "$log"
        failed+=("$target")
    fi
    rm "$log"
done <<< "$all_targets"

[ $count -gt 0 ] || { echo "No target is called $*" >&2; exit 2; }
if [ ${#failed[@]} -gt 0 ]; then
    printf 'Failed: %s\n' "${failed[@]}"
    exit 1
fi
printf '\n%d fuzz targets found no failure.\n' "$count"
