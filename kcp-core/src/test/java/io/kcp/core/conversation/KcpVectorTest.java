package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.internal.congestion.AckReport;
import io.kcp.core.internal.congestion.KcpGoCongestionControl;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares datagrams and timing with golden vectors that kcp-go produced with the same settings. */
class KcpVectorTest {

    private static final int MSS = 1376;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    // ---- Datagrams

    @Test
    void firstDatagramHasTheBytesOfKcpGo() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.kcpGoCompatible(), 5, 3_600_000, 0, 0);
        driven.flush();
        driven.send("hello".getBytes(StandardCharsets.US_ASCII));
        assertThat(flushToHex(driven)).containsExactly("443322115100200085ee360000000000000000000500000068656c6c6f");
    }

    @Test
    void secondDatagramHasTheBytesOfKcpGo() {
        DrivenKcp driven = new DrivenKcp(leaks, withoutCongestionControl(), 5, 3_600_000, 0, 0);
        driven.send("hello".getBytes(StandardCharsets.US_ASCII));
        driven.flush();
        driven.advance(5);
        driven.send("world!!".getBytes(StandardCharsets.US_ASCII));
        assertThat(flushToHex(driven)).containsExactly("44332211510020008aee3600010000000000000007000000776f726c642121");
    }

    // ---- Retransmission times

    static Stream<Arguments> backOffs() {
        Integer[] delay = {0, 200, 600, 1200, 2000, 3000, 4200, 5600, 7200, 9000, 11000};
        Integer[] noDelay = {0, 200, 500, 900, 1400, 2000, 2700, 3500, 4400, 5400, 6500};
        return Stream.of(
            Arguments.of("kcp-go's settings", withoutCongestionControl(), delay),
            Arguments.of("kcp-go's settings with nodelay", withoutCongestionControl().toBuilder().noDelay(true).build(), noDelay),
            Arguments.of("default of this library", KcpConfig.fast(), delay),
            Arguments.of("fast3 of this library", KcpConfig.fast3(), noDelay));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("backOffs")
    void segmentIsRetransmittedAtTheTimesOfKcpGo(String what, KcpConfig config, Integer[] times) {
        DrivenKcp driven = new DrivenKcp(leaks, config);
        driven.send(new byte[] {1});
        List<DrivenKcp.Sent> sent = driven.runUntil(times[times.length - 1]);
        assertThat(sent).extracting(DrivenKcp.Sent::atMs).containsExactly(times);
        assertThat(sent).allSatisfy(each -> {
            assertThat(each.segment().isPush()).isTrue();
            assertThat(each.segment().sn()).isZero();
            assertThat(each.segment().ts()).as("every transmission has a new ts").isEqualTo(each.atMs());
        });
    }

    @Test
    void twentiethTransmissionReachesTheLimit() {
        KcpConfig config = withoutCongestionControl().toBuilder().maxTransmissions(20).build();
        DrivenKcp driven = new DrivenKcp(leaks, config);
        driven.send(new byte[] {1});
        int transmissions = 0;
        while (transmissions < 25) {
            transmissions += driven.runFor(100).size();
            assertThat(driven.kcp.linkState(driven.nowMs())).as("after %d transmissions", transmissions)
                .isEqualTo(transmissions < 20 ? LinkState.ALIVE : LinkState.TRANSMISSIONS_EXHAUSTED);
        }
    }

    // ---- Window probe times

    @Test
    void closedWindowIsProbedAtTheTimesOfKcpGo() {
        Integer[] times = {500, 1250, 2380, 4070, 6600, 10400, 16100, 24640, 37450, 56660, 85480, 128710, 193550, 290800,
            410800, 530800, 650800};
        KcpConfig config = withoutCongestionControl().toBuilder().intervalMs(10).build();
        CapturedOutput output = new CapturedOutput(leaks.allocator(), 0);
        Kcp kcp = new Kcp(1, config, output, leaks.allocator(), 0, 0);
        leaks.atEnd(kcp::release);
        feed(kcp, WireSegment.wins(0).withConv(1).bytes(), 0);
        kcp.send(leaks.allocator().buffer(1).writeByte(1), 0);
        List<Integer> asked = new ArrayList<>();
        for (int now = 0; now <= 650_800; now += 10) {
            kcp.flush(now);
            for (byte[] datagram : output.take()) {
                assertThat(HexFormat.of().formatHex(datagram)).isEqualTo("010000005300200000000000000000000000000000000000");
                asked.add(now);
            }
        }
        assertThat(asked).containsExactly(times);
    }

    // ---- Acknowledgements

    @Test
    void acksCoveredByUnaAreOmittedLikeInKcpGo() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.kcpGoCompatible());
        byte[] payload = new byte[5];
        driven.input(WireSegment.push(0, 500, payload));
        driven.input(WireSegment.push(1, 501, payload));
        driven.input(WireSegment.push(3, 503, payload));
        assertThat(flushToHex(driven)).containsExactly("4433221152001e00f7010000030000000200000000000000");
        driven.kcp.reconfigure(driven.kcp.config().toBuilder().ackNoDelay(true).build());
        driven.input(WireSegment.push(2, 600, payload));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(flushToHex(driven)).containsExactly("4433221152001c0058020000020000000400000000000000");
        driven.input(WireSegment.wask());
        assertThat(flushToHex(driven)).containsExactly("4433221154001c0000000000000000000400000000000000");
    }

    // ---- Congestion window

    @Test
    void congestionWindowGrowsLikeInKcpGo() {
        int[][] rows = {
            {2, 2752}, {2, 3526}, {4, 4148}, {4, 4690}, {4, 5179}, {4, 5630}, {4, 6052}, {4, 6450}, {4, 6829}, {6, 7192},
            {6, 7541}, {6, 7878}, {6, 8204}, {6, 8520}, {6, 8828}, {6, 9128}, {6, 9421}, {8, 9707}};
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.kcpGoCompatible());
        KcpGoCongestionControl congestion = (KcpGoCongestionControl) driven.kcp.congestion();
        assertThat(driven.kcp.mssBytes()).isEqualTo(MSS);
        driven.sendSmall(32);
        assertThat(driven.flush()).as("the first flush opens the window and sends nothing").isEmpty();
        assertThat(driven.flush()).hasSize(1);
        for (int sn = 0; sn < rows.length; sn++) {
            driven.input(WireSegment.ack(sn, 0, sn + 1));
            assertThat(new int[] {congestion.spanLimit(), congestion.windowBytes()}).as("acknowledgement of %d", sn)
                .isEqualTo(rows[sn]);
            driven.flush();
        }
    }

    // ---- Early retransmission

    @Test
    void oneSkipRetransmitsImmediatelyWithoutFastResend() {
        DrivenKcp driven = fiveInFlight(0, CongestionAlgorithm.NONE);
        driven.input(WireSegment.ack(1, 0, 0));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("kcp-go retransmits the segment while it processes the input").isZero();
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0);
    }

    @ParameterizedTest
    @CsvSource({"2", "3"})
    void oneSkipRetransmitsAtTheNextIntervalWithFastResend(int fastResend) {
        DrivenKcp driven = fiveInFlight(fastResend, CongestionAlgorithm.NONE);
        driven.input(WireSegment.ack(1, 0, 0));
        List<DrivenKcp.Sent> sent = driven.runFor(10);
        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).segment().sn()).isZero();
        assertThat(driven.kcp.stats().earlyRetransmissions()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "2, 4", "3, 5"})
    void congestionWindowAfterASkipIsThatOfKcpGo(int fastResend, int window) {
        DrivenKcp driven = fiveInFlight(fastResend, CongestionAlgorithm.KCP_GO);
        KcpGoCongestionControl congestion = (KcpGoCongestionControl) driven.kcp.congestion();
        assertThat(congestion.spanLimit()).isEqualTo(10);
        driven.input(WireSegment.ack(1, 0, 0));
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0);
        assertThat(congestion.spanLimit()).isEqualTo(window);
        assertThat(congestion.threshold()).isEqualTo(2);
    }

    private DrivenKcp fiveInFlight(int fastResend, CongestionAlgorithm algorithm) {
        KcpConfig config = KcpConfig.kcpGoCompatible().toBuilder().noDelay(true, 10, fastResend, algorithm).build();
        DrivenKcp driven = new DrivenKcp(leaks, config);
        driven.flush();
        AckReport report = new AckReport();
        report.unaAdvanced = true;
        report.remoteWindow = 10;
        report.mssBytes = MSS;
        for (int i = 0; i < 100; i++) {
            driven.kcp.congestion().onAcknowledged(report);
        }
        driven.sendSmall(5);
        assertThat(driven.flush()).hasSize(5);
        driven.advance(20);
        return driven;
    }

    private static KcpConfig withoutCongestionControl() {
        return KcpConfig.kcpGoCompatible().toBuilder().congestionControl(CongestionAlgorithm.NONE).build();
    }

    private static List<String> flushToHex(DrivenKcp driven) {
        driven.kcp.flush(driven.nowMs());
        return driven.output.take().stream().map(HexFormat.of()::formatHex).toList();
    }

    private void feed(Kcp kcp, byte[] datagram, int nowMs) {
        ByteBuf buffer = leaks.allocator().buffer(64).writeBytes(datagram);
        assertThat(kcp.input(buffer, false, nowMs)).isEqualTo(InputResult.ACCEPTED);
        buffer.release();
    }
}
