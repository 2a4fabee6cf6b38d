package io.kcp.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.MtuProbeOutput;
import io.kcp.core.PathProof;
import io.kcp.core.conversation.CapturedOutput;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Probes search for a larger MTU, and only the peer that has received a probe can acknowledge it. */
class MtuSearchTest {

    private static final int HEADER_BYTES = 24;
    private static final int CONFIGURED_BYTES = 1_400;
    private static final int LIMIT_BYTES = 1_500;
    private static final int FIRST_PROBE_BYTES = 1_464;
    private static final int ROUND_TRIP_MS = 50;
    private static final KcpConfig CONFIG = KcpConfig.fast3();
    private static final KcpConfig SEARCHING = CONFIG.toBuilder().mtuSearchLimitBytes(LIMIT_BYTES).build();
    private static final int BASE = 0x5EED5EED;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp driven = new DrivenKcp(leaks, CONFIG, 0, BASE, 0, 0);
    private final CapturedOutput.Probes probes = driven.output.permitProbes();
    private int nextSn;

    private void search() {
        driven.kcp.reconfigure(SEARCHING);
        sendAndAcknowledge();
    }

    /** Sends one small segment, which is acknowledged after one round trip. */
    private void sendAndAcknowledge() {
        driven.sendSmall(1);
        WireSegment sent = driven.flush().stream().filter(WireSegment::isPush).findFirst().orElseThrow();
        driven.advance(ROUND_TRIP_MS);
        driven.input(WireSegment.ack(sent.sn(), sent.ts(), sent.sn() + 1));
        nextSn = sent.sn() + 1;
        driven.flush();
    }

    private List<WireSegment> nextProbe() {
        sendAndAcknowledge();
        List<byte[]> sent = probes.take();
        assertThat(sent).hasSize(1);
        return parse(sent.get(0));
    }

    /** Sends data for some time and returns the sizes of the probes. */
    private List<Integer> probeSizes(int ms) {
        List<Integer> sizes = new ArrayList<>();
        for (int end = driven.nowMs() + ms; end - driven.nowMs() > 0;) {
            sendAndAcknowledge();
            driven.advance(ROUND_TRIP_MS);
            probes.take().forEach(probe -> sizes.add(probe.length));
        }
        return sizes;
    }

    private static List<WireSegment> parse(byte[] probe) {
        return WireSegment.parse(probe);
    }

    private WireSegment answer(WireSegment probe) {
        return WireSegment.ack(probe.sn(), probe.ts(), nextSn);
    }

    private void acknowledge(List<WireSegment> probe) {
        driven.input(answer(last(probe)));
        driven.flush();
    }

    /** Returns the segment whose acknowledgement proves that the path has delivered the probe. */
    private static WireSegment last(List<WireSegment> probe) {
        return probe.get(probe.size() - 1);
    }

    private int mtuBytes() {
        return driven.kcp.mssBytes() + HEADER_BYTES;
    }

    // ---- the probe

    @Test
    void probeConsistsOfSegmentsThatEveryPeerDiscards() {
        search();
        sendAndAcknowledge();
        byte[] probe = probes.take().get(0);
        assertThat(probe).hasSize(FIRST_PROBE_BYTES);
        List<WireSegment> segments = parse(probe);
        assertThat(segments.get(0).cmd()).isEqualTo(WireSegment.WASK);
        assertThat(segments.subList(1, segments.size())).hasSize(60).allSatisfy(segment -> {
            assertThat(segment.isPush()).isTrue();
            assertThat(nextSn - segment.sn()).isBetween(1 << 19, 1 << 30);
        });
        assertThat(nextSn - last(segments).sn()).isBetween(1 << 20, 1 << 30);
    }

    /** A kernel discards the end of a datagram that exceeds the read buffer of its receiver. */
    @Test
    void acknowledgementsOfATruncatedProbeRaiseNothing() {
        search();
        sendAndAcknowledge();
        byte[] probe = probes.take().get(0);
        for (int bytes = 1; bytes < probe.length; bytes++) {
            readProbe(Arrays.copyOf(probe, bytes));
            assertThat(mtuBytes()).as("after " + bytes + " bytes of the probe").isEqualTo(CONFIGURED_BYTES);
        }
        readProbe(probe);
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_400, 1_401, 1_431, 1_432, 1_471, 1_472, 1_499})
    void mtuNeverExceedsTheReadBufferOfThePeer(int bufferBytes) {
        search();
        for (int i = 0; i < 400; i++) {
            sendAndAcknowledge();
            for (byte[] probe : probes.take()) {
                readProbe(Arrays.copyOf(probe, Math.min(probe.length, bufferBytes)));
            }
        }
        assertThat(mtuBytes()).isBetween(bufferBytes - 32, bufferBytes);
    }

    /** Passes the acknowledgements of a peer that reads these bytes of a probe to the searching side. */
    private void readProbe(byte[] bytes) {
        SegmentPool pool = new SegmentPool(leaks.allocator());
        CapturedOutput output = new CapturedOutput(leaks.allocator(), 0);
        Kcp peer = DrivenKcp.create(CONFIG, output, pool, 0, nextSn);
        ByteBuf datagram = driven.buffer(bytes);
        peer.input(datagram, false, 0);
        datagram.release();
        peer.flush(0);
        output.take().forEach(driven::inputBytes);
        peer.release();
        driven.flush();
    }

    @Test
    void searchIsOffByDefault() {
        sendAndAcknowledge();
        assertThat(probeSizes(10_000)).isEmpty();
        assertThat(CONFIG.mtuSearchLimitBytes()).isZero();
    }

    @Test
    void searchRequiresAnOutputThatForbidsFragmentation() {
        DrivenKcp other = new DrivenKcp(leaks, SEARCHING);
        other.sendSmall(1);
        other.flush();
        other.advance(ROUND_TRIP_MS);
        other.input(WireSegment.ack(0, 0, 1));
        other.sendSmall(1);
        other.flush();
        assertThat(other.kcp.stats().mtuProbes()).isZero();
    }

    @Test
    void searchRequiresTheFallback() {
        driven.kcp.reconfigure(SEARCHING.toBuilder().mtuFallback(false).build());
        assertThat(probeSizes(10_000)).isEmpty();
    }

    @Test
    void acknowledgedProbeRaisesTheMtu() {
        search();
        acknowledge(nextProbe());
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
        assertThat(driven.kcp.stats().mtuIncreases()).isEqualTo(1);
        driven.send(new byte[2 * FIRST_PROBE_BYTES]);
        assertThat(driven.flush().get(0).payload()).hasSize(FIRST_PROBE_BYTES - HEADER_BYTES);
    }

    @Test
    void queuedSegmentsKeepTheirSize() {
        search();
        List<WireSegment> probe = nextProbe();
        driven.send(new byte[2 * CONFIGURED_BYTES]);
        acknowledge(probe);
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
        driven.send(new byte[FIRST_PROBE_BYTES - HEADER_BYTES]);
        assertThat(driven.flush()).extracting(segment -> segment.payload().length).contains(FIRST_PROBE_BYTES - HEADER_BYTES);
    }

    @Test
    void searchFindsTheLargestSizeThatThePathDelivers() {
        search();
        for (int i = 0; i < 400; i++) {
            sendAndAcknowledge();
            for (byte[] probe : probes.take()) {
                if (probe.length <= 1_472) {
                    acknowledge(parse(probe));
                }
            }
        }
        assertThat(mtuBytes()).isEqualTo(1_472);
        assertThat(driven.kcp.stats().mtuProbes()).isEqualTo(2 + MtuSearch.MAX_PROBES);
        assertThat(driven.kcp.stats().retransmissions()).isZero();
    }

    // ---- when probes are sent

    @Test
    void lostProbeIsRepeatedBeforeASmallerSizeIsTried() {
        search();
        List<Integer> sizes = probeSizes(30_000);
        assertThat(sizes).startsWith(1_464, 1_464, 1_464, 1_444, 1_444, 1_444, 1_432, 1_432, 1_432, 1_420, 1_420, 1_420).hasSize(12);
        assertThat(mtuBytes()).isEqualTo(CONFIGURED_BYTES);
    }

    @Test
    void searchIsRepeatedAfterTenMinutes() {
        search();
        probeSizes(30_000);
        assertThat(probeSizes(MtuSearch.SEARCH_INTERVAL_MS - 60_000)).isEmpty();
        assertThat(probeSizes(60_000)).startsWith(FIRST_PROBE_BYTES);
    }

    @Test
    void idleSessionSendsNoProbe() {
        search();
        probes.take();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        driven.runFor(2 * MtuSearch.SEARCH_INTERVAL_MS);
        assertThat(probes.take()).isEmpty();
    }

    @Test
    void outageIsNotALostProbe() {
        search();
        nextProbe();
        driven.sendSmall(1);
        driven.runFor(25_000);
        assertThat(driven.kcp.stats().timeoutRetransmissions()).isPositive();
        assertThat(probes.take()).isEmpty();
    }

    @Test
    void sizeThatTheKernelRefusesIsTooLarge() {
        search();
        probes.result = MtuProbeOutput.Result.TOO_LARGE;
        assertThat(probeSizes(5_000)).containsExactly(1_464, 1_444, 1_432, 1_420);
        assertThat(driven.kcp.stats().mtuProbes()).isZero();
    }

    @Test
    void probeThatWasNotSentIsRepeated() {
        search();
        probes.result = MtuProbeOutput.Result.NOT_SENT;
        assertThat(probeSizes(5_000)).containsOnly(FIRST_PROBE_BYTES).hasSizeBetween(2, 3);
        assertThat(probeSizes(600_000)).hasSizeLessThan(10);
        probes.result = MtuProbeOutput.Result.SENT;
        assertThat(probeSizes(600_000)).startsWith(FIRST_PROBE_BYTES);
    }

    @Test
    void unvalidatedPeerIsNotProbed() {
        DrivenKcp limited = DrivenKcp.limited(leaks, CONFIG, BASE, 0, 0);
        CapturedOutput.Probes unsent = limited.output.permitProbes();
        limited.kcp.reconfigure(SEARCHING);
        limited.input(WireSegment.push(0, 1, new byte[1_000]));
        limited.sendSmall(1);
        limited.flush();
        limited.advance(ROUND_TRIP_MS);
        limited.sendSmall(1);
        limited.flush();
        assertThat(limited.kcp.amplificationLimit().isActive()).isTrue();
        assertThat(unsent.take()).isEmpty();
    }

    // ---- attackers

    @Test
    void guessedAcknowledgementRaisesNothing() {
        search();
        WireSegment probe = last(nextProbe());
        for (int guess = 1; guess < 10_000; guess++) {
            // A hostile peer knows the clock of this side, and an attacker off the path does not.
            driven.input(WireSegment.ack(nextSn - (1 << 20) - guess, probe.ts(), nextSn));
            driven.input(WireSegment.ack(probe.sn(), probe.ts() + guess, nextSn));
        }
        driven.input(WireSegment.ack(nextSn - 1, probe.ts(), nextSn), WireSegment.wins(128).withUna(nextSn));
        driven.flush();
        assertThat(mtuBytes()).isEqualTo(CONFIGURED_BYTES);
        acknowledge(List.of(probe, probe));
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
    }

    @Test
    void replayedAcknowledgementRaisesNothing() {
        search();
        List<WireSegment> first = nextProbe();
        acknowledge(first);
        List<WireSegment> second = nextProbe();
        assertThat(last(second).sn()).isNotEqualTo(last(first).sn());
        acknowledge(first);
        acknowledge(first);
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
    }

    @Test
    void numbersOfProbesAreUnpredictable() {
        search();
        List<Integer> distances = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            sendAndAcknowledge();
            driven.advance(MtuSearch.MIN_TIMEOUT_MS);
            for (byte[] probe : probes.take()) {
                distances.add(nextSn - last(parse(probe)).sn());
            }
        }
        assertThat(distances).hasSizeGreaterThan(9).doesNotHaveDuplicates();
        int setBits = 0;
        int clearBits = 0;
        for (int distance : distances) {
            setBits |= distance;
            clearBits |= ~distance;
        }
        assertThat(Integer.bitCount(setBits & clearBits & (1 << 29) - 1)).as("random bits").isGreaterThan(26);
    }

    /** A peer, or a device on the path, that acknowledges probes which the path did not deliver. */
    @Test
    void acknowledgedButUndeliverableSizesDoNotOscillate() {
        search();
        int probesBefore = 0;
        int increases = 0;
        for (int tenMinutes = 0; tenMinutes < 20; tenMinutes++) {
            for (int i = 0; i < 100; i++) {
                sendAndAcknowledge();
                for (byte[] probe : probes.take()) {
                    acknowledge(parse(probe));
                    probesBefore++;
                }
                driven.advance(MtuSearch.SEARCH_INTERVAL_MS / 100 - ROUND_TRIP_MS);
            }
            if (mtuBytes() > KcpConfig.FALLBACK_MTU_BYTES) {
                increases++;
                driven.kcp.onDatagramTooLarge();
                driven.flush();
                assertThat(mtuBytes()).isEqualTo(KcpConfig.FALLBACK_MTU_BYTES);
            }
        }
        assertThat(increases).isEqualTo(MtuSearch.MAX_REDUCTIONS);
        assertThat(driven.kcp.stats().mtuReductions()).isEqualTo(MtuSearch.MAX_REDUCTIONS);
        assertThat(probesBefore).isLessThan(15);
    }

    // ---- changes

    @Test
    void reducedMtuIsRaisedAfterTenMinutes() {
        search();
        driven.kcp.onDatagramTooLarge();
        driven.flush();
        probes.take();
        assertThat(mtuBytes()).isEqualTo(KcpConfig.FALLBACK_MTU_BYTES);
        assertThat(probeSizes(MtuSearch.SEARCH_INTERVAL_MS - 10_000)).isEmpty();
        for (int i = 0; i < 400; i++) {
            sendAndAcknowledge();
            for (byte[] probe : probes.take()) {
                acknowledge(parse(probe));
            }
        }
        assertThat(mtuBytes()).isEqualTo(LIMIT_BYTES);
    }

    @Test
    void changedPathStartsWithTheConfiguredMtu() {
        search();
        List<WireSegment> probe = nextProbe();
        acknowledge(probe);
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
        driven.kcp.path().onMoved(driven.nowMs());
        driven.flush();
        assertThat(mtuBytes()).isEqualTo(CONFIGURED_BYTES);
        acknowledge(probe);
        assertThat(mtuBytes()).isEqualTo(CONFIGURED_BYTES);
        sendAndAcknowledge();
        assertThat(nextProbe()).hasSize(FIRST_PROBE_BYTES / HEADER_BYTES);
    }

    @Test
    void lateProbeAcknowledgementIsNoWrongAnswerToAChallenge() {
        search();
        WireSegment probe = last(nextProbe());
        driven.kcp.path().challenge(driven.nowMs(), 7);
        driven.flush();
        ByteBuf answer = driven.buffer(answer(probe).bytes());
        assertThat(driven.kcp.path().examineAnswer(answer)).isEqualTo(PathProof.NONE);
        answer.release();
    }

    @Test
    void otherSettingsKeepTheMtu() {
        search();
        acknowledge(nextProbe());
        driven.kcp.reconfigure(SEARCHING.toBuilder().sendWindow(64).build());
        assertThat(mtuBytes()).isEqualTo(FIRST_PROBE_BYTES);
        driven.kcp.reconfigure(CONFIG);
        assertThat(mtuBytes()).isEqualTo(CONFIGURED_BYTES);
    }

    // ---- the side that receives a probe

    @Test
    void probeIsAcknowledgedEvenIfDataFollows() {
        search();
        nextProbe();
        sendAndAcknowledge();
        driven.advance(MtuSearch.MIN_TIMEOUT_MS);
        sendAndAcknowledge();
        byte[] datagram = probes.take().get(0);
        DrivenKcp receiver = new DrivenKcp(leaks, CONFIG);
        for (int sn = 0; sn < 10; sn++) {
            receiver.input(WireSegment.push(sn, sn, new byte[10]));
        }
        assertThat(receiver.inputBytes(datagram)).isEqualTo(InputResult.ACCEPTED);
        receiver.input(WireSegment.push(10, 10, new byte[10]));
        WireSegment probe = last(parse(datagram));
        List<WireSegment> acknowledgements = receiver.flush().stream().filter(WireSegment::isAck).toList();
        assertThat(acknowledgements).extracting(WireSegment::sn).endsWith(probe.sn(), 10).hasSize(3);
        assertThat(acknowledgements.get(1).ts()).isEqualTo(probe.ts());
        assertThat(receiver.receiveAll()).hasSize(11);
    }
}
