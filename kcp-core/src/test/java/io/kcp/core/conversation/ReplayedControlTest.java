package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that replayed datagrams do not keep a dead peer alive, and that a live peer stays alive. The replayed datagrams are exact copies of
 * datagrams that the peer sent before, so a cipher does not prevent the attack.
 */
class ReplayedControlTest {

    private static final int KEEPALIVE_MS = 25_000;
    private static final int GONE_AFTER_SECONDS = 62;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final KcpConfig config = KcpConfig.fast3();
    private final DrivenKcp victim = new DrivenKcp(leaks, config, 0, 0x5EED5EED, 0, 0);
    private final DrivenKcp peer = new DrivenKcp(leaks, config, 0, 0x0DDBA11, 0, 0);
    /** All datagrams that have reached the victim. */
    private final List<byte[]> recorded = new ArrayList<>();

    // ---- attacks

    enum Kind {
        WASK(WireSegment.WASK), WINS(WireSegment.WINS), ACK(WireSegment.ACK), DUPLICATE_PUSH(WireSegment.PUSH);

        final int cmd;

        Kind(int cmd) {
            this.cmd = cmd;
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void replaysDoNotKeepAnIdleSessionAlive(Kind kind) {
        talkAndAsk(20);
        byte[] last = lastOf(kind);
        assertThat(secondsAlive(100, second -> List.of(last))).isLessThan(GONE_AFTER_SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void replaysDoNotKeepASessionWithDataAlive(Kind kind) {
        talkAndAsk(20);
        byte[] last = lastOf(kind);
        victim.sendSmall(3);
        assertThat(secondsAlive(100, second -> List.of(last))).isLessThan(GONE_AFTER_SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void replaysWithoutProbesDoNotKeepASessionAlive(Kind kind) {
        talk(20);
        byte[] forged = switch (kind) {
            case WASK -> WireSegment.wask().withUna(20).bytes();
            case WINS -> WireSegment.wins(128).withUna(20).bytes();
            case ACK, DUPLICATE_PUSH -> lastOf(kind);
        };
        assertThat(secondsAlive(100, second -> List.of(forged))).isLessThan(GONE_AFTER_SECONDS);
    }

    @Test
    void pushOutsideTheWindowDoesNotKeepASessionAlive() {
        talkAndAsk(20);
        byte[] outside = WireSegment.push(5_000, 99, new byte[] {1}).withUna(20).bytes();
        assertThat(secondsAlive(100, second -> List.of(outside))).isLessThan(GONE_AFTER_SECONDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void rotatingReplaysDoNotKeepASessionAlive(int perSecond) {
        while (recorded.size() < 1_000) {
            talkAndAsk(20);
        }
        List<byte[]> all = List.copyOf(recorded.subList(recorded.size() - 1_000, recorded.size()));
        assertThat(secondsAlive(2_100, second -> Stream.iterate(0, i -> i < perSecond, i -> i + 1)
            .map(i -> all.get((second * perSecond + i) % all.size())).toList())).isLessThan(GONE_AFTER_SECONDS);
    }

    @Test
    void replaysDoNotKeepAStalledSessionAlive() {
        talkAndAsk(20);
        victim.input(WireSegment.wins(0).withUna(victim.kcp.waitingSegments() == 0 ? 20 : 0));
        victim.sendSmall(3);
        assertThat(victim.kcp.remoteWindow()).isZero();
        byte[] closed = WireSegment.wins(0).withUna(20).bytes();
        assertThat(secondsAlive(59, second -> List.of(closed))).isLessThan(40);
    }

    @Test
    void replaysAfterInactivityCauseFewRetransmissions() {
        talkAndAsk(20);
        victim.send(new byte[1_000]);
        victim.runFor(5_000);
        byte[] wask = lastOf(Kind.WASK);
        List<DrivenKcp.Sent> sent = new ArrayList<>();
        for (int ms = 0; ms < 10_000; ms++) {
            victim.inputBytes(wask);
            sent.addAll(victim.runFor(1));
        }
        assertThat(sent).filteredOn(each -> each.segment().payload().length > 0).hasSizeLessThan(100);
        assertThat(sent).filteredOn(each -> each.segment().cmd() == WireSegment.WASK).hasSizeLessThan(5);
    }

    // ---- live sessions

    @Test
    void keepaliveOfOneSideKeepsBothAlive() {
        talk(20);
        for (int second = 1; second <= 600; second++) {
            if (second % 10 == 0) {
                peer.kcp.ping(peer.nowMs());
            }
            pass(1_000, datagram -> false);
            assertThat(victim.kcp.inactiveMs(victim.nowMs())).isLessThan(12_000);
            assertThat(peer.kcp.inactiveMs(peer.nowMs())).isLessThan(12_000);
        }
        assertAlive();
    }

    @Test
    void peerThatOnlySendsWindowProbesStaysAlive() {
        talk(20);
        for (int second = 1; second <= 600; second++) {
            if (second % 10 == 0) {
                victim.input(WireSegment.wask().withUna(20).withWnd(128));
            }
            pass(1_000, datagram -> false);
            assertThat(victim.kcp.inactiveMs(victim.nowMs())).isLessThan(12_000);
        }
        assertAlive();
    }

    @Test
    void peerThatOnlyRespondsStaysAlive() {
        talk(20);
        assertThat(keepAliveFor(3_600, datagram -> false)).isTrue();
    }

    @Test
    void peerThatWasNeverSentAnythingStaysAlive() {
        peer.sendSmall(20);
        pass(100, datagram -> false);
        victim.receiveAll();
        assertThat(keepAliveFor(3_600, datagram -> false)).isTrue();
    }

    @Test
    void peerThatSentNothingStaysAlive() {
        victim.sendSmall(20);
        pass(100, datagram -> false);
        peer.receiveAll();
        assertThat(keepAliveFor(3_600, datagram -> false)).isTrue();
    }

    /** An implementation that compares unsigned numbers may not acknowledge the segment before the first one. */
    @Test
    void peerThatRespondsOnlyWithWindowsStaysAlive() {
        assertThat(keepAliveFor(600, datagram -> WireSegment.parse(datagram).stream().anyMatch(WireSegment::isAck)
            && !victim.inputBytes(WireSegment.wins(128).bytes()).name().isEmpty())).isTrue();
    }

    @Test
    void halfOfTheResponsesKeepTheSessionAlive() {
        talk(20);
        int[] number = {0};
        assertThat(keepAliveFor(3_600, datagram -> number[0]++ % 2 == 0)).isTrue();
    }

    /** After 25 days, the age of the latest segment's ts exceeds half of the 32-bit range. */
    @ParameterizedTest
    @ValueSource(ints = {10, 26, 40, 52})
    void lostResponseDoesNotCloseIdleSessionAfterWeeks(int days) {
        talk(5);
        for (int day = 0; day < days; day += 2) {
            victim.advance(2 * 86_400_000);
            peer.advance(2 * 86_400_000);
            victim.kcp.ping(victim.nowMs());
            pass(1_000, datagram -> false);
        }
        boolean[] lost = new boolean[1];
        victim.advance(KEEPALIVE_MS);
        peer.advance(KEEPALIVE_MS);
        victim.kcp.ping(victim.nowMs());
        pass(40_000, datagram -> {
            boolean first = !lost[0];
            lost[0] = true;
            return first;
        });
        assertThat(lost[0]).isTrue();
        assertThat(victim.kcp.inactiveMs(victim.nowMs())).isLessThan(40_000);
        assertAlive();
    }

    /** A peer that has echoed one probe always echoes probes, so its WINS no longer counts as a response. */
    @Test
    void replayedWindowsCountOnlyBeforeTheFirstEcho() {
        victim.kcp.ping(victim.nowMs());
        pass(200, datagram -> false);
        byte[] wins = lastOf(Kind.WINS);
        byte[] window = WireSegment.wins(128).bytes();
        assertThat(WireSegment.parse(wins)).hasSizeGreaterThan(1);
        assertThat(secondsAlive(100, second -> List.of(window))).isLessThan(GONE_AFTER_SECONDS);
    }

    @Test
    void halfOfTheAcksKeepBothSidesAlive() {
        int[] number = {0};
        for (int second = 0; second < 300; second++) {
            victim.sendSmall(1);
            pass(1_000, datagram -> (number[0]++ * 7 & 2) == 0);
            peer.receiveAll();
            assertThat(victim.kcp.inactiveMs(victim.nowMs())).isLessThan(20_000);
            assertAlive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 30_000})
    void peerThatDoesNotReadStaysAlive(int deadPeerTimeoutMs) {
        KcpConfig patient = config.toBuilder().zeroWindowTimeoutMs(0).deadPeerTimeoutMs(deadPeerTimeoutMs).build();
        victim.kcp.reconfigure(patient);
        victim.sendSmall(300);
        for (int second = 0; second < 600; second++) {
            pass(1_000, datagram -> false);
            assertAlive();
        }
        assertThat(victim.kcp.remoteWindow()).isZero();
        assertThat(peer.receiveAll()).hasSize(128);
        for (int second = 0; second < 10; second++) {
            pass(1_000, datagram -> false);
            peer.receiveAll();
        }
        assertThat(victim.kcp.isIdle()).isTrue();
    }

    @Test
    void probesOfBothSidesDoNotTriggerEachOther() {
        talk(20);
        pass(60_000, datagram -> false);
        int before = (int) (victim.kcp.stats().datagramsOut() + peer.kcp.stats().datagramsOut());
        victim.kcp.ping(victim.nowMs());
        peer.kcp.ping(peer.nowMs());
        pass(20_000, datagram -> false);
        assertThat(victim.kcp.stats().datagramsOut() + peer.kcp.stats().datagramsOut() - before).isLessThanOrEqualTo(4);
        assertThat(victim.kcp.nextDeadline(victim.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(peer.kcp.nextDeadline(peer.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
    }

    // ---- running

    /** Sends messages from both sides over a path with a delay of 10 ms in each direction. */
    private void talk(int messages) {
        victim.sendSmall(messages);
        peer.sendSmall(messages);
        pass(200, datagram -> false);
        victim.receiveAll();
        peer.receiveAll();
        assertThat(victim.kcp.isIdle()).isTrue();
        assertThat(peer.kcp.isIdle()).isTrue();
    }

    /**
     * Sends messages as {@link #talk} does. Then both sides send and acknowledge probes, and the peer retransmits a segment whose
     * acknowledgement is lost.
     */
    private void talkAndAsk(int messages) {
        talk(messages);
        victim.kcp.ping(victim.nowMs());
        peer.kcp.ping(peer.nowMs());
        pass(200, datagram -> false);
        peer.sendSmall(1);
        peer.flush().forEach(segment -> arrive(segment.bytes()));
        victim.flush();
        victim.receiveAll();
        pass(500, datagram -> false);
        assertThat(peer.kcp.isIdle()).isTrue();
    }

    private void arrive(byte[] datagram) {
        recorded.add(datagram);
        assertThat(victim.inputBytes(datagram)).isEqualTo(InputResult.ACCEPTED);
    }

    /** Advances time while datagrams travel over a path with a delay of 10 ms in each direction. Datagrams to the victim may be lost. */
    private void pass(int ms, Predicate<byte[]> lostToVictim) {
        List<byte[]> toPeer = new ArrayList<>();
        List<byte[]> toVictim = new ArrayList<>();
        for (int i = 0; i < ms; i += 10) {
            toPeer.forEach(peer::inputBytes);
            toVictim.forEach(this::arrive);
            toPeer = flushed(victim);
            toVictim = flushed(peer).stream().filter(datagram -> !lostToVictim.test(datagram)).toList();
            victim.advance(10);
            peer.advance(10);
        }
        toPeer.forEach(peer::inputBytes);
        toVictim.forEach(this::arrive);
    }

    private static List<byte[]> flushed(DrivenKcp side) {
        if (side.kcp.nextDeadline(side.nowMs()) == 0) {
            side.kcp.flush(side.nowMs());
        }
        return side.output.take();
    }

    private byte[] lastOf(Kind kind) {
        for (int i = recorded.size() - 1; i >= 0; i--) {
            if (WireSegment.parse(recorded.get(i)).stream().anyMatch(segment -> segment.cmd() == kind.cmd)) {
                return recorded.get(i);
            }
        }
        throw new AssertionError("no " + kind + " was recorded");
    }

    /** Replays datagrams of a dead peer and returns the seconds until the victim detects that the peer is dead, at most {@code limit}. */
    private int secondsAlive(int limit, IntFunction<List<byte[]>> replays) {
        for (int second = 0; second < limit; second++) {
            replays.apply(second).forEach(victim::inputBytes);
            victim.runFor(1_000);
            keepalive();
            if (victim.kcp.linkState(victim.nowMs()) != LinkState.ALIVE) {
                return second;
            }
        }
        return limit;
    }

    private boolean keepAliveFor(int seconds, Predicate<byte[]> lostToVictim) {
        for (int second = 0; second < seconds; second++) {
            pass(1_000, lostToVictim);
            keepalive();
            assertAlive();
            assertThat(victim.kcp.inactiveMs(victim.nowMs())).isLessThan(60_000);
        }
        return true;
    }

    private void keepalive() {
        if (victim.kcp.inactiveMs(victim.nowMs()) >= KEEPALIVE_MS && victim.kcp.inactiveMs(victim.nowMs()) % KEEPALIVE_MS < 1_000) {
            victim.kcp.ping(victim.nowMs());
        }
    }

    private void assertAlive() {
        assertThat(victim.kcp.linkState(victim.nowMs())).isEqualTo(LinkState.ALIVE);
        assertThat(peer.kcp.linkState(peer.nowMs())).isEqualTo(LinkState.ALIVE);
    }
}
