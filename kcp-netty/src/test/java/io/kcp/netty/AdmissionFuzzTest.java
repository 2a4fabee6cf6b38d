package io.kcp.netty;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Runs {@link AdmissionOperations} with choices from a fuzzer. A normal build replays the stored inputs, and a build with
 * {@code JAZZER_FUZZ=1} searches for new inputs.
 */
class AdmissionFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void arbitraryPeersKeepCountsAndLimits(byte[] input) {
        SilencedLog.during(() -> new AdmissionOperations(input).run());
    }
}
