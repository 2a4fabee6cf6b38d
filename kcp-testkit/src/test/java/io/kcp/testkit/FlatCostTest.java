package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.KcpInternals;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cost of an acknowledgement and of a flush, in visited segments, must not grow with the window. */
class FlatCostTest {

    private static final int SMALL_WINDOW = 128;
    private static final int LARGE_WINDOW = 32_768;
    private static final int HELD_BACK_SEGMENTS = 100;
    /** Enough segments to fill the large window. */
    private static final int SEGMENTS = 50_000;
    private static final long SEED = 1;
    /** Tolerance for rounding and for the start of a transfer. */
    private static final double MAX_GROWTH = 1.1;
    /** A flush visits the head of each list: segments without a timeout, and segments with one timeout. */
    private static final int LISTS_IN_USE = 2;

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.02})
    void sameTrafficCostsTheSameAtAnyWindow(double lossRate) {
        Cost small = cost(SMALL_WINDOW, HELD_BACK_SEGMENTS, lossRate, SEGMENTS / 10);
        Cost large = cost(LARGE_WINDOW, HELD_BACK_SEGMENTS, lossRate, SEGMENTS / 10);
        assertThat(large).as("seed %d, loss %s", SEED, lossRate).isEqualTo(small);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.02})
    @Tag("slow")
    void fullWindowCostsTheSamePerDatagram(double lossRate) {
        Cost small = cost(SMALL_WINDOW, Integer.MAX_VALUE, lossRate, SEGMENTS);
        Cost large = cost(LARGE_WINDOW, Integer.MAX_VALUE, lossRate, SEGMENTS);
        System.out.println("Flat cost, loss " + lossRate * 100 + " %: " + small + " at window " + SMALL_WINDOW + ", " + large
            + " at window " + LARGE_WINDOW);
        assertThat(large.perAcknowledgement()).as("per acknowledgement, seed %d, loss %s", SEED, lossRate)
            .isLessThanOrEqualTo(small.perAcknowledgement() * MAX_GROWTH);
        assertThat(large.perFlush()).as("per flush, seed %d, loss %s", SEED, lossRate)
            .isLessThanOrEqualTo(Math.max(small.perFlush(), LISTS_IN_USE) * MAX_GROWTH);
    }

    private static Cost cost(int window, int maxWaitingSegments, double lossRate, int segments) {
        // 1 Gb/s and 400 ms hold 36,000 segments in flight.
        LinkProfile link = LinkProfile.builder().rateBitsPerSecond(1_000_000_000).delayMs(200)
            .loss(seed -> LossModel.independent(lossRate, seed)).build();
        KcpConfig config = KcpConfig.fast().toBuilder().windows(window).build();
        try (KcpPair pair = KcpPair.builder(SEED).configs(config).links(link)
            .visitCounter(KcpInternals::segmentsVisited).build()) {
            int mssBytes = pair.a().kcp().mssBytes();
            pair.sendFromA(TransferPlan.ofMessages(SEED, segments, mssBytes), maxWaitingSegments);
            pair.assertCompletes(3_600_000);
            KcpEndpoint sender = pair.a();
            return new Cost(sender.inputs(), sender.visitsInInput(), sender.flushes(), sender.visitsInFlush(),
                sender.kcp().stats().retransmissions());
        }
    }

    /** The cost of one transfer for its sender, in visited segments. */
    private record Cost(long acknowledgements, long visitsForAcknowledgements, long flushes, long visitsForFlushes,
        long retransmissions) {

        double perAcknowledgement() {
            return (double) visitsForAcknowledgements / acknowledgements;
        }

        /** Without the segments that were due, which have to be visited. */
        double perFlush() {
            return (double) (visitsForFlushes - retransmissions) / flushes;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.2f per acknowledgement and %.2f per flush (%d flushes, %d retransmissions)",
                perAcknowledgement(), perFlush(), flushes, retransmissions);
        }
    }
}
