package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.internal.handler.OpenSessionsSum;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class KcpListenerStatsTest {

    @Test
    void sumAddsAllCounters() {
        KcpListenerStats one =
            new KcpListenerStats(1, 2, 3, Map.of(KcpCloseReason.IDLE, 1L), 1, Map.of(DropReason.NOT_KCP, 4L, DropReason.FILTERED, 5L),
                6, 7, 8, 9, 10, 11, new KcpOpenSessions(1, 2, 3, 4, 5, List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L)),
                KcpStats.ZERO, FecStats.ZERO, List.of(new KcpSocketStats(1, 2, 3, 4, 5, 6)));
        KcpListenerStats two =
            new KcpListenerStats(10, 20, 30, Map.of(KcpCloseReason.IDLE, 2L, KcpCloseReason.FAILED, 3L), 2,
                Map.of(DropReason.NOT_KCP, 40L, DropReason.CLOSING, 50L), 60, 70, 80, 4, 7, 12,
                new KcpOpenSessions(10, 20, 30, 40, 3, List.of(1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L)), KcpStats.ZERO, FecStats.ZERO,
                List.of(new KcpSocketStats(10, 20, 30, 40, 50, 60)));
        KcpListenerStats sum = one.plus(two);
        assertThat(sum).isEqualTo(new KcpListenerStats(11, 22, 33, Map.of(KcpCloseReason.IDLE, 3L, KcpCloseReason.FAILED, 3L), 3,
            Map.of(DropReason.NOT_KCP, 44L, DropReason.FILTERED, 5L, DropReason.CLOSING, 50L), 66, 77, 88, 9, 10, 12,
            new KcpOpenSessions(11, 22, 33, 44, 5, List.of(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L)), KcpStats.ZERO, FecStats.ZERO,
            List.of(new KcpSocketStats(1, 2, 3, 4, 5, 6), new KcpSocketStats(10, 20, 30, 40, 50, 60))));
        assertThat(sum.receiveDrops()).isEqualTo(44);
        assertThat(sum.droppedTotal()).isEqualTo(99);
        assertThat(sum.closedByApplication()).as("opened, not open, and no reason").isEqualTo(22 - 11 - 6);
        assertThat(sum.plus(KcpListenerStats.ZERO)).isEqualTo(sum);
    }

    @Test
    void statisticsAreImmutable() {
        Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
        Map<KcpCloseReason, Long> closed = new EnumMap<>(KcpCloseReason.class);
        KcpListenerStats stats = new KcpListenerStats(0, 0, 0, closed, 0, dropped, 0, 0, 0, 0, 0, 0, KcpOpenSessions.NONE, KcpStats.ZERO,
            FecStats.ZERO, List.of());
        dropped.put(DropReason.NOT_KCP, 1L);
        closed.put(KcpCloseReason.IDLE, 1L);
        assertThat(stats.dropped()).isEmpty();
        assertThat(stats.closed()).isEmpty();
        assertThatThrownBy(() -> stats.dropped().put(DropReason.NOT_KCP, 1L)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void unmeasuredRoundTripsAreLeftOutOfTheSum() {
        OpenSessionsSum sum = new OpenSessionsSum();
        for (int rttMs : new int[] {0, 0, 1, 10, 11, 20, 1_000, 1_001, 60_000}) {
            sum.add(new KcpSessionStats(KcpStats.ZERO, rttMs, 0, 0, 0, 2, 100, 0, FecStats.ZERO));
        }
        KcpOpenSessions open = sum.result();
        assertThat(open.byRtt()).containsExactly(2L, 2L, 2L, 0L, 0L, 0L, 0L, 1L, 2L);
        assertThat(open.measured()).isEqualTo(7);
        assertThat(open.meanRttMs()).isEqualTo((1 + 10 + 11 + 20 + 1_000 + 1_001 + 60_000) / 7.0);
        assertThat(open.maxRttMs()).isEqualTo(60_000);
        assertThat(open.waitingSegments()).isEqualTo(18);
        assertThat(open.unacknowledgedBytes()).isEqualTo(900);
        assertThat(KcpOpenSessions.NONE.meanRttMs()).isZero();
        assertThatThrownBy(() -> new KcpOpenSessions(0, 0, 0, 0, 0, List.of())).hasMessageContaining("byRtt");
    }
}
