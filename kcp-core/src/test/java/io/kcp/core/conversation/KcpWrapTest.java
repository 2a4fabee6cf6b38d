package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that numbers and times beyond 2^31 and 2^32 do not change the behaviour. */
class KcpWrapTest {

    private static final int MESSAGES = 300;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE - 100, Integer.MAX_VALUE, -100, -1})
    void segmentNumbersMayWrap(int firstSn) {
        assertSame(converse(KcpConfig.fast3(), 0, 0, firstSn), converse(KcpConfig.fast3(), 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE - 200, -200})
    void clockMayWrap(int startMs) {
        assertSame(converse(KcpConfig.fast3(), startMs, 0, 0), converse(KcpConfig.fast3(), 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE - 200, -200, 0x5EED5EED})
    void timestampsMayWrap(int timestampBase) {
        assertSame(converse(KcpConfig.fast3(), 0, timestampBase, 0), converse(KcpConfig.fast3(), 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource(CongestionAlgorithm.class)
    void allNumbersMayWrapTogether(CongestionAlgorithm algorithm) {
        KcpConfig config = KcpConfig.fast2().toBuilder().congestionControl(algorithm).writeDelay(true).ackNoDelay(false).build();
        assertSame(converse(config, -200, -100, -50), converse(config, 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource(CongestionAlgorithm.class)
    void clockMayStartAtAnyValue(CongestionAlgorithm algorithm) {
        KcpConfig config = KcpConfig.fast2().toBuilder().congestionControl(algorithm).build();
        assertSame(converse(config, -1_000_000_000, 0, 0), converse(config, 0, 0, 0));
    }

    @Test
    void windowProbesContinueAcrossTheWrap() {
        List<Integer> asked = new ArrayList<>();
        for (int startMs : new int[] {0, -1_000, Integer.MAX_VALUE - 1_000}) {
            DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3(), startMs, 0, 0, 0);
            driven.input(WireSegment.wins(0));
            driven.sendSmall(1);
            List<DrivenKcp.Sent> sent = driven.runFor(3_000);
            assertThat(sent).allMatch(each -> each.segment().cmd() == WireSegment.WASK);
            List<Integer> times = sent.stream().map(each -> each.atMs() - startMs).toList();
            asked.addAll(times);
            assertThat(times).containsExactly(500, 1_250, 2_375);
        }
        assertThat(asked).hasSize(9);
    }

    private static void assertSame(List<String> actual, List<String> expected) {
        for (int i = 0; i < Math.min(actual.size(), expected.size()); i++) {
            assertThat(actual.get(i)).as("segment %d", i).isEqualTo(expected.get(i));
        }
        assertThat(actual).hasSameSizeAs(expected);
    }

    /** Returns all segments of a two-way transfer over a path that loses every seventh datagram, with numbers relative to the start. */
    private List<String> converse(KcpConfig config, int startMs, int timestampBase, int firstSn) {
        DrivenKcp one = new DrivenKcp(leaks, config, startMs, timestampBase, firstSn, firstSn + 7);
        DrivenKcp other = new DrivenKcp(leaks, config, startMs, timestampBase, firstSn + 7, firstSn);
        DrivenPair pair = new DrivenPair(one, other, 15, number -> number % 7 == 3);
        one.flush();
        other.flush();
        for (int i = 0; i < MESSAGES; i++) {
            one.send(message(i));
            other.send(message(i + 1));
        }
        pair.runUntilIdle(60_000);
        assertThat(pair.receivedByOther()).hasSize(MESSAGES).element(MESSAGES - 1).isEqualTo(message(MESSAGES - 1));
        assertThat(pair.receivedByOne()).hasSize(MESSAGES).element(MESSAGES - 1).isEqualTo(message(MESSAGES));
        List<String> trace = new ArrayList<>();
        for (byte[] datagram : pair.datagrams()) {
            for (WireSegment segment : WireSegment.parse(datagram)) {
                boolean hasTime = segment.isPush() || segment.isAck();
                trace.add(segment.cmd() + " frg " + segment.frg() + " wnd " + segment.wnd() + " ts "
                    + (hasTime ? segment.ts() - timestampBase - startMs : 0) + " sn " + (hasTime ? segment.sn() - firstSn : 0)
                    + " una " + (segment.una() - firstSn) + " len " + segment.payload().length);
            }
        }
        return trace;
    }

    private static byte[] message(int number) {
        byte[] message = new byte[1 + number * 37 % 3_000];
        message[0] = (byte) number;
        return message;
    }
}
