package io.kcp.netty;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Runs {@link ChannelOperations} with choices from a fuzzer. A normal build replays the stored inputs, and a build with
 * {@code JAZZER_FUZZ=1} searches for new inputs.
 */
class ChannelOperationsFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void arbitraryCallsNeitherLeakNorBlockOtherSessions(byte[] input) {
        SilencedLog.during(() -> new ChannelOperations(input).run());
    }
}
