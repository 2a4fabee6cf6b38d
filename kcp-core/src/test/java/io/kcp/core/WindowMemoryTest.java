package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrays of large windows count as held memory, and a receive window that grows announces only what it will store. */
class WindowMemoryTest {

    private static final KcpConfig WIDE = KcpConfig.fast3().toBuilder().windows(KcpConfig.MAX_WINDOW_SEGMENTS).build();
    private static final byte[] PAYLOAD = Upload.PAYLOAD;
    /** Memory of one array element if the JVM compresses references, as it does by default. */
    private static final int REFERENCE_BYTES = 4;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    private final HeldMemory memory = new HeldMemory();
    private final SegmentPool pool = new SegmentPool(leaks.allocator(), memory);

    private DrivenKcp driven(KcpConfig config) {
        return new DrivenKcp(leaks, config, pool);
    }

    /** Sends one small segment at the end of the window, and returns {@code true} if it is stored and therefore acknowledged. */
    private static boolean storesAt(DrivenKcp receiver, int sn) {
        return storesAt(receiver, sn, new byte[1]);
    }

    private static boolean storesAt(DrivenKcp receiver, int sn, byte[] payload) {
        receiver.input(WireSegment.push(sn, receiver.nowMs(), payload));
        return receiver.flush().stream().anyMatch(segment -> segment.isAck() && segment.sn() == sn);
    }

    // ---- arrays

    /** Each peer sends a single small segment, which enlarges an array to the size of the window. */
    @Test
    void distantSegmentsOfManySessionsStayWithinTheLimit() {
        memory.setMaxHeldBytes(8 << 20);
        long arrayBytes = 0;
        for (int i = 0; i < 500; i++) {
            DrivenKcp receiver = driven(WIDE);
            if (storesAt(receiver, KcpConfig.MAX_WINDOW_SEGMENTS - 1)) {
                arrayBytes += (KcpConfig.MAX_WINDOW_SEGMENTS + 1L) * REFERENCE_BYTES;
            }
            receiver.input(WireSegment.push(0, receiver.nowMs(), PAYLOAD));
            assertThat(receiver.receiveAll()).as("segments in order are stored").hasSize(1);
        }
        assertThat(arrayBytes).isBetween(1L, memory.maxHeldBytes());
        assertThat(memory.heldBytes()).isBetween(arrayBytes, memory.maxHeldBytes() + 500 * 200);
    }

    @Test
    void distantSegmentsInGrownWindowsStayWithinTheLimit() {
        List<DrivenKcp> receivers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            receivers.add(driven(KcpConfig.auto()));
            growCheaply(receivers.get(i));
        }
        receivers.forEach(receiver -> receiver.kcp.trim());
        assertThat(memory.heldBytes()).isZero();
        memory.setMaxHeldBytes(1 << 20);
        long arrayBytes = 0;
        for (DrivenKcp receiver : receivers) {
            if (storesAt(receiver, receiver.kcp.nextExpectedSn() + KcpConfig.auto().maxReceiveWindow() - 1)) {
                arrayBytes += (1 << 14) * REFERENCE_BYTES;
            }
        }
        assertThat(arrayBytes).isBetween(1L, memory.maxHeldBytes());
        assertThat(memory.heldBytes()).isBetween(arrayBytes, memory.maxHeldBytes() + 60 * 200);
    }

    /** A peer makes the window grow with little traffic by pretending a round trip of ten seconds. */
    private static void growCheaply(DrivenKcp receiver) {
        int sn = 0;
        int end = RemoteWindow.INITIAL_SEGMENTS;
        for (int round = 0; round < 12; round++) {
            for (; sn < end; sn++) {
                receiver.input(WireSegment.push(sn, receiver.nowMs(), new byte[1]));
                receiver.receiveAll();
            }
            for (WireSegment segment : receiver.flush()) {
                end = segment.una() + segment.wnd();
            }
            receiver.advance(10_000);
        }
        assertThat(end - sn).isEqualTo(KcpConfig.auto().maxReceiveWindow());
    }

    @Test
    void arraysOfAnEmptyWindowAreFreedWhenTheSessionIsIdle() {
        DrivenKcp receiver = driven(WIDE);
        assertThat(storesAt(receiver, 10_000)).isTrue();
        assertThat(memory.heldBytes()).isGreaterThan(10_000 * REFERENCE_BYTES);
        for (int sn = 0; sn < 10_000; sn++) {
            receiver.input(WireSegment.push(sn, receiver.nowMs(), new byte[1]));
            receiver.receiveAll();
        }
        receiver.flush();
        receiver.kcp.trim();
        assertThat(receiver.kcp.holdsSpareMemory()).isFalse();
        assertThat(memory.heldBytes()).isZero();
    }

    @Test
    void arraysOfAnEmptyWindowAreFreedWhileMemoryIsShort() {
        DrivenKcp receiver = driven(WIDE);
        assertThat(storesAt(receiver, 10_000)).isTrue();
        for (int sn = 0; sn < 10_000; sn++) {
            receiver.input(WireSegment.push(sn, receiver.nowMs(), new byte[1]));
            receiver.receiveAll();
        }
        receiver.flush();
        assertThat(receiver.kcp.held().bytes()).isGreaterThan(10_000 * REFERENCE_BYTES);
        assertThat(receiver.kcp.held().isConstrained()).isFalse();
        memory.setMaxHeldBytes(50_000);
        assertThat(receiver.kcp.held().isConstrained()).as("an empty array is no reason to pause or close a session").isFalse();
        receiver.input(WireSegment.wask());
        receiver.flush();
        assertThat(receiver.kcp.held().bytes()).isZero();
    }

    @Test
    void queuedAcknowledgementsOfDuplicatesAreCounted() {
        DrivenKcp receiver = driven(WIDE);
        receiver.input(WireSegment.push(0, 0, new byte[1]));
        receiver.receiveAll();
        for (int i = 0; i < 10_000; i++) {
            receiver.input(WireSegment.push(0, i + 1, new byte[1]));
        }
        assertThat(memory.heldBytes()).isGreaterThan(10_000 * 2 * Integer.BYTES);
        receiver.flush();
        receiver.kcp.trim();
        assertThat(memory.heldBytes()).isZero();
    }

    @Test
    void sendWindowThatWasLargeIsCounted() {
        DrivenKcp sender = driven(WIDE);
        sender.input(WireSegment.wins(KcpConfig.MAX_WINDOW_SEGMENTS));
        sender.sendSmall(10_000);
        sender.runFor(1_000);
        assertThat(sender.kcp.waitingSegments()).isEqualTo(10_000);
        sender.input(WireSegment.wins(KcpConfig.MAX_WINDOW_SEGMENTS).withUna(9_999));
        assertThat(memory.heldBytes()).isGreaterThan(10_000 * REFERENCE_BYTES);
        sender.input(WireSegment.wins(KcpConfig.MAX_WINDOW_SEGMENTS).withUna(10_000));
        sender.kcp.trim();
        assertThat(memory.heldBytes()).isZero();
    }

    // ---- the announced window

    /** Lets other conversations hold a part of a limit of 3,200,000 bytes, and returns one more conversation, which holds nothing. */
    private DrivenKcp receiverBeside(int percentHeld) {
        memory.setMaxHeldBytes(3_200_000);
        for (int i = 0; i < 100; i++) {
            driven(WIDE).kcp.held().setBacklogBytes(memory.maxHeldBytes() * percentHeld / 100 / 100);
        }
        DrivenKcp receiver = driven(KcpConfig.auto());
        receiver.input(WireSegment.push(0, 0, PAYLOAD));
        assertThat(receiver.receiveAll()).hasSize(1);
        return receiver;
    }

    private static int announced(DrivenKcp receiver) {
        receiver.input(WireSegment.wask());
        List<WireSegment> sent = receiver.flush();
        return sent.get(sent.size() - 1).wnd();
    }

    /** The application reads nothing, and the peer fills the announced window in order or in reverse order. */
    @ParameterizedTest
    @CsvSource({"0, 512", "30, 263", "45, 65", "55, 32", "75, 32", "95, 32"})
    void everythingAnnouncedIsStored(int percentHeld, int expectedWindow) {
        for (boolean ascending : new boolean[] {true, false}) {
            DrivenKcp receiver = receiverBeside(percentHeld);
            int window = announced(receiver);
            assertThat(window).isEqualTo(expectedWindow);
            for (int i = 1; i <= window; i++) {
                receiver.input(WireSegment.push(ascending ? i : window + 1 - i, 0, PAYLOAD));
            }
            assertThat(receiver.kcp.nextExpectedSn()).isEqualTo(window + 1);
            assertThat(announced(receiver)).as("window after the application has read nothing").isLessThanOrEqualTo(window / 8);
            assertThat(receiver.receiveAll()).hasSize(window);
            receiver.kcp.trim();
            assertThat(announced(receiver)).isEqualTo(expectedWindow);
            leaks.verify();
        }
    }

    /** The peer ignores the announced window and leaves a gap, so that the application cannot read. */
    @ParameterizedTest
    @ValueSource(ints = {0, 30, 45, 55, 75, 95})
    void peerThatIgnoresTheWindowExceedsItOnlySlightly(int percentHeld) {
        DrivenKcp receiver = receiverBeside(percentHeld);
        int window = announced(receiver);
        int stored = 0;
        for (int sn = 2; sn < 3_000; sn++) {
            stored += storesAt(receiver, sn, PAYLOAD) ? 1 : 0;
        }
        assertThat(stored).isBetween(window - 1, window + window / 8 + 1);
        assertThat(memory.heldBytes()).isLessThan(memory.maxHeldBytes() + 2 * ReceiveWindow.MAX_SEGMENT_COST_BYTES);
    }

    /**
     * Above the limit, a conversation that holds nothing announces 32 segments, which the peer may send before it knows the window. Peers
     * derive the maximum size of their messages from the first window. The segments of one message are stored.
     */
    @Test
    void messageOf32SegmentsIsReceivedAboveTheLimit() {
        DrivenKcp receiver = receiverBeside(110);
        assertThat(announced(receiver)).isEqualTo(32);
        for (int sn = 1; sn <= 32; sn++) {
            receiver.input(WireSegment.push(sn, 0, PAYLOAD).withFrg(32 - sn));
        }
        assertThat(receiver.receiveAll()).singleElement().satisfies(message -> assertThat(message).hasSize(32 * PAYLOAD.length));
        for (int sn = 33; sn <= 64; sn++) {
            receiver.input(WireSegment.push(sn, 0, PAYLOAD));
        }
        assertThat(announced(receiver)).isZero();
        assertThat(receiver.receiveAll()).hasSize(2);
    }
}
