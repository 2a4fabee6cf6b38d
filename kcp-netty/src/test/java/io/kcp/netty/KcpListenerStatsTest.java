package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class KcpListenerStatsTest {

    @Test
    void sumAddsEverythingUp() {
        KcpListenerStats one =
            new KcpListenerStats(1, 2, 3, Map.of(DropReason.NOT_KCP, 4L, DropReason.FILTERED, 5L), 6, 7, 8, 9,
                KcpStats.ZERO, FecStats.ZERO);
        KcpListenerStats two =
            new KcpListenerStats(10, 20, 30, Map.of(DropReason.NOT_KCP, 40L, DropReason.CLOSING, 50L), 60, 70, 80, 4,
                KcpStats.ZERO, FecStats.ZERO);
        KcpListenerStats sum = one.plus(two);
        assertThat(sum).isEqualTo(new KcpListenerStats(11, 22, 33,
            Map.of(DropReason.NOT_KCP, 44L, DropReason.FILTERED, 5L, DropReason.CLOSING, 50L), 66, 77, 88, 9,
            KcpStats.ZERO, FecStats.ZERO));
        assertThat(sum.droppedTotal()).isEqualTo(99);
        assertThat(sum.plus(KcpListenerStats.ZERO)).isEqualTo(sum);
    }

    @Test
    void figuresDoNotChangeAfterwards() {
        Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
        KcpListenerStats stats = new KcpListenerStats(0, 0, 0, dropped, 0, 0, 0, 0, KcpStats.ZERO, FecStats.ZERO);
        dropped.put(DropReason.NOT_KCP, 1L);
        assertThat(stats.dropped()).isEmpty();
        assertThatThrownBy(() -> stats.dropped().put(DropReason.NOT_KCP, 1L)).isInstanceOf(UnsupportedOperationException.class);
    }
}
