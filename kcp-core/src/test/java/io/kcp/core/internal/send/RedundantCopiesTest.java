package io.kcp.core.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.LinkState;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import io.kcp.test.AllocationMeter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies of unacknowledged segments fill the free room of datagrams, and nothing else changes. */
@Tag("jdk")
class RedundantCopiesTest {

    private static final int BASE = 0x5EED5EED;
    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().redundancy(Redundancy.ON).minRtoMs(1_000).build();

    private static final KcpConfig DELAYED = CONFIG.toBuilder().redundancyDelayMs(10).build();

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private DrivenKcp driven(KcpConfig config) {
        return new DrivenKcp(leaks, config, 0, BASE, 0, 0);
    }

    private static List<Integer> sns(List<WireSegment> segments) {
        return segments.stream().filter(WireSegment::isPush).map(WireSegment::sn).toList();
    }

    /** Sends one message every 20 ms. */
    private static List<WireSegment> sendLater(DrivenKcp driven, byte... message) {
        driven.advance(20);
        driven.send(message);
        return driven.flush();
    }

    // ---- selection

    @Test
    void copiesPrecedeTheNewSegmentAndHaveItsTimestamp() {
        DrivenKcp driven = driven(CONFIG);
        sendLater(driven, (byte) 10);
        sendLater(driven, (byte) 11);
        List<WireSegment> third = sendLater(driven, (byte) 12);
        assertThat(sns(third)).containsExactly(0, 1, 2);
        assertThat(third).allSatisfy(segment -> {
            assertThat(segment.ts()).isEqualTo(BASE + 60);
            assertThat(segment.payload()).containsExactly(10 + segment.sn());
        });
        assertThat(driven.kcp.stats().redundantSegments()).isEqualTo(3);
        assertThat(driven.kcp.stats().datagramsOut()).isEqualTo(3);
    }

    @Test
    void defaultConfigurationSendsNoCopies() {
        DrivenKcp driven = driven(KcpConfig.fast3());
        sendLater(driven, (byte) 10);
        assertThat(sns(sendLater(driven, (byte) 11))).containsExactly(1);
    }

    @Test
    void eachSegmentIsCopiedTwice() {
        DrivenKcp driven = driven(CONFIG);
        for (int sn = 0; sn < 10; sn++) {
            assertThat(sns(sendLater(driven, (byte) sn))).containsExactly(List.of(sn - 2, sn - 1, sn).stream().filter(n -> n >= 0)
                .toArray(Integer[]::new));
        }
    }

    @Test
    void allSegmentsOfThePreviousDatagramsAreCopied() {
        DrivenKcp driven = driven(CONFIG);
        driven.sendSmall(3);
        assertThat(sns(driven.flush())).as("not together with the segment itself").containsExactly(0, 1, 2);
        driven.advance(20);
        driven.sendSmall(2);
        assertThat(sns(driven.flush())).containsExactly(3, 0, 1, 2, 4);
    }

    @Test
    void acknowledgedSegmentsAreNotCopied() {
        DrivenKcp driven = driven(CONFIG);
        driven.sendSmall(3);
        driven.flush();
        driven.advance(40);
        driven.input(WireSegment.ack(1, BASE, 0));
        assertThat(sns(sendLater(driven, (byte) 9))).containsExactly(0, 2, 3);
        driven.input(WireSegment.ack(0, BASE, 3));
        assertThat(sns(sendLater(driven, (byte) 9))).containsExactly(3, 4);
    }

    @Test
    void copiesNeitherAddDatagramsNorEnlargeThemBeyondTheFallbackMtu() {
        DrivenKcp driven = driven(CONFIG);
        for (int i = 0; i < 8; i++) {
            driven.advance(20);
            driven.send(new byte[500]);
            driven.kcp.flush(driven.nowMs());
            assertThat(driven.output.take()).hasSize(1).allMatch(datagram -> datagram.length <= KcpConfig.FALLBACK_MTU_BYTES);
        }
        assertThat(driven.kcp.stats().redundantSegments()).as("one copy fits").isEqualTo(7);
    }

    @Test
    void segmentsOfAFullDatagramAreNotCopied() {
        DrivenKcp driven = driven(CONFIG);
        driven.send(new byte[3 * driven.kcp.mssBytes()]);
        assertThat(sns(driven.flush())).containsExactly(0, 1, 2);
        driven.advance(20);
        driven.send(new byte[driven.kcp.mssBytes()]);
        assertThat(sns(driven.flush())).containsExactly(3);
    }

    @Test
    void unvalidatedPeerReceivesNoCopies() {
        DrivenKcp driven = DrivenKcp.limited(leaks, CONFIG, BASE, 0, 0);
        driven.input(WireSegment.push(0, 1, new byte[400]));
        driven.sendSmall(1);
        driven.flush();
        driven.advance(20);
        driven.sendSmall(1);
        assertThat(sns(driven.flush())).containsExactly(1);
    }

    @Test
    void copiesUseOnlySpareTokensOfThePacer() {
        DrivenKcp limited = driven(CONFIG.toBuilder().mtuBytes(300).maxBytesPerSecond(3_000).build());
        DrivenKcp without = driven(CONFIG.toBuilder().mtuBytes(300).maxBytesPerSecond(3_000).redundancy(Redundancy.OFF).build());
        long copies = 0;
        for (int i = 0; i < 9; i++) {
            for (DrivenKcp each : List.of(limited, without)) {
                each.send(new byte[20]);
            }
            List<Integer> sent = limited.runFor(20).stream().filter(s -> s.segment().isPush()).map(s -> s.segment().sn()).toList();
            List<Integer> expected = without.runFor(20).stream().filter(s -> s.segment().isPush()).map(s -> s.segment().sn()).toList();
            assertThat(sent).as("time %d", limited.nowMs()).containsAll(expected);
            copies += sent.size() - expected.size();
        }
        assertThat(copies).isPositive();
    }

    @Test
    void copiesAllocateNoMemory() {
        long bytes = AllocationMeter.medianBytes(meter -> {
            ByteBuf datagram = Unpooled.buffer(2_000);
            Kcp kcp = new Kcp(WireSegment.CONV, CONFIG, new ReusedDatagram(datagram), leaks.allocator(), BASE, 0);
            ByteBuf message = Unpooled.buffer(100).writeZero(100);
            ByteBuf ack = Unpooled.buffer(100);
            for (int i = 0; i < 20; i++) {
                int from = i * 1_000;
                Runnable thousandMessages = () -> sendMessages(kcp, message, ack, from);
                if (i < 10) {
                    thousandMessages.run();
                } else {
                    meter.measure(thousandMessages);
                }
            }
            assertThat(kcp.stats().redundantSegments()).isGreaterThan(39_000);
            kcp.release();
        });
        assertThat(bytes).as("bytes per 1,000 messages").isLessThan(8 << 10);
    }

    private static void sendMessages(Kcp kcp, ByteBuf message, ByteBuf ack, int from) {
        for (int sn = from; sn < from + 1_000; sn++) {
            int nowMs = 20 * sn;
            kcp.send(message.retain(), nowMs);
            kcp.flush(nowMs);
            if (sn >= 2) {
                SegmentHeader.write(ack.clear(), WireSegment.CONV, SegmentHeader.CMD_ACK, 0, 128, nowMs - 40 + BASE, sn - 2, sn - 1, 0);
                kcp.input(ack, false, nowMs + 10);
            }
        }
    }

    /** Passes the same buffer for every datagram. */
    private record ReusedDatagram(ByteBuf datagram) implements KcpOutput {

        @Override
        public int overheadBytes() {
            return 0;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            return datagram.clear();
        }

        @Override
        public void write(ByteBuf written) {
            // The buffer is used again.
        }
    }

    // ---- delayed copies

    @Test
    void uncopiedSegmentsAreCopiedOnceAfterTheDelay() {
        DrivenKcp driven = driven(DELAYED);
        driven.sendSmall(1);
        assertThat(driven.runFor(5)).hasSize(1);
        driven.sendSmall(1);
        List<DrivenKcp.Sent> sent = driven.runUntil(150);
        assertThat(sent).extracting(each -> each.atMs() + ": " + each.segment().sn()).containsExactly("5: 0", "5: 1", "15: 1");
        assertThat(sent.get(2).segment().ts()).isEqualTo(BASE + 15);
        assertThat(driven.kcp.stats().redundantSegments()).isEqualTo(2);
    }

    @Test
    void acknowledgedSegmentsAreNotCopiedAfterTheDelay() {
        DrivenKcp driven = driven(DELAYED);
        driven.sendSmall(1);
        driven.runFor(5);
        driven.input(WireSegment.ack(0, BASE, 1));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.runFor(100)).isEmpty();
    }

    @Test
    void largeSegmentIsCopiedInADatagramOfItsOwn() {
        DrivenKcp driven = driven(DELAYED);
        driven.send(new byte[driven.kcp.mssBytes()]);
        driven.runFor(5);
        assertThat(driven.runFor(100)).extracting(DrivenKcp.Sent::atMs).containsExactly(10);
        assertThat(driven.kcp.stats().datagramsOut()).isEqualTo(2);
    }

    @Test
    void delayHasNoEffectWithoutRedundancy() {
        DrivenKcp driven = driven(DELAYED.toBuilder().redundancy(Redundancy.OFF).build());
        driven.sendSmall(1);
        driven.runFor(5);
        assertThat(driven.runFor(100)).isEmpty();
    }

    // ---- acknowledgements

    @Test
    void echoOfACopyIsARoundTripSampleAndNoSpuriousRetransmission() {
        DrivenKcp driven = driven(CONFIG);
        sendLater(driven, (byte) 0);
        sendLater(driven, (byte) 1);
        driven.advance(50);
        driven.input(WireSegment.ack(0, BASE + 40, 0));
        assertThat(driven.kcp.smoothedRttMs()).isEqualTo(50);
        assertThat(driven.kcp.unacknowledgedBytes()).isEqualTo(1);
        assertThat(driven.kcp.stats().spuriousRetransmissions()).isZero();
        assertThat(driven.kcp.stats().unverifiedAcknowledgements()).isZero();
    }

    /** An attacker that echoes a time later than that of the latest copy would shorten the measured round trip. */
    @Test
    void echoLaterThanTheLatestCopyAcknowledgesNothing() {
        DrivenKcp driven = driven(CONFIG);
        sendLater(driven, (byte) 0);
        sendLater(driven, (byte) 1);
        driven.advance(50);
        driven.input(WireSegment.ack(0, BASE + 41, 0));
        assertThat(driven.kcp.unacknowledgedBytes()).isEqualTo(2);
        assertThat(driven.kcp.smoothedRttMs()).isZero();
        assertThat(driven.kcp.stats().unverifiedAcknowledgements()).isEqualTo(1);
    }

    /** The C original acknowledges every segment of a datagram, the copies first. */
    @Test
    void peerThatAcknowledgesEverySegmentYieldsSamplesOfTheNewSegment() {
        DrivenKcp driven = driven(CONFIG);
        sendLater(driven, (byte) 0);
        driven.advance(10);
        driven.input(WireSegment.ack(0, BASE + 20, 1));
        sendLater(driven, (byte) 1);
        sendLater(driven, (byte) 2);
        driven.input(WireSegment.ack(1, BASE + 50, 2));
        driven.advance(30);
        driven.input(WireSegment.ack(1, BASE + 70, 3), WireSegment.ack(2, BASE + 70, 3));
        assertThat(driven.kcp.isIdle()).isTrue();
        assertThat(driven.kcp.smoothedRttMs()).as("samples of 10, 20 and 30 ms").isEqualTo(13);
    }

    @Test
    void replayedAcknowledgementYieldsNoSample() {
        DrivenKcp driven = driven(CONFIG);
        sendLater(driven, (byte) 0);
        sendLater(driven, (byte) 1);
        driven.advance(20);
        WireSegment[] acks = {WireSegment.ack(0, BASE + 40, 2), WireSegment.ack(1, BASE + 40, 2)};
        driven.input(acks);
        int smoothedRttMs = driven.kcp.smoothedRttMs();
        driven.advance(5_000);
        for (int i = 0; i < 100; i++) {
            driven.input(acks);
            driven.input(acks[1]);
        }
        assertThat(driven.kcp.smoothedRttMs()).isEqualTo(smoothedRttMs);
        assertThat(driven.kcp.stats().spuriousRetransmissions()).isZero();
    }

    // ---- retransmission

    @Test
    void copyRestartsTheTimeoutOnce() {
        DrivenKcp driven = driven(CONFIG.toBuilder().minRtoMs(100).adaptiveReordering(false).build());
        sendLater(driven, (byte) 0);
        driven.advance(40);
        driven.input(WireSegment.ack(0, BASE + 20, 1));
        int rtoMs = driven.kcp.rtoMs();
        int sentAtMs = driven.nowMs() + 20;
        sendLater(driven, (byte) 1);
        sendLater(driven, (byte) 2);
        sendLater(driven, (byte) 3);
        List<DrivenKcp.Sent> sent = driven.runUntil(sentAtMs + 20 + rtoMs);
        assertThat(sent).hasSize(1).first().satisfies(retransmission -> {
            assertThat(retransmission.segment().sn()).isEqualTo(1);
            assertThat(retransmission.atMs()).isEqualTo(sentAtMs + 20 + rtoMs);
        });
    }

    @Test
    void copiesAreNotTransmissionsOfTheDeadPeerRule() {
        DrivenKcp driven = driven(CONFIG.toBuilder().maxTransmissions(2).build());
        for (int i = 0; i < 10; i++) {
            sendLater(driven, (byte) i);
        }
        assertThat(driven.kcp.oldestTransmissions()).isEqualTo(1);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void receiverDeliversCopiedSegmentsOnce() {
        DrivenKcp sender = driven(CONFIG);
        DrivenKcp receiver = new DrivenKcp(leaks, CONFIG);
        for (int i = 0; i < 4; i++) {
            sender.advance(20);
            sender.send(new byte[] {(byte) i});
            sender.kcp.flush(sender.nowMs());
            for (byte[] datagram : sender.output.take()) {
                // The second and the third datagram are lost.
                if (i == 0 || i == 3) {
                    receiver.inputBytes(datagram);
                }
            }
        }
        assertThat(receiver.receiveAll()).extracting(Arrays::toString).containsExactly("[0]", "[1]", "[2]", "[3]");
        receiver.flush().forEach(sender::input);
        assertThat(sender.kcp.isIdle()).isTrue();
        assertThat(sender.kcp.stats().retransmissions()).isZero();
    }
}
