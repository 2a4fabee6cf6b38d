package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import io.kcp.core.MessageTooLargeException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that forged, malformed and late datagrams do not harm a live conversation. */
class KcpRobustnessTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    // ---- rejected datagrams

    static Stream<Arguments> brokenDatagrams() {
        WireSegment push = WireSegment.push(3, 7, DATA);
        WireSegment ack = WireSegment.ack(1, 1, 1);
        List<Arguments> all = new ArrayList<>();
        for (int length = 0; length < 24; length++) {
            all.add(broken(InputResult.TRUNCATED, length + " bytes", Arrays.copyOf(push.bytes(), length)));
        }
        all.add(broken(InputResult.FOREIGN_CONVERSATION, "another conversation", push.withConv(7).bytes()));
        all.add(broken(InputResult.FOREIGN_CONVERSATION, "another conversation with sn 0",
            WireSegment.push(0, 7, DATA).withConv(7).bytes()));
        all.add(broken(InputResult.FOREIGN_CONVERSATION, "another conversation after a valid ACK",
            WireSegment.datagram(ack, push.withConv(7))));
        for (int cmd : new int[] {0, 1, 80, 85, 127, 128, 255}) {
            all.add(broken(InputResult.UNKNOWN_COMMAND, "command " + cmd, push.withCmd(cmd).bytes()));
            all.add(broken(InputResult.UNKNOWN_COMMAND, "command " + cmd + " after a valid ACK",
                WireSegment.datagram(ack, push.withCmd(cmd))));
        }
        for (int len : new int[] {6, 1000, 65_536, Integer.MAX_VALUE - 23, Integer.MAX_VALUE, Integer.MIN_VALUE, -24, -1}) {
            String what = "a length of " + Integer.toUnsignedString(len);
            all.add(broken(InputResult.TRUNCATED, what, push.bytesWithLen(len)));
            byte[] second = concat(ack.bytes(), push.bytesWithLen(len));
            all.add(broken(InputResult.TRUNCATED, what + " after a valid ACK", second));
        }
        for (int ahead : new int[] {100, 1_000_000, Integer.MAX_VALUE}) {
            all.add(broken(InputResult.FORGED_ACKNOWLEDGEMENT, "una " + ahead, push.withUna(ahead).bytes()));
            all.add(broken(InputResult.FORGED_ACKNOWLEDGEMENT, "una " + ahead + " of a WINS",
                WireSegment.wins(0).withUna(ahead).bytes()));
            all.add(broken(InputResult.FORGED_ACKNOWLEDGEMENT, "ACK of " + ahead, WireSegment.ack(ahead, 0, 0).bytes()));
            all.add(broken(InputResult.FORGED_ACKNOWLEDGEMENT, "ACK of " + ahead + " after a valid one",
                WireSegment.datagram(ack, WireSegment.ack(ahead, 0, 0))));
        }
        return all.stream();
    }

    private static Arguments broken(InputResult result, String what, byte[] datagram) {
        return Arguments.of(result, what, datagram);
    }

    /** The timeout runs the test in another thread, because a length that is read as negative may cause an endless loop. */
    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("brokenDatagrams")
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void rejectedDatagramHasNoEffect(InputResult result, String what, byte[] datagram) {
        DrivenKcp disturbed = new DrivenKcp(leaks, KcpConfig.fast3());
        DrivenKcp undisturbed = new DrivenKcp(leaks, KcpConfig.fast3());
        List<Consumer<DrivenKcp>> life = aLife();
        for (int step = 0; step < life.size(); step++) {
            life.get(step).accept(disturbed);
            life.get(step).accept(undisturbed);
            assertThat(disturbed.inputBytes(datagram)).as("step %d", step).isEqualTo(result);
            assertThat(lookOf(disturbed)).as("step %d", step).isEqualTo(lookOf(undisturbed));
        }
        assertThat(disturbed.kcp.linkState(disturbed.nowMs())).as("forged datagrams do not count as activity")
            .isEqualTo(LinkState.PEER_TIMEOUT);
        assertThat(disturbed.kcp.stats().datagramErrors()).isEqualTo(life.size());
    }

    /** The events of a normal conversation, with an inactive period at the end. */
    private static List<Consumer<DrivenKcp>> aLife() {
        return List.of(
            kcp -> {
                kcp.sendSmall(5);
                kcp.runFor(1);
            },
            kcp -> kcp.input(WireSegment.ack(0, 0, 1).withWnd(4)),
            kcp -> kcp.input(WireSegment.push(0, 1, DATA), WireSegment.push(2, 1, DATA)),
            kcp -> kcp.input(WireSegment.ack(3, kcp.nowMs(), 1)),
            DrivenKcp::receive,
            kcp -> kcp.input(WireSegment.push(1, 1, DATA)),
            kcp -> kcp.input(WireSegment.wask()),
            kcp -> kcp.advance(400),
            kcp -> kcp.sendSmall(3),
            kcp -> kcp.input(WireSegment.ack(1, kcp.nowMs() - 30, 2)),
            kcp -> kcp.kcp.ping(kcp.nowMs()),
            kcp -> kcp.runFor(20_000),
            kcp -> kcp.runFor(11_000));
    }

    /** Returns the state that the owner can read, and the segments sent in the next 15 ms. */
    private static List<String> lookOf(DrivenKcp driven) {
        List<String> look = new ArrayList<>();
        look.add("due in " + driven.kcp.nextDeadline(driven.nowMs()));
        look.add("state " + driven.kcp.linkState(driven.nowMs()));
        look.add("rtt " + driven.kcp.smoothedRttMs() + ' ' + driven.kcp.rttVariationMs() + ' ' + driven.kcp.rtoMs());
        look.add("window " + driven.kcp.remoteWindow() + ", waiting " + driven.kcp.waitingSegments());
        driven.runFor(15).forEach(sent -> look.add(sent.toString()));
        return look;
    }

    @Test
    void onlySentSegmentsCanBeAcknowledged() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(3);
        driven.flush();
        assertThat(driven.input(WireSegment.ack(3, 0, 0))).isEqualTo(InputResult.FORGED_ACKNOWLEDGEMENT);
        assertThat(driven.input(WireSegment.ack(2, 0, 4))).isEqualTo(InputResult.FORGED_ACKNOWLEDGEMENT);
        assertThat(driven.kcp.waitingSegments()).isEqualTo(3);
        assertThat(driven.input(WireSegment.ack(2, 0, 3))).isEqualTo(InputResult.ACCEPTED);
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void queuedSegmentsCannotBeAcknowledged() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        assertThat(driven.input(WireSegment.ack(0, 0, 1))).isEqualTo(InputResult.FORGED_ACKNOWLEDGEMENT);
        assertThat(driven.flush()).hasSize(1);
    }

    @Test
    void oldUnaAndOldAckAreIgnoredSeparately() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(4);
        driven.flush();
        driven.input(WireSegment.wins(128).withUna(3));
        assertThat(driven.input(WireSegment.ack(1, 0, 1), WireSegment.ack(3, 0, 2), WireSegment.push(0, 0, DATA)))
            .isEqualTo(InputResult.ACCEPTED);
        assertThat(driven.kcp.waitingSegments()).as("segment 3 is acknowledged by an ACK, but not yet by una").isEqualTo(1);
        assertThat(driven.kcp.unacknowledgedBytes()).isZero();
        assertThat(driven.receive()).isEqualTo(DATA);
    }

    @Test
    void windowBesideOldUnaIsIgnored() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(4);
        driven.flush();
        driven.input(WireSegment.wins(50).withUna(3));
        driven.input(WireSegment.wins(0).withUna(2));
        assertThat(driven.kcp.remoteWindow()).isEqualTo(50);
        driven.input(WireSegment.wins(60).withUna(3));
        assertThat(driven.kcp.remoteWindow()).as("the window beside an equal una").isEqualTo(60);
        driven.inputRecovered(WireSegment.wins(7).withUna(3));
        assertThat(driven.kcp.remoteWindow()).as("the window of a recovered datagram is outdated").isEqualTo(60);
    }

    @Test
    void trailingBytesAreIgnored() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        assertThat(driven.inputBytes(concat(WireSegment.push(0, 0, DATA).bytes(), new byte[23]))).isEqualTo(InputResult.ACCEPTED);
        assertThat(driven.receive()).isEqualTo(DATA);
    }

    @Test
    void inputBorrowsTheDatagram() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        ByteBuf datagram = leaks.allocator().buffer(64).writeZero(3).writeBytes(WireSegment.push(0, 0, DATA).bytes()).skipBytes(3);
        driven.kcp.input(datagram, false, 0);
        assertThat(datagram.readerIndex()).isEqualTo(3);
        assertThat(datagram.readableBytes()).isEqualTo(29);
        datagram.release();
        assertThat(driven.receive()).isEqualTo(DATA);
    }

    // ---- fragments

    @Test
    void fragment255IsNeitherDeliveredNorAcknowledged() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(1_024).build());
        driven.input(WireSegment.push(0, 0, DATA).withFrg(255));
        assertRefused(driven);
    }

    @Test
    void messageAboveTheWindowIsNotStored() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(32).build());
        driven.input(WireSegment.push(0, 0, DATA).withFrg(32), WireSegment.push(1, 0, DATA).withFrg(32));
        assertThat(driven.flush()).as("acknowledged once").extracting(WireSegment::cmd, WireSegment::wnd)
            .containsExactly(tuple(WireSegment.WINS, 32));
        assertRefused(driven);
        for (int sn = 0; sn < 32; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA).withFrg(31 - sn));
        }
        assertThat(driven.receive()).as("32 fragments fit").hasSize(32 * DATA.length);
    }

    @Test
    void fragmentInconsistentWithPredecessorIsRefused() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 0, DATA).withFrg(2));
        driven.flush();
        for (int frg : new int[] {0, 2, 3, 100}) {
            driven.input(WireSegment.push(1, 0, DATA).withFrg(frg));
        }
        assertRefused(driven);
        assertThat(driven.kcp.stats().refusedSegments()).isEqualTo(4);
        driven.input(WireSegment.push(1, 0, DATA).withFrg(1), WireSegment.push(2, 0, DATA));
        assertThat(driven.receive()).hasSize(3 * DATA.length);
    }

    @Test
    void fragmentInconsistentWithSuccessorIsRefused() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(2, 0, DATA));
        driven.flush();
        for (int frg : new int[] {2, 3, 100}) {
            driven.input(WireSegment.push(1, 0, DATA).withFrg(frg));
        }
        assertRefused(driven);
        driven.input(WireSegment.push(1, 0, DATA).withFrg(1), WireSegment.push(0, 0, DATA).withFrg(2));
        assertThat(driven.receive()).hasSize(3 * DATA.length);
    }

    private static void assertRefused(DrivenKcp driven) {
        assertThat(driven.kcp.stats().refusedSegments()).isPositive();
        assertThat(driven.kcp.hasReceivable()).isFalse();
        assertThat(driven.receive()).isNull();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.flush()).isEmpty();
    }

    /**
     * Sizes of the fragments of a message, and the order of their arrival. With the last one to arrive, the message exceeds 3,000 bytes.
     */
    static Stream<Arguments> messagesAboveTheLimit() {
        return Stream.of(
            Arguments.of(new int[] {3_001}, new int[] {0}),
            Arguments.of(new int[] {1_501, 1_500}, new int[] {0, 1}),
            Arguments.of(new int[] {1_501, 1_500}, new int[] {1, 0}),
            Arguments.of(new int[] {1_000, 1_001, 1_000}, new int[] {0, 2, 1}),
            Arguments.of(new int[] {1_000, 1_000, 1_001}, new int[] {1, 0, 2}),
            Arguments.of(new int[] {10, 10, 10, 1_100, 1_100, 1_100}, new int[] {5, 0, 3, 1, 2, 4}),
            Arguments.of(new int[] {10, 10, 10, 1_100, 1_100, 1_100}, new int[] {0, 1, 2, 3, 4, 5}));
    }

    @ParameterizedTest
    @MethodSource("messagesAboveTheLimit")
    void fragmentAboveTheMessageLimitIsRefused(int[] sizes, int[] order) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().maxMessageBytes(3_000).build());
        for (int i = 0; i < order.length; i++) {
            boolean last = i == order.length - 1;
            driven.input(WireSegment.push(order[i], 0, new byte[sizes[order[i]]]).withFrg(sizes.length - 1 - order[i]));
            assertThat(driven.flush()).as("acknowledgement of segment %d", order[i]).hasSize(last ? 0 : 1);
        }
        assertRefused(driven);
        assertThat(driven.kcp.nextExpectedSn()).isLessThan(sizes.length);
    }

    @Test
    void acknowledgedMessageIsDeliveredAfterLowerLimit() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 0, new byte[1_000]).withFrg(1), WireSegment.push(1, 0, new byte[1_000]));
        assertThat(driven.flush()).extracting(WireSegment::una).containsOnly(2);
        driven.kcp.reconfigure(driven.kcp.config().toBuilder().maxMessageBytes(1_500).build());
        assertThat(driven.receive()).hasSize(2_000);
    }

    @Test
    void messageLimitCountsEachMessageSeparately() {
        Random random = new Random(11);
        for (int round = 0; round < 200; round++) {
            DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().maxMessageBytes(1_000).build());
            List<WireSegment> segments = new ArrayList<>();
            List<Integer> lengths = new ArrayList<>();
            while (segments.size() < 60) {
                int fragments = 1 + random.nextInt(10);
                for (int frg = fragments - 1; frg >= 0; frg--) {
                    segments.add(WireSegment.push(segments.size(), 0, new byte[1_000 / fragments]).withFrg(frg));
                }
                lengths.add(1_000 / fragments * fragments);
            }
            Collections.shuffle(segments, random);
            segments.forEach(driven::input);
            assertThat(driven.receiveAll()).extracting(message -> message.length).isEqualTo(lengths);
            assertThat(driven.kcp.stats().refusedSegments()).isZero();
        }
    }

    @Test
    void messageOfExactlyTheLimitIsDelivered() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().maxMessageBytes(2_000).build());
        driven.input(WireSegment.push(0, 0, new byte[1_000]).withFrg(1), WireSegment.push(1, 0, new byte[1_000]));
        assertThat(driven.receive()).hasSize(2_000);
    }

    @Test
    void messageLimitDoesNotApplyToStreams() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).maxMessageBytes(100).build());
        driven.input(WireSegment.push(0, 0, new byte[1_376]));
        assertThat(driven.receive()).hasSize(1_376);
    }

    // ---- empty segments

    @Test
    void emptySegmentIsAnEmptyMessage() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 0, new byte[0]), WireSegment.push(1, 0, DATA));
        assertThat(driven.flush()).extracting(WireSegment::una).containsOnly(2);
        assertThat(driven.receiveAll()).containsExactly(new byte[0], DATA);
    }

    @Test
    void emptySegmentIsSkippedInStreamMode() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build());
        driven.input(WireSegment.push(0, 0, new byte[0]), WireSegment.push(1, 0, new byte[0]), WireSegment.push(2, 0, DATA));
        assertThat(driven.receiveAll()).containsExactly(DATA);
        driven.input(WireSegment.push(3, 0, new byte[0]));
        assertThat(driven.receive()).isNull();
        assertThat(driven.kcp.hasReceivable()).isFalse();
    }

    @Test
    void windowFullOfEmptySegmentsReopens() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).receiveWindow(4).build());
        for (int sn = 0; sn < 4; sn++) {
            driven.input(WireSegment.push(sn, 0, new byte[0]));
        }
        assertThat(driven.flush()).extracting(WireSegment::wnd).containsOnly(0);
        assertThat(driven.receive()).isNull();
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd)
            .containsExactly(tuple(WireSegment.WINS, 4));
    }

    @Test
    void emptyFragmentsAreAssembled() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 0, new byte[0]).withFrg(2), WireSegment.push(1, 0, DATA).withFrg(1),
            WireSegment.push(2, 0, new byte[0]));
        assertThat(driven.receiveAll()).containsExactly(DATA);
    }

    // ---- forged times

    @Test
    void verifiedAckIsARoundTripSample() {
        int base = 0x5EED5EED;
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3(), 0, base, 0, 0);
        driven.sendSmall(2);
        driven.flush();
        driven.advance(40);
        driven.input(WireSegment.ack(0, base, 1));
        assertThat(driven.kcp.smoothedRttMs()).isEqualTo(40);
        driven.inputRecovered(WireSegment.ack(1, base, 2));
        assertThat(driven.kcp.rttVariationMs()).as("a recovered datagram is not a round-trip sample").isEqualTo(20);
    }

    @Test
    void recoveredAckDoesNotDelayRetransmissions() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int sn = 0; sn < 20; sn++) {
            sendAndAcknowledge(driven, sn, 20, false);
        }
        sendAndAcknowledge(driven, 20, 80, true);
        driven.sendSmall(1);
        driven.flush();
        int sentAtMs = driven.nowMs();
        assertThat(driven.runFor(1_000).get(0).atMs() - sentAtMs).isLessThanOrEqualTo(30);
    }

    private static void sendAndAcknowledge(DrivenKcp driven, int sn, int roundTripMs, boolean recovered) {
        driven.sendSmall(1);
        driven.flush();
        int ts = driven.nowMs();
        driven.advance(roundTripMs);
        WireSegment ack = WireSegment.ack(sn, ts, sn + 1);
        if (recovered) {
            driven.inputRecovered(ack);
        } else {
            driven.input(ack);
        }
        driven.advance(30);
    }

    @Test
    void ackWithForgedTsSkipsNothing() {
        DrivenKcp forged = fiveInFlight();
        DrivenKcp honest = fiveInFlight();
        for (int sn = 2; sn < 5; sn++) {
            forged.input(WireSegment.ack(sn, 9_999, 0));
            honest.input(WireSegment.ack(sn, 0, 0));
        }
        assertThat(forged.runUntil(199)).isEmpty();
        assertThat(honest.flush()).extracting(WireSegment::sn).containsExactly(0, 1);
    }

    private DrivenKcp fiveInFlight() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().adaptiveReordering(false).build());
        driven.sendSmall(5);
        driven.flush();
        driven.advance(20);
        return driven;
    }

    // ---- replays

    @Test
    void duplicateIsAcknowledgedButNotDelivered() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 50_000, DATA));
        assertThat(driven.flush()).extracting(WireSegment::ts).containsExactly(50_000);
        driven.input(WireSegment.push(0, 50_200, DATA));
        assertThat(driven.flush()).extracting(WireSegment::ts).containsExactly(50_200);
        driven.input(WireSegment.push(0, 40_200, DATA));
        assertThat(driven.flush()).as("a duplicate that is at most 10 s old is acknowledged").hasSize(1);
        assertThat(driven.receiveAll()).hasSize(1);
        assertThat(driven.kcp.stats().repeatedSegments()).isEqualTo(2);
    }

    @Test
    void staleDuplicateIsNotAcknowledged() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 50_000, DATA));
        driven.flush();
        driven.input(WireSegment.push(0, 39_999, DATA));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.flush()).isEmpty();
    }

    @Test
    void retransmissionsAreAcknowledgedAfterPeersClockStepBack() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int sn = 0; sn < 32; sn++) {
            driven.input(WireSegment.push(sn, 3_600_000, DATA));
        }
        driven.flush();
        for (int sn = 0; sn < 32; sn++) {
            driven.input(WireSegment.push(sn, 1_000, DATA));
        }
        assertThat(driven.flush()).as("a stale duplicate may be a replay").isEmpty();
        for (int sn = 0; sn < 32; sn++) {
            driven.input(WireSegment.push(sn, 1_200, DATA));
        }
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::una).contains(tuple(WireSegment.ACK, 32));
        assertThat(driven.kcp.inactiveMs(driven.nowMs() + 10)).as("duplicates do not count as activity").isEqualTo(10);
        driven.advance(700);
        driven.input(WireSegment.push(32, 1_900, DATA));
        driven.input(WireSegment.push(32, 2_000, DATA));
        assertThat(driven.kcp.inactiveMs(driven.nowMs())).as("a new segment sets the newest timestamp of the peer").isZero();
    }

    @Test
    void duplicateWithOldUnaDoesNotCountAsActivity() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(3);
        driven.flush();
        driven.input(WireSegment.push(0, 0, DATA).withUna(1));
        driven.input(WireSegment.ack(1, 0, 2));
        driven.flush();
        for (int i = 0; i < 40; i++) {
            driven.input(WireSegment.push(0, 0, DATA).withUna(1));
            assertThat(driven.runFor(1_000)).as("second %d", i).noneMatch(sent -> sent.segment().isAck());
        }
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void queuedAcksAreBoundedUnderFloodOfDuplicates() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int i = 0; i < 10_000; i++) {
            driven.input(WireSegment.push(i % 128, i % 5_000, DATA));
        }
        assertThat(driven.flush()).hasSizeLessThanOrEqualTo(128).extracting(WireSegment::una).containsOnly(128);
    }

    @Test
    void queuedAcksAreBoundedWhenTheWindowShrinks() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int sn = 1; sn <= 100; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().receiveWindow(32).build());
        for (int i = 0; i < 10_000; i++) {
            driven.input(WireSegment.push(1 + i % 31, 0, DATA));
        }
        assertThat(driven.flush().size()).as("acknowledgements").isLessThanOrEqualTo(128);
    }

    // ---- messages that are too large

    @Test
    void messageAboveThePeersWindowIsRejected() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.wins(128));
        assertTooLarge(driven, 128 * 1_376, "the peer's largest window so far, 128 segments");
        driven.input(WireSegment.wins(0));
        assertTooLarge(driven, 128 * 1_376, "the peer's largest window so far, 128 segments");
    }

    @Test
    void messageAboveASmallWindowIsRejected() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.wins(8));
        assertTooLarge(driven, 8 * 1_376, "the peer's largest window so far, 8 segments");
    }

    @Test
    void messageAbove255FragmentsIsRejected() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        assertTooLarge(new DrivenKcp(leaks, KcpConfig.fast3()), 255 * 1_376, "255 fragments");
        driven.input(WireSegment.wins(65_535));
        assertTooLarge(driven, 255 * 1_376, "255 fragments");
    }

    @Test
    void firstMessageMayExceedTheInitialWindow() {
        DrivenKcp one = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(1_024).build());
        DrivenKcp other = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(1_024).build());
        one.send(DATA);
        one.send(new byte[60_000]);
        assertThat(one.kcp.initialWindowMessages().isPending()).isTrue();
        DrivenKcp.exchange(one, other);
        assertThat(one.kcp.initialWindowMessages().isPending()).isFalse();
        assertThat(one.kcp.initialWindowMessages().failure()).isNull();
        assertThat(other.receiveAll()).extracting(message -> message.length).containsExactly(DATA.length, 60_000);
    }

    /** A kcp-go peer stores the segments that fit its window, here 60, 40, 44 and 44 segments, and announces the rest. */
    @ParameterizedTest
    @CsvSource({"28, 32, false", "8, 32, true", "12, 32, false", "44, 0, false"})
    void acknowledgementDecidesAboutTheFirstMessage(int wnd, int una, boolean tooLarge) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.send(new byte[44 * 1_376]);
        assertThat(driven.flush()).hasSize(32);
        driven.input(WireSegment.wins(wnd).withUna(una));
        if (tooLarge) {
            assertThat(driven.kcp.initialWindowMessages().failure()).hasMessageContaining("60544").hasMessageContaining("40 segments");
        } else {
            assertThat(driven.kcp.initialWindowMessages().failure()).isNull();
            assertThat(driven.kcp.maxMessageBytes()).isEqualTo((wnd + una) * 1_376);
            assertThat(driven.flush()).hasSize(una == 0 ? 12 : Math.min(12, wnd));
        }
    }

    @Test
    void messageAboveMaxMessageBytesIsRejected() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().maxMessageBytes(5_000).build());
        assertTooLarge(driven, 5_000, "maxMessageBytes");
    }

    private static void assertTooLarge(DrivenKcp driven, int limitBytes, String limitName) {
        assertThat(driven.kcp.maxMessageBytes()).isEqualTo(limitBytes);
        int waiting = driven.kcp.waitingSegments();
        assertThatExceptionOfType(MessageTooLargeException.class).isThrownBy(() -> driven.send(new byte[limitBytes + 1]))
            .withMessageContaining(limitName).withMessageContaining(String.valueOf(limitBytes + 1))
            .satisfies(e -> assertThat(e.limitBytes()).isEqualTo(limitBytes));
        assertThat(driven.kcp.waitingSegments()).isEqualTo(waiting);
        driven.send(new byte[limitBytes]);
        assertThat(driven.kcp.waitingSegments()).isEqualTo(waiting + (limitBytes + 1_375) / 1_376);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
