package io.kcp.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RttProbeTest {

    private static final long RTT_US = 50_000;
    private static final long STALE_US = MinRoundTrip.WINDOW_US + 1_000_000;
    private static final int WINDOW_BYTES = 10_000;

    private final PathDelay delay = new PathDelay();
    private final RttProbe probe = new RttProbe(delay);

    private void round(long rttUs, long timeUs) {
        delay.onSample(rttUs, timeUs);
        delay.onSample(rttUs, timeUs);
        probe.onRoundEnd(true);
        delay.onRoundEnd();
    }

    @Test
    void measurementStartsWhenTheFlightIsSmall() {
        delay.onSample(RTT_US, 0);
        assertThat(probe.begin(1_000_000)).isFalse();
        assertThat(probe.begin(STALE_US)).isTrue();
        delay.onSample(2 * RTT_US, STALE_US);
        assertThat(probe.begins(WINDOW_BYTES + 1, WINDOW_BYTES)).isFalse();
        assertThat(probe.ends(300_000, 3, STALE_US + 300_000)).as("data of this sender is still in the queue").isFalse();
        assertThat(probe.begins(WINDOW_BYTES, WINDOW_BYTES)).isTrue();
        delay.onSample(3 * RTT_US, STALE_US + 400_000);
        assertThat(probe.ends(199_999, 1, STALE_US + 500_000)).isFalse();
        assertThat(probe.ends(200_000, 1, STALE_US + 500_000)).isTrue();
        assertThat(delay.minimumUs()).as("only samples of the small flight count").isEqualTo(3 * RTT_US);
    }

    @Test
    void senderJoinsTheProbeOfAnotherSender() {
        round(RTT_US, 0);
        round(2 * RTT_US, 6_000_000);
        assertThat(probe.begin(6_000_000)).isFalse();
        round(2 * RTT_US - RTT_US / 5, 6_100_000);
        assertThat(probe.begin(6_100_000)).as("the queue has become shorter").isTrue();
        round(2 * RTT_US, 7_000_000);
        round(RTT_US, 7_100_000);
        assertThat(probe.begin(7_100_000)).as("a probe was made less than 5 s ago").isFalse();
    }
}
