package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KcpPacingTest {

    private static final int SEGMENT_BYTES = 1_000;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private static KcpConfig config(int bytesPerSecond) {
        return KcpConfig.fast3().toBuilder().windows(4_096).maxBytesPerSecond(bytesPerSecond).deadPeerTimeoutMs(0).minRtoMs(60_000)
            .build();
    }

    private static void acknowledge(DrivenKcp driven, int sn) {
        driven.input(WireSegment.ack(sn, driven.nowMs(), sn + 1).withWnd(4_096));
    }

    private static int bytes(WireSegment segment) {
        return SegmentHeader.LENGTH + segment.payload().length;
    }

    /** Sends segments for a period, acknowledges each one immediately, and returns the times of their transmission. */
    private List<DrivenKcp.Sent> sendFor(DrivenKcp driven, int endMs) {
        List<DrivenKcp.Sent> all = new ArrayList<>();
        driven.input(WireSegment.wins(4_096));
        while (driven.nowMs() < endMs) {
            while (driven.kcp.waitingSegments() < 100) {
                driven.send(new byte[SEGMENT_BYTES - SegmentHeader.LENGTH]);
            }
            driven.advance(Math.max(1, driven.kcp.nextDeadline(driven.nowMs())));
            for (WireSegment segment : driven.flush()) {
                all.add(new DrivenKcp.Sent(driven.nowMs(), segment));
                acknowledge(driven, segment.sn());
            }
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 33_333, 1_000_000, 20_000_000})
    @Tag("slow")
    void rateIsReachedAndNotExceeded(int bytesPerSecond) {
        DrivenKcp driven = new DrivenKcp(leaks, config(bytesPerSecond));
        int seconds = bytesPerSecond < 10_000 ? 60 : 4;
        List<DrivenKcp.Sent> sent = sendFor(driven, seconds * 1_000);
        long bytes = sent.stream().mapToLong(each -> bytes(each.segment())).sum();
        long allowed = (long) bytesPerSecond * seconds;
        assertThat(bytes).isBetween(allowed * 98 / 100 - SEGMENT_BYTES, allowed + allowed / 100 + 3 * SEGMENT_BYTES);
    }

    @Test
    void segmentsAreSpreadOverTheSecond() {
        DrivenKcp driven = new DrivenKcp(leaks, config(1_000_000));
        List<DrivenKcp.Sent> sent = sendFor(driven, 2_000);
        int most = 0;
        for (int fromMs = 0; fromMs < 1_990; fromMs++) {
            int from = fromMs;
            most = Math.max(most, (int) sent.stream().filter(each -> each.atMs() >= from && each.atMs() < from + 10).count());
        }
        assertThat(most).as("segments of 1,000 bytes in any 10 ms of 1 MB/s").isBetween(10, 19);
    }

    @Test
    void retransmissionsCount() {
        DrivenKcp driven = new DrivenKcp(leaks, config(10_000).toBuilder().minRtoMs(100).backoffLimitMs(100).build());
        driven.input(WireSegment.wins(4_096));
        for (int i = 0; i < 50; i++) {
            driven.send(new byte[SEGMENT_BYTES - SegmentHeader.LENGTH]);
        }
        List<DrivenKcp.Sent> sent = driven.runFor(5_000);
        assertThat(sent).as("none is acknowledged").hasSizeBetween(48, 53);
    }

    @Test
    void acknowledgementsAreNotPaced() {
        DrivenKcp driven = new DrivenKcp(leaks, config(1_000));
        driven.input(WireSegment.wins(4_096));
        for (int i = 0; i < 10; i++) {
            driven.send(new byte[SEGMENT_BYTES]);
        }
        driven.flush();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isPositive();
        driven.input(WireSegment.push(0, 0, new byte[10]));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).extracting(WireSegment::cmd).containsExactly(SegmentHeader.CMD_ACK);
    }

    @Test
    void rateMayChangeOnLiveConversation() {
        DrivenKcp driven = new DrivenKcp(leaks, config(0));
        driven.input(WireSegment.wins(4_096));
        driven.kcp.reconfigure(config(1_000));
        for (int i = 0; i < 20; i++) {
            driven.send(new byte[SEGMENT_BYTES]);
        }
        assertThat(driven.flush()).hasSizeLessThan(3);
        driven.kcp.reconfigure(config(0));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).hasSizeGreaterThan(17);
    }

    @Test
    void tooLowRateIsRejected() {
        assertThatThrownBy(() -> KcpConfig.builder().maxBytesPerSecond(999)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("maxBytesPerSecond: 999");
        assertThat(KcpConfig.builder().maxBytesPerSecond(0).build().maxBytesPerSecond()).isZero();
    }

    @Test
    void flushReturnsTrueIfLimited() {
        DrivenKcp driven = new DrivenKcp(leaks, config(0));
        driven.input(WireSegment.wins(4_096));
        driven.sendSmall(25);
        assertThat(driven.kcp.flush(driven.nowMs(), 10)).isTrue();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("another flush is due immediately").isZero();
        assertThat(driven.kcp.flush(driven.nowMs(), 10)).isTrue();
        assertThat(driven.kcp.flush(driven.nowMs(), 5)).as("the limit equals the remaining segments").isFalse();
        assertThat(driven.kcp.flush(driven.nowMs(), 10)).isFalse();
        assertThat(driven.output.take().stream().flatMap(each -> WireSegment.parse(each).stream())).hasSize(25);
        driven.sendSmall(5_000);
        assertThat(driven.kcp.flush(driven.nowMs(), 4_070)).as("the send window also limits the flush").isTrue();
        assertThat(driven.kcp.flush(driven.nowMs(), 1)).isFalse();
        driven.output.take();
    }
}
