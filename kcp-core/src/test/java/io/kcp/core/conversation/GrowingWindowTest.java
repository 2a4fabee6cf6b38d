package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SegmentPool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests windows that grow within a memory budget, including peers that try to make this side hold more memory than its budget. */
class GrowingWindowTest {

    private static final int BUDGET_BYTES = 4 << 20;
    private static final KcpConfig CONFIG = KcpConfig.auto().toBuilder().windowBudgetBytes(BUDGET_BYTES).build();
    private static final int ROUND_TRIP_MS = Upload.ROUND_TRIP_MS;
    private static final byte[] PAYLOAD = Upload.PAYLOAD;
    /** Memory that a conversation may hold even if the limit is exceeded: 2 KiB, exceeded by one segment. */
    private static final long MIN_HELD_BYTES = 2_048 + 1_376 + ProtocolConstants.SEGMENT_OVERHEAD_BYTES;
    private static final int SEGMENT_BYTES = PAYLOAD.length + ProtocolConstants.SEGMENT_OVERHEAD_BYTES;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    private final MemoryLimit memory = new MemoryLimit();
    private final SegmentPool pool = new SegmentPool(leaks.allocator(), memory);

    private Upload upload(KcpConfig config) {
        return new Upload(new DrivenKcp(leaks, config, pool));
    }

    // ---- the receive window

    @Test
    void receiveWindowGrowsWithReadingApplication() {
        Upload upload = upload(CONFIG);
        upload.roundTrip(true);
        assertThat(upload.window()).as("at the start").isEqualTo(CONFIG.receiveWindow());
        List<Integer> windows = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int before = upload.window();
            upload.roundTrip(true);
            assertThat(upload.window()).isBetween(before, 4 * before);
            windows.add(upload.window());
        }
        assertThat(windows).last().isEqualTo(CONFIG.maxReceiveWindow());
        assertThat((long) CONFIG.maxReceiveWindow() * SEGMENT_BYTES).isLessThanOrEqualTo(BUDGET_BYTES);
    }

    @Test
    void receiveWindowStaysSmallIfPeerSendsLittle() {
        Upload upload = upload(CONFIG);
        upload.roundTrip(true);
        for (int i = 0; i < 1_000; i++) {
            upload.end = upload.nextSn + 2;
            upload.roundTrip(true);
        }
        assertThat(upload.window()).isLessThanOrEqualTo(4 * CONFIG.receiveWindow());
    }

    @Test
    void receiveWindowDoesNotGrowWithoutReads() {
        Upload upload = upload(CONFIG);
        for (int i = 0; i < 20; i++) {
            upload.roundTrip(false);
        }
        assertThat(upload.window()).isZero();
        assertThat(upload.end).isEqualTo(CONFIG.receiveWindow());
        upload.roundTrip(true);
        assertThat(upload.window()).isEqualTo(CONFIG.receiveWindow());
    }

    @Test
    @Tag("slow")
    void receiveWindowFollowsPathWithLongerRoundTrip() {
        Upload upload = upload(KcpConfig.auto());
        for (int i = 0; i < 3; i++) {
            upload.roundTrip(true);
        }
        int before = upload.window();
        // The window that suffices for 40 ms limits the rate on a path of 400 ms.
        for (int i = 0; i < 20; i++) {
            upload.receiver.advance(9 * ROUND_TRIP_MS);
            upload.roundTrip(true);
        }
        assertThat(upload.window()).isGreaterThan(2 * before);
    }

    /** The application reads until the window has its maximum size. The peer then ignores the announced window. */
    @Test
    void peerThatSendsMoreThanIsReadStaysWithinBudget() {
        Upload upload = upload(CONFIG);
        for (int i = 0; i < 15; i++) {
            upload.roundTrip(true);
        }
        DrivenKcp receiver = upload.receiver;
        int first = upload.nextSn;
        for (int i = 3 * CONFIG.maxReceiveWindow(); i >= 0; i--) {
            receiver.input(WireSegment.push(first + i, receiver.nowMs(), PAYLOAD));
        }
        for (int i = 0; i < 3 * CONFIG.maxReceiveWindow(); i++) {
            receiver.input(WireSegment.push(first + i, receiver.nowMs(), PAYLOAD));
        }
        assertThat(receiver.kcp.memory().bytes()).isBetween(BUDGET_BYTES / 2L, (long) BUDGET_BYTES);
        assertThat(receiver.receiveAll()).as("acknowledged segments are delivered").hasSize(receiver.kcp.nextExpectedSn() - first);
    }

    /** The peer sends segments that are larger than any MTU. */
    @Test
    void oversizedSegmentsStayWithinBudget() {
        Upload upload = upload(CONFIG);
        for (int i = 0; i < 15; i++) {
            upload.roundTrip(true);
        }
        DrivenKcp receiver = upload.receiver;
        for (int i = 0; i < CONFIG.maxReceiveWindow(); i++) {
            receiver.input(WireSegment.push(upload.nextSn + i, receiver.nowMs(), new byte[9_000]));
        }
        assertThat(receiver.kcp.memory().bytes()).isLessThanOrEqualTo(BUDGET_BYTES + 9_128L);
    }

    // ---- the send window

    /** Writes while the conversation accepts messages, and returns the memory that it then holds. */
    private static long write(DrivenKcp sender, int maxMessages) {
        for (int i = 0; i < maxMessages && sender.kcp.canSend() && sender.kcp.memory().mayWrite(); i++) {
            sender.send(PAYLOAD);
        }
        return sender.kcp.memory().bytes();
    }

    /** Acknowledges everything that was sent, after a round trip. */
    private static void acknowledge(DrivenKcp sender, int ts, int una) {
        if (una > 0) {
            sender.input(WireSegment.ack(una - 1, ts, una).withWnd(KcpConfig.MAX_WINDOW_SEGMENTS));
        }
        sender.flush();
    }

    @Test
    void peerThatAcknowledgesAtOnceStaysWithinBudget() {
        DrivenKcp sender = new DrivenKcp(leaks, CONFIG, pool);
        long most = 0;
        int una = 0;
        for (int round = 0; round < 60; round++) {
            int ts = sender.nowMs();
            for (int i = 0; i < 10; i++) {
                most = Math.max(most, write(sender, Integer.MAX_VALUE));
                for (WireSegment segment : sender.flush()) {
                    una = segment.isPush() ? Math.max(una, segment.sn() + 1) : una;
                }
                sender.advance(ROUND_TRIP_MS / 10);
            }
            acknowledge(sender, ts, una);
        }
        assertThat(most).isBetween(BUDGET_BYTES / 2L, (long) BUDGET_BYTES + SEGMENT_BYTES);
    }

    @Test
    void idlePeerKeepsStartWindow() {
        DrivenKcp sender = new DrivenKcp(leaks, CONFIG, pool);
        write(sender, Integer.MAX_VALUE);
        assertThat(sender.kcp.waitingSegments()).isEqualTo(CONFIG.sendWindow());
    }

    @Test
    void smallWindowOfPeerIsRespected() {
        DrivenKcp sender = new DrivenKcp(leaks, CONFIG, pool);
        for (int i = 0; i < 500; i++) {
            sender.send(PAYLOAD);
        }
        int una = 0;
        for (int round = 0; round < 1_000 && una < 500; round++) {
            List<WireSegment> sent = sender.flush();
            for (WireSegment segment : sent) {
                assertThat(segment.sn()).isLessThan(una + 32);
            }
            sender.advance(10);
            for (WireSegment segment : sent) {
                if (segment.isPush() && segment.sn() == una) {
                    una++;
                    sender.input(WireSegment.ack(segment.sn(), segment.ts(), una).withWnd(32));
                }
            }
        }
        assertThat(una).isEqualTo(500);
    }

    @Test
    void streamFillsExactlyTheWindow() {
        DrivenKcp sender = new DrivenKcp(leaks,
            CONFIG.toBuilder().mode(KcpTransferMode.STREAM).congestionControl(CongestionAlgorithm.NONE).build(),
            pool);
        while (sender.kcp.canSend()) {
            assertThat(sender.kcp.sendableBytes()).isPositive();
            sender.send(new byte[Math.min(sender.kcp.sendableBytes(), 50_000)]);
        }
        assertThat(sender.kcp.sendableBytes()).isZero();
        assertThat(sender.kcp.memory().bytes()).isBetween(BUDGET_BYTES / 2L, BUDGET_BYTES + 100_000L);
    }

    /** Small segments need a large array. The peer acknowledges a part of them, and the application writes again. */
    @Test
    void arrayOfTheSendWindowCountsAgainstTheBudget() {
        int budgetBytes = 1 << 20;
        KcpConfig config = KcpConfig.fast3().toBuilder().windows(32).windowBudgetBytes(budgetBytes).build();
        DrivenKcp sender = new DrivenKcp(leaks, config, pool);
        sender.input(WireSegment.wins(KcpConfig.MAX_WINDOW_SEGMENTS));
        for (int una = 0; una < 5_000; una += 1_000) {
            sender.input(WireSegment.wins(KcpConfig.MAX_WINDOW_SEGMENTS).withUna(una));
            while (sender.kcp.canSend()) {
                sender.sendSmall(1);
            }
            long reservedBytes = 32L * ProtocolConstants.MAX_SEGMENT_COST_BYTES;
            assertThat(sender.kcp.memory().bytes()).as("una %d", una)
                .isBetween(budgetBytes / 2L, budgetBytes - reservedBytes + ProtocolConstants.SEGMENT_OVERHEAD_BYTES + 1);
            sender.flush();
        }
    }

    @Test
    void bothWindowsTogetherStayWithinBudget() {
        Upload upload = upload(CONFIG.toBuilder().congestionControl(CongestionAlgorithm.NONE).build());
        for (int i = 0; i < 15; i++) {
            upload.roundTrip(true);
        }
        write(upload.receiver, Integer.MAX_VALUE);
        for (int i = 0; i < 3 * CONFIG.maxReceiveWindow(); i++) {
            upload.receiver.input(WireSegment.push(upload.nextSn + i, upload.receiver.nowMs(), PAYLOAD));
        }
        assertThat(upload.receiver.kcp.memory().bytes()).isBetween(BUDGET_BYTES / 2L, (long) BUDGET_BYTES + SEGMENT_BYTES);
    }

    // ---- many conversations

    @Test
    void thousandGreedySendersShareOneLimit() {
        memory.setMaxHeldBytes(128 << 20);
        KcpConfig config = KcpConfig.auto().toBuilder().congestionControl(CongestionAlgorithm.NONE).build();
        List<DrivenKcp> senders = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            senders.add(new DrivenKcp(leaks, config, pool));
            write(senders.get(i), Integer.MAX_VALUE);
        }
        assertThat(memory.heldBytes()).isBetween(memory.maxHeldBytes() / 2, memory.maxHeldBytes() + 1_000 * MIN_HELD_BYTES);
        assertThat(senders).as("every conversation can make progress").allSatisfy(
            sender -> assertThat(sender.kcp.waitingSegments()).isPositive());
    }

    /** All applications stop reading at the same time, and all peers fill their windows. */
    @Test
    void thousandFullReceiversShareOneLimit() {
        memory.setMaxHeldBytes(32 << 20);
        List<Upload> uploads = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Upload upload = upload(KcpConfig.auto());
            upload.roundTrip(true);
            uploads.add(upload);
        }
        assertThat(uploads.stream().mapToLong(Upload::window).sum() * SEGMENT_BYTES).as("announced")
            .isGreaterThan(10 * memory.maxHeldBytes());
        for (Upload upload : uploads) {
            int before;
            do {
                before = upload.receiver.kcp.nextExpectedSn();
                upload.receiver.input(WireSegment.push(before, upload.receiver.nowMs(), PAYLOAD));
            } while (upload.receiver.kcp.nextExpectedSn() > before && before < upload.end);
        }
        assertThat(memory.heldBytes()).isBetween(memory.maxHeldBytes() / 2, memory.maxHeldBytes() + 1_000 * MIN_HELD_BYTES);
        assertThat(uploads).as("every conversation can make progress").allSatisfy(
            upload -> assertThat(upload.receiver.kcp.hasReceivable()).isTrue());
    }

    // ---- changed settings

    @Test
    void reconfiguredWindowKeepsAnnouncedEnd() {
        Upload upload = upload(CONFIG);
        for (int i = 0; i < 15; i++) {
            upload.roundTrip(true);
        }
        int end = upload.end;
        upload.receiver.kcp.reconfigure(CONFIG.toBuilder().intervalMs(20).build());
        upload.roundTrip(true);
        assertThat(upload.end).isGreaterThanOrEqualTo(end);
        assertThat(upload.window()).isEqualTo(CONFIG.maxReceiveWindow());
        upload.receiver.kcp.reconfigure(KcpConfig.fast3());
        assertThat(upload.receiver.kcp.canSend()).isTrue();
        upload.receiver.receiveAll();
        upload.receiver.input(WireSegment.wask());
        assertThat(upload.receiver.flush()).last().extracting(WireSegment::wnd).isEqualTo(128);
    }
}
