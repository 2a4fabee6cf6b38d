package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.core.internal.memory.SessionMemory;
import io.kcp.test.FailingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests conversations while memory is scarce because an allocation fails or all conversations together hold too much. */
class KcpMemoryTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final FailingAllocator allocator = new FailingAllocator(leaks.allocator());

    @Test
    void failedStreamWriteIsReleasedAndNotQueued() {
        Kcp kcp = kcp(KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build());
        kcp.send(data(10), 0);
        ByteBuf second = data(20);
        allocator.fail();
        assertThatThrownBy(() -> kcp.send(second, 0)).isInstanceOf(OutOfMemoryError.class);
        assertThat(second.refCnt()).isZero();
        assertThat(kcp.unacknowledgedBytes()).isEqualTo(10);
        assertThat(kcp.stats().bytesSent()).isEqualTo(10);
        allocator.stopFailing();
        kcp.send(data(20), 0);
        assertThat(kcp.unacknowledgedBytes()).isEqualTo(30);
        assertThat(kcp.waitingSegments()).isEqualTo(1);
    }

    @Test
    void messageIsDeliveredAfterFailedAllocation() {
        Kcp kcp = kcp(KcpConfig.fast3());
        ByteBuf datagram = leaks.allocator().buffer().writeBytes(WireSegment.datagram(
            WireSegment.push(0, 0, new byte[300]).withFrg(1), WireSegment.push(1, 0, new byte[300])));
        kcp.input(datagram, false, 0);
        datagram.release();
        allocator.fail();
        assertThatThrownBy(kcp::receive).isInstanceOf(OutOfMemoryError.class);
        allocator.stopFailing();
        ByteBuf message = kcp.receive();
        assertThat(message.readableBytes()).isEqualTo(600);
        message.release();
        assertThat(kcp.hasReceivable()).isFalse();
    }

    /** The allocation fails after the last segment of the queue has been filled. */
    @Test
    void partlyFailedStreamWriteIsNotQueued() {
        Kcp kcp = kcp(KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build());
        kcp.send(data(10), 0);
        ByteBuf second = new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 5_000, 5_000) {
            @Override
            public ByteBuf retain() {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        second.writeZero(5_000);
        assertThatThrownBy(() -> kcp.send(second, 0)).isInstanceOf(OutOfMemoryError.class);
        assertThat(second.refCnt()).isZero();
        assertThat(kcp.unacknowledgedBytes()).isEqualTo(10);
        kcp.send(data(20), 0);
        assertThat(kcp.unacknowledgedBytes()).isEqualTo(30);
        assertThat(kcp.waitingSegments()).isEqualTo(1);
    }

    /** The allocation fails in the middle of the queue, after the first write and half of the second one have been split. */
    @Test
    void failedResegmentationChangesNothing() {
        KcpConfig config = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build();
        DrivenKcp sender = new DrivenKcp(leaks, config);
        DrivenKcp receiver = new DrivenKcp(leaks, config);
        int[] retainsLeft = {Integer.MAX_VALUE};
        ByteBuf second = new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 2_000, 2_000) {
            @Override
            public ByteBuf retain() {
                if (retainsLeft[0]-- <= 0) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                return super.retain();
            }
        };
        byte[] content = new byte[6_128];
        new Random(1).nextBytes(content);
        sender.send(Arrays.copyOf(content, 4_128));
        second.writeBytes(content, 4_128, 2_000);
        sender.kcp.send(second, 0);
        retainsLeft[0] = 2;
        KcpConfig smaller = config.toBuilder().mtuBytes(524).build();
        assertThatThrownBy(() -> sender.kcp.reconfigure(smaller)).isInstanceOf(OutOfMemoryError.class);
        assertThat(sender.kcp.unacknowledgedBytes()).isEqualTo(content.length);
        assertThat(sender.kcp.waitingSegments()).isEqualTo(5);
        assertThat(sender.kcp.config()).isSameAs(config);
        retainsLeft[0] = Integer.MAX_VALUE;
        sender.kcp.reconfigure(smaller);
        DrivenKcp.exchange(sender, receiver);
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        receiver.receiveAll().forEach(received::writeBytes);
        assertThat(received.toByteArray()).isEqualTo(content);
    }

    @Test
    void failedDetachKeepsThePayload() {
        Kcp kcp = kcp(KcpConfig.fast3());
        ByteBuf datagram = leaks.allocator().buffer().writeBytes(WireSegment.push(0, 0, new byte[1_000]).bytes());
        kcp.input(datagram, false, 0);
        datagram.release();
        allocator.fail();
        assertThatThrownBy(kcp::detachReceived).isInstanceOf(OutOfMemoryError.class);
        allocator.stopFailing();
        kcp.detachReceived();
        ByteBuf message = kcp.receive();
        assertThat(message.readableBytes()).isEqualTo(1_000);
        message.release();
    }

    @Test
    void trimFreesArraysOfABurst() {
        DrivenKcp one = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(4_096).build());
        DrivenKcp other = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(4_096).build());
        one.sendSmall(10);
        other.sendSmall(10);
        DrivenKcp.exchange(one, other);
        assertThat(one.kcp.holdsSpareMemory()).as("after a few messages").isFalse();
        one.sendSmall(4_000);
        other.sendSmall(4_000);
        DrivenKcp.exchange(one, other);
        assertThat(one.receiveAll()).hasSize(4_010);
        other.kcp.trim();
        assertThat(other.kcp.holdsSpareMemory()).as("unread segments").isTrue();
        assertThat(other.receiveAll()).hasSize(4_010);
        DrivenKcp.exchange(one, other);
        one.kcp.trim();
        other.kcp.trim();
        assertThat(one.kcp.holdsSpareMemory()).isFalse();
        assertThat(other.kcp.holdsSpareMemory()).isFalse();
        one.sendSmall(100);
        DrivenKcp.exchange(one, other);
        assertThat(other.receiveAll()).hasSize(100);
    }

    // ---- the limit of the memory that all conversations of a thread hold

    private final MemoryLimit held = new MemoryLimit();
    private final SegmentPool pool = new SegmentPool(leaks.allocator(), held);

    private DrivenKcp driven() {
        return new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(256).build(), pool);
    }

    private static void fill(DrivenKcp driven, int segments) {
        for (int sn = 0; sn < segments; sn++) {
            driven.input(WireSegment.push(sn, 0, new byte[1_000]));
        }
    }

    @Test
    void conversationAboveItsShareStoresNothing() {
        held.setMaxHeldBytes(200_000);
        DrivenKcp greedy = driven();
        DrivenKcp modest = driven();
        fill(greedy, 256);
        assertThat(held.heldBytes()).isBetween(200_000L, 202_000L);
        List<WireSegment> acks = greedy.flush();
        assertThat(acks).last().extracting(WireSegment::wnd, WireSegment::una).containsExactly(0, greedy.kcp.nextExpectedSn());
        assertThat(greedy.kcp.nextExpectedSn()).as("the rest is not acknowledged").isLessThan(256);
        fill(modest, 40);
        assertThat(modest.kcp.nextExpectedSn()).as("within its share").isEqualTo(40);
        assertThat(held.heldBytes()).isLessThan(300_000L);
    }

    @Test
    void readingReopensAndAnnouncesTheWindow() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp driven = driven();
        fill(driven, 256);
        driven.flush();
        int stored = driven.kcp.nextExpectedSn();
        assertThat(driven.receiveAll()).hasSize(stored);
        driven.kcp.trim();
        assertThat(held.heldBytes()).isZero();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd).containsExactly(tuple(WireSegment.WINS, 256));
        driven.input(WireSegment.push(stored, 0, new byte[1_000]));
        assertThat(driven.kcp.nextExpectedSn()).isEqualTo(stored + 1);
    }

    @Test
    void unacknowledgedSenderHasNoRoomForResponses() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp stuck = driven();
        DrivenKcp other = driven();
        for (int i = 0; i < 80; i++) {
            stuck.send(new byte[1_000]);
        }
        assertThat(stuck.kcp.memory().hasRoomForAnswers()).isTrue();
        for (int i = 0; i < 10; i++) {
            other.send(new byte[1_000]);
        }
        assertThat(stuck.kcp.memory().hasRoomForAnswers()).isFalse();
        assertThat(other.kcp.memory().hasRoomForAnswers()).isTrue();
        assertThat(stuck.kcp.memory().isOverdrawn()).isFalse();
        stuck.kcp.memory().setBacklogBytes(50_000);
        assertThat(stuck.kcp.memory().isOverdrawn()).isTrue();
        assertThat(other.kcp.memory().isOverdrawn()).isFalse();
        stuck.kcp.memory().setBacklogBytes(0);
        stuck.flush();
        stuck.input(WireSegment.wins(128).withUna(32));
        assertThat(stuck.kcp.memory().hasRoomForAnswers()).as("the total is below the limit again").isTrue();
    }

    @Test
    void busySenderStillReceives() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp download = driven();
        DrivenKcp other = driven();
        for (int i = 0; i < 80; i++) {
            download.send(new byte[1_000]);
            other.send(new byte[1_000]);
        }
        assertThat(held.heldBytes()).isGreaterThan(held.maxHeldBytes());
        download.flush();
        for (int sn = 0; sn < 10; sn++) {
            download.input(WireSegment.push(sn, 0, new byte[20]).withUna(sn + 1));
            assertThat(download.kcp.memory().hasRoomForAnswers()).as("the peer acknowledges").isTrue();
            assertThat(download.receiveAll()).hasSize(1);
            assertThat(download.flush()).last().extracting(WireSegment::wnd).isNotEqualTo(0);
        }
        download.input(WireSegment.push(10, 0, new byte[20]).withUna(10));
        assertThat(download.kcp.nextExpectedSn()).isEqualTo(11);
        assertThat(download.kcp.memory().hasRoomForAnswers()).as("nothing was acknowledged since the last message").isFalse();
    }

    @Test
    void outOfOrderBytesDoNotBlockTheMissingSegment() {
        held.setMaxHeldBytes(20_000);
        DrivenKcp driven = driven();
        for (int sn = 100; sn > 0; sn--) {
            driven.input(WireSegment.push(sn, 0, new byte[1_000]));
        }
        assertThat(held.heldBytes()).isBetween(20_000L, 22_000L);
        int received = 0;
        for (int round = 0; round < 100 && received < 101; round++) {
            for (int sn = 100; sn >= 0; sn--) {
                driven.input(WireSegment.push(sn, 0, new byte[1_000]));
            }
            received += driven.receiveAll().size();
        }
        assertThat(received).isEqualTo(101);
    }

    @Test
    void everyConversationMayHoldOneDatagram() {
        held.setMaxHeldBytes(10_000);
        fill(driven(), 256);
        for (int i = 0; i < 200; i++) {
            DrivenKcp driven = driven();
            driven.input(WireSegment.push(0, 0, new byte[1_300]));
            assertThat(driven.kcp.hasReceivable()).isTrue();
        }
    }

    @Test
    void partlyReceivedMessageIsCompletedAboveTheShare() {
        held.setMaxHeldBytes(100_000);
        fill(driven(), 256);
        DrivenKcp modest = driven();
        for (int sn = 0; sn < 30; sn++) {
            modest.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(29 - sn));
            if (sn == 28) {
                assertThat(modest.flush()).last().extracting(WireSegment::wnd).as("only room for the rest of the message").isEqualTo(1);
            }
        }
        assertThat(modest.flush()).last().extracting(WireSegment::wnd).isEqualTo(0);
        modest.input(WireSegment.push(30, 0, new byte[1_300]));
        assertThat(modest.receiveAll()).singleElement().satisfies(message -> assertThat(message).hasSize(39_000));
    }

    @Test
    void partlyReceivedMessagesStayBelowTwiceTheLimit() {
        held.setMaxHeldBytes(100_000);
        for (int i = 0; i < 20; i++) {
            DrivenKcp attacker = driven();
            for (int sn = 0; sn < 60; sn++) {
                attacker.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(60 - sn));
            }
        }
        // The bound is twice the limit plus the shares of later conversations. The attackers sent 1,600,000 bytes.
        assertThat(held.heldBytes()).isLessThan(320_000);
    }

    /** Each new conversation has a smaller share than the earlier ones, which keep the memory that they hold. */
    @Test
    void successiveConversationsStayBelowThreeTimesTheLimit() {
        held.setMaxHeldBytes(8_000_000);
        for (int i = 0; i < 600; i++) {
            DrivenKcp newcomer = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(4_096).build(), pool);
            int before;
            do {
                before = newcomer.kcp.nextExpectedSn();
                newcomer.input(WireSegment.push(before, 0, new byte[1_000]));
            } while (newcomer.kcp.nextExpectedSn() > before);
        }
        // Every conversation may hold one datagram in any case.
        assertThat(held.heldBytes()).isLessThan(3 * 8_000_000L + 600 * 2_200);
    }

    @Test
    void windowIsAnnouncedWhenAnotherConversationFreesMemory() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp hoarder = driven();
        fill(hoarder, 256);
        DrivenKcp modest = driven();
        fill(modest, 40);
        assertThat(modest.flush()).last().extracting(WireSegment::wnd).isEqualTo(0);
        assertThat(modest.kcp.memory().isConstrained()).isTrue();
        modest.kcp.announceWindow();
        assertThat(modest.flush()).as("memory is still scarce").isEmpty();
        hoarder.kcp.release();
        assertThat(modest.kcp.memory().isConstrained()).isFalse();
        modest.kcp.announceWindow();
        assertThat(modest.kcp.nextDeadline(modest.nowMs())).isZero();
        assertThat(modest.flush()).singleElement().satisfies(segment -> {
            assertThat(segment.cmd()).isEqualTo(WireSegment.WINS);
            assertThat(segment.wnd()).isPositive();
        });
    }

    /** A partly received message leaves a small window. The peer's acknowledgements then free memory. */
    @Test
    void windowReopenedByAcknowledgementsIsAnnounced() {
        held.setMaxHeldBytes(100_000);
        driven();
        DrivenKcp driven = driven();
        for (int i = 0; i < 90; i++) {
            driven.send(new byte[1_000]);
        }
        driven.input(WireSegment.wins(128));
        driven.flush();
        for (int sn = 0; sn < 30; sn++) {
            driven.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(59 - sn));
        }
        assertThat(driven.flush()).last().extracting(WireSegment::wnd).isEqualTo(30);
        driven.input(WireSegment.wins(128).withUna(90));
        assertThat(driven.flush()).singleElement().extracting(WireSegment::cmd, WireSegment::wnd)
            .containsExactly(WireSegment.WINS, 226);
    }

    private static final int GRACE_MS = 5_000;

    @Test
    void stuckConversationsAreFoundTogetherLargestFirst() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp modest = driven();
        fill(modest, 1);
        List<SessionMemory> attackers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            DrivenKcp attacker = driven();
            attackers.add(attacker.kcp.memory());
            for (int sn = 0; sn < 60 - i; sn++) {
                attacker.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(60 - sn));
            }
        }
        assertThat(held.heldBytes()).isGreaterThan(200_000);
        assertThat(held.findStuck(0, GRACE_MS)).isEmpty();
        assertThat(held.findStuck(GRACE_MS - 1, GRACE_MS)).isEmpty();
        List<SessionMemory> stuck = held.findStuck(GRACE_MS, GRACE_MS);
        assertThat(stuck).isSubsetOf(attackers).isSortedAccordingTo(Comparator.comparingLong(SessionMemory::bytes).reversed());
        long freedBytes = stuck.stream().mapToLong(SessionMemory::bytes).sum();
        assertThat(held.heldBytes() - freedBytes).as("enough to end the shortage").isLessThan(87_500);
        assertThat(held.heldBytes() - freedBytes + stuck.get(stuck.size() - 1).bytes()).as("no more conversations than needed")
            .isGreaterThanOrEqualTo(87_500);
    }

    @Test
    void smallConversationsAreStuckIfTheirShareIsSmaller() {
        held.setMaxHeldBytes(100_000);
        for (int i = 0; i < 60; i++) {
            DrivenKcp attacker = driven();
            for (int sn = 0; sn < 3; sn++) {
                attacker.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(60 - sn));
            }
        }
        assertThat(held.isShort()).isTrue();
        assertThat(held.findStuck(0, GRACE_MS)).isEmpty();
        long freedBytes = held.findStuck(GRACE_MS, GRACE_MS).stream().mapToLong(SessionMemory::bytes).sum();
        assertThat(held.heldBytes() - freedBytes).isLessThan(87_500);
    }

    @Test
    void conversationWithReadsIsNotStuck() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp busy = driven();
        fill(busy, 256);
        fill(driven(), 1);
        assertThat(held.heldBytes()).isGreaterThanOrEqualTo(held.maxHeldBytes());
        for (int ms = 0; ms < 4 * GRACE_MS; ms += 500) {
            assertThat(busy.receive()).isNotNull();
            busy.input(WireSegment.push(busy.kcp.nextExpectedSn(), 0, new byte[1_000]));
            assertThat(held.findStuck(ms, GRACE_MS)).isEmpty();
        }
        assertThat(held.isShort()).isTrue();
        assertThat(held.findStuck(5 * GRACE_MS, GRACE_MS)).containsExactly(busy.kcp.memory());
    }

    @Test
    void conversationWithAcknowledgementsIsNotStuck() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp download = driven();
        fill(driven(), 1);
        for (int i = 0; i < 120; i++) {
            download.send(new byte[1_000]);
        }
        download.flush();
        for (int i = 0; i < 20; i++) {
            download.advance(500);
            download.input(WireSegment.wins(128).withUna(i + 1));
            assertThat(held.findStuck(download.nowMs(), GRACE_MS)).isEmpty();
        }
        assertThat(held.isShort()).isTrue();
        assertThat(held.findStuck(download.nowMs() + GRACE_MS, GRACE_MS)).containsExactly(download.kcp.memory());
    }

    /** The attacker leaves a large message incomplete, and sometimes acknowledges one of many small messages. */
    @Test
    void acksOfSmallMessagesAreNotProgressOfIncompleteOnes() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp attacker = driven();
        fill(driven(), 1);
        attacker.sendSmall(20);
        attacker.flush();
        for (int sn = 0; sn < 80; sn++) {
            attacker.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(80 - sn));
        }
        assertThat(held.findStuck(0, GRACE_MS)).isEmpty();
        for (int ms = 500; ms < GRACE_MS; ms += 500) {
            attacker.advance(500);
            attacker.input(WireSegment.wins(128).withUna(ms / 500));
            assertThat(held.findStuck(ms, GRACE_MS)).isEmpty();
        }
        assertThat(held.findStuck(GRACE_MS, GRACE_MS)).containsExactly(attacker.kcp.memory());
    }

    /** The attacker leaves the first half of its window missing and sends one small segment of it at a time. */
    @Test
    void singleSmallSegmentsAreNotProgressOfAFullWindow() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp attacker = driven();
        fill(driven(), 1);
        for (int sn = 64; sn < 128; sn++) {
            attacker.input(WireSegment.push(sn, 0, new byte[1_300]));
        }
        fill(driven(), 20);
        assertThat(held.findStuck(0, GRACE_MS)).isEmpty();
        for (int ms = 500; ms < GRACE_MS; ms += 500) {
            attacker.input(WireSegment.push(attacker.kcp.nextExpectedSn(), 0, new byte[1]));
            assertThat(attacker.receive()).hasSize(1);
            assertThat(held.findStuck(ms, GRACE_MS)).isEmpty();
        }
        assertThat(held.findStuck(GRACE_MS, GRACE_MS)).containsExactly(attacker.kcp.memory());
    }

    @Test
    void slowUploadOfALargeMessageIsProgress() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp upload = driven();
        fill(driven(), 60);
        fill(driven(), 1);
        for (int sn = 0; sn < 70; sn++) {
            upload.input(WireSegment.push(sn, 0, new byte[1_300]).withFrg(120 - sn));
            assertThat(held.findStuck(sn * 500, GRACE_MS)).doesNotContain(upload.kcp.memory());
        }
        assertThat(held.isShort()).isTrue();
        assertThat(held.findStuck(70 * 500 + GRACE_MS, GRACE_MS)).contains(upload.kcp.memory());
    }

    @Test
    void nothingIsStuckWhileMemoryIsNotShort() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp idle = driven();
        fill(driven(), 1);
        fill(idle, 60);
        assertThat(held.findStuck(0, GRACE_MS)).isEmpty();
        assertThat(held.findStuck(GRACE_MS, GRACE_MS)).isEmpty();
        fill(idle, 256);
        assertThat(idle.kcp.memory().owner()).isSameAs(idle.output);
        assertThat(held.findStuck(2 * GRACE_MS, GRACE_MS)).as("a conversation that has just received data").isEmpty();
        assertThat(held.findStuck(3 * GRACE_MS, GRACE_MS)).containsExactly(idle.kcp.memory());
        idle.kcp.release();
        assertThat(held.findStuck(4 * GRACE_MS, GRACE_MS)).isEmpty();
    }

    @Test
    void nothingIsHeldAfterRelease() {
        held.setMaxHeldBytes(100_000);
        DrivenKcp first = driven();
        DrivenKcp second = driven();
        fill(first, 256);
        second.send(new byte[20_000]);
        second.kcp.memory().setBacklogBytes(12_345);
        second.flush();
        first.kcp.release();
        second.kcp.release();
        assertThat(held.heldBytes()).isZero();
        second.kcp.memory().setBacklogBytes(0);
        assertThat(held.heldBytes()).isZero();
    }

    @Test
    void payloadIsCopiedToTheHeapWhileDirectMemoryIsScarce() {
        DrivenKcp driven = driven();
        held.onReserve(true);
        ByteBuf datagram = leaks.allocator().directBuffer().writeBytes(WireSegment.push(0, 0, new byte[1_000]).bytes());
        driven.kcp.input(datagram, false, 0);
        assertThat(datagram.refCnt()).as("the datagram is not retained").isEqualTo(1);
        datagram.release();
        ByteBuf message = driven.kcp.receive();
        assertThat(message.hasArray()).isTrue();
        assertThat(message.readableBytes()).isEqualTo(1_000);
        message.release();
    }

    private Kcp kcp(KcpConfig config) {
        Kcp kcp = new Kcp(WireSegment.CONV, config, new CapturedOutput(leaks.allocator(), 0), allocator, 0, 0);
        leaks.atEnd(kcp::release);
        return kcp;
    }

    private ByteBuf data(int bytes) {
        return leaks.allocator().buffer(bytes).writeZero(bytes);
    }
}
