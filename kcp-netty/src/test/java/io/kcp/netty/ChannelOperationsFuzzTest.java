package io.kcp.netty;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Runs {@link ChannelOperations} with choices from a fuzzer. A normal build replays the stored inputs; {@code JAZZER_FUZZ=1} searches for
 * new ones.
 */
class ChannelOperationsFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void arbitraryCallsNeitherLeakNorBlockOtherSessions(byte[] input) {
        SilencedLog.during(() -> new ChannelOperations(input).run());
    }
}
