package io.kcp.tools.linkcheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentSegmentsTest {

    private static final long MS = 1_000_000;

    private final SentSegments sent = new SentSegments();

    private void push(int sn, int atMs) {
        sent.onPush(sn, atMs, 64, atMs * MS);
    }

    @Test
    void segmentsThatUnaPassesWithoutRetransmissionHaveArrived() {
        push(5, 0);
        push(6, 10);
        sent.onUna(7, 50 * MS);
        assertThat(sent.lossShare(0.5)).isZero();
        assertThat(sent.acknowledgedBytes()).isEqualTo(128);
        assertThat(sent.segments()).isEqualTo(2);
    }

    @Test
    void echoOfTheFirstTransmissionIsARoundTripSample() {
        push(0, 100);
        sent.onAck(0, 100, 130 * MS);
        sent.onAck(0, 100, 190 * MS);
        assertThat(sent.shortestMs()).isEqualTo(30);
        assertThat(sent.takeRecentMedianMs()).isCloseTo(30.0, within(0.1));
        assertThat(sent.takeRecentMedianMs()).isNull();
    }

    @Test
    void segmentAtWhichUnaStoppedIsLost() {
        push(0, 0);
        push(1, 10);
        push(2, 20);
        sent.onAck(0, 0, 50 * MS);
        sent.onUna(1, 50 * MS);
        sent.onAck(2, 20, 70 * MS);
        sent.onUna(1, 70 * MS);
        push(1, 75);
        sent.onUna(3, 125 * MS);
        assertThat(sent.retransmissions()).isOne();
        assertThat(sent.lossShare(0.5)).isCloseTo(1 / 3.0, within(1e-9));
    }

    @Test
    void segmentThatArrivedBeforeItsRetransmissionIsNotLost() {
        push(0, 0);
        push(1, 10);
        sent.onAck(1, 10, 60 * MS);
        push(0, 61);
        sent.onUna(2, 65 * MS);
        assertThat(sent.lossShare(0)).isZero();
    }

    @Test
    void retransmittedSegmentBeyondAGapIsDividedByProbability() {
        for (int sn = 0; sn < 10; sn++) {
            push(sn, sn);
        }
        sent.onAck(9, 9, 59 * MS);
        // Segments 0 and 4 are retransmitted; the una stops only at segment 0.
        push(0, 60);
        push(4, 61);
        sent.onUna(10, 120 * MS);
        assertThat(sent.lossShare(0)).as("no ACK is ever lost").isCloseTo(0.2, within(1e-9));
        assertThat(sent.lossShare(0.99)).as("most ACKs are lost").isBetween(0.1, 0.12);
    }

    /** A peer that repeats no ACK, like kcp-go, on a link with independent losses in both directions. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0.05, 0.05", "0.01, 0.05", "0.1, 0.02", "0.2, 0.2"})
    void estimateEqualsTheLossOfASimulatedLink(double loss, double ackLoss) {
        SplittableRandom random = new SplittableRandom(7);
        TreeMap<Long, Runnable> events = new TreeMap<>();
        boolean[] arrived = new boolean[20_000];
        int[] una = {0};
        for (int i = 0; i < arrived.length; i++) {
            int sn = i;
            for (int transmission = 0; transmission < 2; transmission++) {
                long sendNanos = i * 20 * MS + transmission * 115 * MS + transmission;
                boolean second = transmission == 1;
                int ts = (int) (sendNanos / MS);
                events.put(sendNanos, () -> {
                    if (second && (sn < acknowledged || explicitly[sn])) {
                        return;
                    }
                    sent.onPush(sn, ts, 64, sendNanos);
                    if (second || random.nextDouble() >= loss) {
                        events.put(sendNanos + 25 * MS + 2 + sn % 7, () -> {
                            arrived[sn] = true;
                            while (una[0] < arrived.length && arrived[una[0]]) {
                                una[0]++;
                            }
                            int unaNow = una[0];
                            if (random.nextDouble() >= ackLoss) {
                                events.put(sendNanos + 50 * MS + 10 + sn % 7, () -> {
                                    explicitly[sn] = true;
                                    acknowledged = Math.max(acknowledged, unaNow);
                                    sent.onAck(sn, ts, sendNanos + 50 * MS);
                                    sent.onUna(unaNow, sendNanos + 50 * MS);
                                });
                            }
                        });
                    }
                });
            }
        }
        while (!events.isEmpty()) {
            events.pollFirstEntry().getValue().run();
        }
        assertThat(sent.lossShare(ackLoss)).isCloseTo(loss, within(0.007));
    }

    private int acknowledged;
    private final boolean[] explicitly = new boolean[20_000];
}
