package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DelayTimelineTest {

    private static final long START_NS = -5;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private final DelayTimeline timeline = new DelayTimeline(START_NS, MS);

    private void send(int messages, double delayMs) {
        for (int i = 0; i < messages; i++) {
            long scheduledNs = timeline.nextNs();
            timeline.sent(scheduledNs);
            if (delayMs > 0) {
                timeline.returned(scheduledNs, scheduledNs + (long) (delayMs * MS));
            }
        }
    }

    @Test
    void partsHaveSeparateDelays() {
        send(100, 1);
        send(100, 7);
        DelayTimeline.Part first = timeline.part(START_NS, START_NS + 100 * MS);
        DelayTimeline.Part second = timeline.part(START_NS + 100 * MS, START_NS + 200 * MS);
        assertThat(first).isEqualTo(new DelayTimeline.Part(100, 0, 1, 1, 1));
        assertThat(second).isEqualTo(new DelayTimeline.Part(100, 0, 7, 7, 7));
        assertThat(timeline.hasAllUntil(START_NS + 200 * MS)).isTrue();
        assertThat(timeline.hasAllUntil(START_NS + 201 * MS)).isFalse();
    }

    @Test
    void lostMessagesCountAsInfinitelyLate() {
        send(97, 1);
        send(3, 0);
        DelayTimeline.Part part = timeline.part(START_NS, START_NS + 100 * MS);
        assertThat(part.lost()).isEqualTo(3);
        assertThat(part.p50Ms()).isEqualTo(1);
        assertThat(part.p99Ms()).isInfinite();
        assertThat(timeline.hasAllUntil(START_NS + 100 * MS)).isFalse();
    }

    @Test
    void delayBeginsWhenTheMessageIsSent() {
        long scheduledNs = timeline.nextNs();
        timeline.sent(scheduledNs + 5 * MS);
        timeline.returned(scheduledNs, scheduledNs + 7 * MS);
        assertThat(timeline.part(START_NS, START_NS + MS).maxMs()).isEqualTo(2);
    }

    @Test
    void secondEchoIsADuplicate() {
        send(1, 1);
        timeline.returned(START_NS, START_NS + 3);
        assertThat(timeline.duplicates()).isEqualTo(1);
    }

    @Test
    void outstandingMessagesWereSentAndNotYetEchoed() {
        send(10, 5.5);
        send(2, 0);
        assertThat(timeline.outstandingAt(START_NS + 4 * MS)).as("messages 0 to 3").isEqualTo(4);
        assertThat(timeline.outstandingAt(START_NS + 9 * MS)).as("messages 4 to 8").isEqualTo(5);
        assertThat(timeline.outstandingAt(START_NS + 100 * MS)).as("the two lost messages").isEqualTo(2);
        assertThat(timeline.returnedBetween(START_NS, START_NS + 7 * MS)).as("messages 0 and 1").isEqualTo(2);
        assertThat(timeline.returnedBetween(START_NS, START_NS + 100 * MS)).isEqualTo(10);
    }

    @Test
    void medianRecoversBeforeThe99thPercentile() {
        for (int i = 0; i < 500; i++) {
            send(1, 50);
        }
        for (int i = 0; i < 1_000; i++) {
            send(1, i % 10 == 0 ? 50 : 1);
        }
        assertThat(timeline.medianRecoverySeconds(START_NS, timeline.nextNs(), 1.5)).isEqualTo(0.5);
        assertThat(timeline.recoverySeconds(START_NS, timeline.nextNs(), 1.5)).isInfinite();
    }

    @Test
    void recoveryIsStartOfFirstSecondWithoutLongDelays() {
        send(600, 50);
        send(1_600, 1);
        assertThat(timeline.recoverySeconds(START_NS, timeline.nextNs(), 6)).isEqualTo(0.75);
        assertThat(timeline.recoverySeconds(START_NS, timeline.nextNs(), 60)).isZero();
        assertThat(timeline.recoverySeconds(START_NS, timeline.nextNs(), 0.5)).isInfinite();
    }
}
