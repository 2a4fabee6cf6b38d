package io.kcp.core.conversation;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Runs {@link KcpOperations} with choices from a fuzzer. A normal build replays the stored inputs; {@code JAZZER_FUZZ=1} searches for new
 * ones.
 */
class KcpOperationsFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void arbitraryOperationsKeepTheInvariants(FuzzedDataProvider data) {
        new KcpOperations(new FuzzedChoices(data)).run();
    }

    private record FuzzedChoices(FuzzedDataProvider data) implements KcpOperations.Choices {

        @Override
        public int below(int bound) {
            return data.consumeInt(0, bound - 1);
        }

        @Override
        public boolean hasMore() {
            return data.remainingBytes() > 0;
        }
    }
}
