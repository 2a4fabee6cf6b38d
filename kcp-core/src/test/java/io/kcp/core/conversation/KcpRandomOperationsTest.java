package io.kcp.core.conversation;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Runs {@link KcpOperations} with choices from 200 fixed seeds. */
class KcpRandomOperationsTest {

    private static final int SEEDS = 200;
    private static final int CHOICES = 3_000;

    @Test
    void randomOperationsKeepTheInvariants() {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                new KcpOperations(new SeededChoices(seed)).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ", " + e.getMessage(), e);
            }
        }
    }

    private static final class SeededChoices implements KcpOperations.Choices {

        private final Random random;
        private int left = CHOICES;

        SeededChoices(long seed) {
            random = new Random(seed);
        }

        @Override
        public int below(int bound) {
            left--;
            return random.nextInt(bound);
        }

        @Override
        public boolean hasMore() {
            return left > 0;
        }
    }
}
