package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests changes of settings while data is in flight. */
class KcpReconfigureTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};
    private static final long SEED = 42;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    // ---- MTU

    @ParameterizedTest
    @ValueSource(ints = {25, 26, 48, 100, 500, 1_399})
    void streamIsResegmentedForSmallerMtu(int mtuBytes) {
        KcpConfig config = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).sendWindow(4).build();
        DrivenKcp sender = new DrivenKcp(leaks, config);
        DrivenKcp receiver = new DrivenKcp(leaks, config);
        byte[] content = new byte[12_000];
        new Random(SEED).nextBytes(content);
        send(sender, content, 0, 3_000);
        send(sender, content, 3_000, 10_000);
        List<WireSegment> before = sender.flush();
        assertThat(before).hasSize(4);
        sender.kcp.reconfigure(config.toBuilder().mtuBytes(mtuBytes).build());
        send(sender, content, 10_000, 12_000);
        before.forEach(receiver::input);
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        for (int i = 0; i < 20_000 && !sender.kcp.isIdle(); i++) {
            sender.kcp.flush(sender.nowMs());
            for (byte[] datagram : sender.output.take()) {
                assertThat(datagram.length).as("datagram with new bytes, seed %d", SEED).isLessThanOrEqualTo(mtuBytes);
                receiver.inputBytes(datagram);
            }
            receiver.receiveAll().forEach(received::writeBytes);
            receiver.flush().forEach(sender::input);
        }
        receiver.receiveAll().forEach(received::writeBytes);
        assertThat(sender.kcp.isIdle()).isTrue();
        assertThat(received.toByteArray()).as("seed %d", SEED).isEqualTo(content);
    }

    @ParameterizedTest
    @ValueSource(ints = {25, 100, 500})
    void messagesStayIntactWithSmallerMtu(int mtuBytes) {
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().sendWindow(4).build());
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().receiveWindow(300).build());
        receiver.kcp.ping(0);
        receiver.flush().forEach(sender::input);
        byte[] first = bytes(5_000);
        byte[] second = bytes(7_000);
        byte[] third = bytes(Math.min(2_000, 200 * (mtuBytes - 24)));
        sender.send(first);
        sender.send(second);
        List<WireSegment> before = sender.flush();
        sender.kcp.reconfigure(sender.kcp.config().toBuilder().mtuBytes(mtuBytes).build());
        sender.send(third);
        before.forEach(receiver::input);
        DrivenKcp.exchange(sender, receiver);
        assertThat(receiver.receiveAll()).as("seed %d", SEED).containsExactly(first, second, third);
    }

    @Test
    void mtuMayShrinkWithSegmentsInFlight() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.send(bytes(1_376));
        driven.flush();
        driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().mtuBytes(200).build());
        assertThat(driven.runFor(250)).extracting(sent -> sent.segment().payload().length).containsExactly(1_376);
    }

    @Test
    void largerMtuAppliesToLaterWrites() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).mtuBytes(100).build());
        driven.send(bytes(10));
        driven.kcp.reconfigure(driven.kcp.config().toBuilder().mtuBytes(1_000).build());
        driven.send(bytes(500));
        assertThat(driven.flush()).extracting(segment -> segment.payload().length).containsExactly(510);
    }

    @Test
    void tooSmallMtuIsRejectedAndChangesNothing() {
        CapturedOutput output = new CapturedOutput(leaks.allocator(), 28);
        Kcp kcp = new Kcp(1, KcpConfig.fast3(), output, leaks.allocator(), 0, 0);
        leaks.atEnd(kcp::release);
        assertThat(kcp.mssBytes()).isEqualTo(1_400 - 28 - 24);
        KcpConfig tooSmall = KcpConfig.fast3().toBuilder().mtuBytes(52).build();
        assertThatIllegalArgumentException().isThrownBy(() -> kcp.reconfigure(tooSmall))
            .withMessageContaining("mtuBytes: 52").withMessageContaining("at least 53").withMessageContaining("28 bytes of overhead");
        assertThat(kcp.config().mtuBytes()).isEqualTo(1_400);
        assertThat(kcp.mssBytes()).isEqualTo(1_400 - 28 - 24);
        assertThatIllegalArgumentException()
            .isThrownBy(() -> new Kcp(1, tooSmall, output, leaks.allocator(), 0, 0));
        kcp.reconfigure(KcpConfig.fast3().toBuilder().mtuBytes(53).build());
        assertThat(kcp.mssBytes()).isEqualTo(1);
    }

    // ---- mode

    @Test
    void partlySentMessageSurvivesChangeToStream() {
        KcpConfig config = KcpConfig.fast3().toBuilder().sendWindow(1).build();
        DrivenKcp sender = new DrivenKcp(leaks, config);
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        byte[] message = bytes(4_000);
        sender.send(message);
        List<WireSegment> first = sender.flush();
        sender.kcp.reconfigure(config.toBuilder().mode(KcpTransferMode.STREAM).mtuBytes(500).build());
        first.forEach(receiver::input);
        exchangeFor(sender, receiver, 5_000);
        assertThat(receiver.kcp.stats().refusedSegments()).isZero();
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        receiver.receiveAll().forEach(received::writeBytes);
        assertThat(received.toByteArray()).as("seed %d", SEED).isEqualTo(message);
    }

    @Test
    void modesMayChangeBetweenWrites() {
        KcpConfig config = KcpConfig.fast3().toBuilder().sendWindow(2).build();
        DrivenKcp sender = new DrivenKcp(leaks, config);
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        sender.send(new byte[] {1});
        sender.kcp.reconfigure(config.toBuilder().mode(KcpTransferMode.STREAM).build());
        sender.send(new byte[] {2});
        sender.send(new byte[] {3});
        sender.kcp.reconfigure(config);
        sender.send(new byte[] {4});
        DrivenKcp.exchange(sender, receiver);
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        receiver.receiveAll().forEach(received::writeBytes);
        assertThat(received.toByteArray()).containsExactly(1, 2, 3, 4);
    }

    // ---- windows

    @Test
    void smallerReceiveWindowKeepsStoredSegments() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int sn = 0; sn < 100; sn++) {
            if (sn != 50) {
                driven.input(WireSegment.push(sn, 0, new byte[] {(byte) sn}));
            }
        }
        driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().receiveWindow(4).build());
        assertThat(driven.flush()).extracting(WireSegment::wnd).containsOnly(0);
        assertThat(driven.receiveAll()).hasSize(50);
        driven.input(WireSegment.push(50, 0, new byte[] {50}));
        assertThat(driven.flush()).extracting(WireSegment::wnd).containsOnly(0);
        assertThat(driven.receiveAll()).hasSize(50);
        assertThat(driven.flush()).extracting(WireSegment::wnd, WireSegment::una)
            .containsOnly(tuple(4, 100));
    }

    @Test
    void partlyReceivedMessageSurvivesSmallerWindow() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int sn = 0; sn < 6; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA).withFrg(9 - sn));
        }
        driven.flush();
        driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().receiveWindow(4).build());
        for (int attempt = 0; attempt < 3; attempt++) {
            for (int sn = 6; sn < 10; sn++) {
                driven.input(WireSegment.push(sn, 0, DATA).withFrg(9 - sn));
            }
        }
        assertThat(driven.receive()).as("the message of 10 fragments, of which 6 arrived before the change").hasSize(10 * DATA.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 32})
    void partlyReceivedLargeMessageSurvivesSmallerWindow(int windowSegments) {
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.fast3());
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        byte[] message = sendHalfOf100Fragments(sender, receiver);
        receiver.kcp.reconfigure(KcpConfig.fast3().toBuilder().receiveWindow(windowSegments).build());
        exchangeFor(sender, receiver, 60_000);
        assertThat(receiver.receive()).as("seed %d", SEED).isEqualTo(message);
        assertThat(receiver.kcp.stats().refusedSegments()).isZero();
        assertThat(sender.kcp.stats().mtuReductions()).isZero();
    }

    @Test
    void partlyReceivedMessageSurvivesSmallerMaximum() {
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.fast3());
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        byte[] message = sendHalfOf100Fragments(sender, receiver);
        receiver.kcp.reconfigure(KcpConfig.fast3().toBuilder().maxMessageBytes(2_000).build());
        exchangeFor(sender, receiver, 1_000);
        assertThat(receiver.receive()).as("seed %d", SEED).isEqualTo(message);
        for (int number = 0; number < 300; number++) {
            sender.send(new byte[1]);
            DrivenKcp.exchange(sender, receiver);
            receiver.receiveAll();
        }
        assertThat(receiver.kcp.stats().refusedSegments()).isZero();
        sender.send(bytes(2_001));
        exchangeFor(sender, receiver, 100);
        assertThat(receiver.receiveAll()).as("a later message above the new limit").isEmpty();
        assertThat(receiver.kcp.stats().refusedSegments()).isPositive();
    }

    /** The peer knows the largest window only, so it may send messages of as many segments after the window has been reduced. */
    @Test
    void messageOfTheLargestWindowIsReceivedAfterTheWindowWasReduced() {
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.fast3());
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        sender.sendSmall(1);
        DrivenKcp.exchange(sender, receiver);
        receiver.kcp.reconfigure(KcpConfig.fast3().toBuilder().receiveWindow(32).build());
        assertThat(receiver.receiveAll()).hasSize(1);
        byte[] message = bytes(100 * sender.kcp.mssBytes());
        sender.send(message);
        exchangeFor(sender, receiver, 60_000);
        assertThat(receiver.receive()).as("seed %d", SEED).isEqualTo(message);
        assertThat(sender.kcp.linkState(sender.nowMs())).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void largerReceiveWindowDeliversSegmentsBeyondTheOldOne() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().receiveWindow(4).build());
        for (int sn = 0; sn < 8; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        driven.kcp.reconfigure(KcpConfig.fast3());
        assertThat(driven.receiveAll()).hasSize(8);
        assertThat(driven.flush()).extracting(WireSegment::una).containsOnly(8);
    }

    @Test
    void smallerSendWindowDefersNewSegments() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(20);
        assertThat(driven.flush()).hasSize(20);
        driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().sendWindow(4).build());
        assertThat(driven.kcp.canSend()).isFalse();
        assertThat(driven.kcp.sendableBytes()).isZero();
        driven.sendSmall(3);
        assertThat(driven.flush()).isEmpty();
        driven.input(WireSegment.ack(17, 0, 18));
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(20, 21);
    }

    // ---- retransmission

    @ParameterizedTest
    @CsvSource({"2, 5", "5, 2", "2, 0", "0, 2", "64, 1", "1, 64"})
    void fastResendMayChangeWithSegmentsInFlight(int before, int after) {
        KcpConfig config = KcpConfig.fast3().toBuilder().adaptiveReordering(false).earlyRetransmit(EarlyRetransmit.OFF)
            .fastResend(before).build();
        DrivenKcp driven = new DrivenKcp(leaks, config);
        driven.sendSmall(100);
        driven.input(WireSegment.wins(128));
        driven.flush();
        driven.advance(20);
        driven.input(WireSegment.ack(1, 0, 0));
        driven.kcp.reconfigure(config.toBuilder().fastResend(after).build());
        int acknowledged = 1;
        while (acknowledged < 80 && driven.kcp.stats().fastRetransmissions() == 0) {
            acknowledged++;
            driven.input(WireSegment.ack(acknowledged, 0, 0));
            driven.runFor(0);
        }
        if (after == 0) {
            assertThat(driven.kcp.stats().fastRetransmissions()).isZero();
        } else {
            assertThat(acknowledged).isLessThanOrEqualTo(1 + Math.max(after, before == 0 ? after : 0));
            assertThat(driven.kcp.stats().fastRetransmissions()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"5, 0", "0, 5", "1, 2", "2, 1"})
    void fastResendLimitMayChangeWithSegmentsInFlight(int before, int after) {
        KcpConfig config = KcpConfig.fast3().toBuilder().fastResendLimit(before).build();
        DrivenKcp sender = new DrivenKcp(leaks, config);
        sender.sendSmall(30);
        sender.flush();
        for (int sn = 10; sn < 14; sn++) {
            sender.advance(5);
            sender.input(WireSegment.ack(sn, 0, 0));
            sender.flush();
        }
        sender.kcp.reconfigure(config.toBuilder().fastResendLimit(after).build());
        for (int sn = 14; sn < 20; sn++) {
            sender.advance(5);
            sender.input(WireSegment.ack(sn, 0, 0));
            sender.flush();
        }
        sender.runFor(2_000);
        sender.input(WireSegment.ack(29, sender.nowMs(), 30));
        assertThat(sender.kcp.isIdle()).isTrue();
        assertThat(sender.runFor(20_000)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(CongestionAlgorithm.class)
    void congestionControlMayChangeWithSegmentsInFlight(CongestionAlgorithm to) {
        for (CongestionAlgorithm from : CongestionAlgorithm.values()) {
            KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(from).build();
            DrivenKcp sender = new DrivenKcp(leaks, config);
            DrivenKcp receiver = new DrivenKcp(leaks, config);
            DrivenPair pair = new DrivenPair(sender, receiver, 10, number -> number % 10 == 3);
            sender.flush();
            sender.sendSmall(100);
            sender.flush();
            sender.kcp.reconfigure(config.toBuilder().congestionControl(to).build());
            pair.runUntilIdle(60_000);
            assertThat(pair.receivedByOther()).as("%s to %s", from, to).hasSize(100);
        }
    }

    @Test
    void smallerIntervalAndMinRtoApplyImmediately() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.normal());
        driven.sendSmall(1);
        driven.flush();
        driven.advance(2);
        driven.input(WireSegment.ack(0, 0, 1));
        assertThat(driven.kcp.rtoMs()).isEqualTo(100);
        driven.kcp.reconfigure(KcpConfig.fast3());
        assertThat(driven.kcp.rtoMs()).isEqualTo(30);
    }

    private static byte[] sendHalfOf100Fragments(DrivenKcp sender, DrivenKcp receiver) {
        byte[] message = bytes(100 * sender.kcp.mssBytes());
        receiver.kcp.ping(0);
        receiver.flush().forEach(sender::input);
        sender.send(message);
        List<WireSegment> fragments = sender.flush();
        assertThat(fragments).hasSizeGreaterThan(100);
        fragments.stream().filter(WireSegment::isPush).limit(50).forEach(receiver::input);
        return message;
    }

    private static void exchangeFor(DrivenKcp one, DrivenKcp other, int ms) {
        for (int i = 0; i < ms; i += 100) {
            DrivenKcp.exchange(one, other);
            one.advance(100);
            other.advance(100);
        }
    }

    private static void send(DrivenKcp sender, byte[] content, int from, int to) {
        sender.send(Arrays.copyOfRange(content, from, to));
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(SEED + count).nextBytes(bytes);
        return bytes;
    }
}
