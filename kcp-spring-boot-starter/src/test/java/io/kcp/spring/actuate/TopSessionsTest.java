package io.kcp.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.KcpSessionView;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TopSessionsTest {

    private static KcpSessionView view(long bytesSent, long bytesReceived, long segmentsOut, long retransmissions, int rttMs) {
        KcpStats counters = new KcpStats(bytesSent, bytesReceived, 0, 0, 0, segmentsOut, 0, 0, retransmissions,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        return new KcpSessionView(null, 0, new KcpSessionStats(counters, rttMs, 0, 0, 0, 0, 0, 0, FecStats.ZERO));
    }

    @Test
    void keepsLargestInDescendingOrder() {
        long seed = 7;
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<KcpSessionView> views = IntStream.range(0, 1_000).mapToObj(i -> view(random.nextLong(1 << 20), random.nextLong(1 << 20), 1_000,
            random.nextLong(1_000), random.nextInt(1_000_000))).toList();
        TopSessions top = new TopSessions(25);
        views.forEach(top::add);
        assertThat(top.mostBytes()).extracting(view -> view.stats().counters().bytesSent() + view.stats().counters().bytesReceived())
            .containsExactlyElementsOf(views.stream().map(view -> view.stats().counters().bytesSent()
                + view.stats().counters().bytesReceived()).sorted((one, two) -> Long.compare(two, one)).limit(25).toList());
        assertThat(top.mostRetransmissions()).extracting(TopSessions::retransmissionShare).containsExactlyElementsOf(
            views.stream().map(TopSessions::retransmissionShare).sorted((one, two) -> Double.compare(two, one)).limit(25).toList());
        assertThat(top.longestRoundTrips()).extracting(view -> view.stats().smoothedRttMs()).containsExactlyElementsOf(
            views.stream().map(view -> view.stats().smoothedRttMs()).sorted((one, two) -> Integer.compare(two, one)).limit(25).toList());
    }

    @Test
    void retransmissionShareWithoutSegmentsIsZero() {
        assertThat(TopSessions.retransmissionShare(view(0, 0, 0, 0, 0))).isZero();
        assertThat(TopSessions.retransmissionShare(view(0, 0, 8, 2, 0))).isEqualTo(0.25, within(1e-9));
    }

    @Test
    void limitZeroKeepsNothing() {
        TopSessions top = new TopSessions(0);
        top.add(view(1, 1, 1, 1, 1));
        assertThat(top.mostBytes()).isEmpty();
        assertThat(top.longestRoundTrips()).isEmpty();
    }
}
