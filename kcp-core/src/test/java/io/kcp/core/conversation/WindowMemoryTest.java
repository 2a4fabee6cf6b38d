package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SegmentPool;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
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

    private final MemoryLimit memory = new MemoryLimit();
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
        assertThat(arrayBytes).isBetween(1L, memory.maxHeldBytes() / 2);
        assertThat(memory.heldBytes()).as("half of the limit remains for data")
            .isBetween(arrayBytes, memory.maxHeldBytes() / 2 + 500 * 200);
    }

    @Test
    void arrayGrowsWithinTheShareAboveHalfOfTheLimit() {
        holdPercent(75);
        DrivenKcp receiver = driven(WIDE);
        assertThat(storesAt(receiver, 40_000)).isFalse();
        assertThat(storesAt(receiver, 1_000)).as("an array of 8 KiB is below the share of 15,841 bytes").isTrue();
    }

    @Test
    @Tag("slow")
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
        int end = ProtocolConstants.INITIAL_WINDOW_SEGMENTS;
        for (int round = 0; round < 12 && end - sn < KcpConfig.auto().maxReceiveWindow(); round++) {
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
        assertThat(receiver.kcp.memory().bytes()).isGreaterThan(10_000 * REFERENCE_BYTES);
        assertThat(receiver.kcp.memory().isConstrained()).isFalse();
        memory.setMaxHeldBytes(50_000);
        assertThat(receiver.kcp.memory().isConstrained()).as("an empty array is no reason to pause or close a session").isFalse();
        receiver.input(WireSegment.wask());
        receiver.flush();
        assertThat(receiver.kcp.memory().bytes()).isZero();
    }

    @Test
    void readFreesAnEmptyArrayWhileMemoryIsShort() {
        DrivenKcp receiver = driven(WIDE);
        for (int sn = 0; sn < 200; sn++) {
            receiver.input(WireSegment.push(sn, 0, new byte[1]));
        }
        receiver.flush();
        memory.setMaxHeldBytes(1);
        receiver.receiveAll();
        assertThat(receiver.kcp.holdsSpareMemory()).isFalse();
        assertThat(receiver.kcp.memory().bytes()).isZero();
    }

    @Test
    void arrayThatAReadShrinksIsCountedAtOnce() {
        DrivenKcp receiver = driven(WIDE);
        int sn = 0;
        for (int burst : new int[] {40, 1, 200, 1, 1, 1, 70, 3}) {
            for (int i = 0; i < burst; i++) {
                receiver.input(WireSegment.push(sn++, 0, new byte[1]));
            }
            receiver.flush();
            receiver.input(WireSegment.wins(128));
            receiver.receiveAll();
            long counted = receiver.kcp.memory().bytes();
            receiver.input(WireSegment.wins(128));
            assertThat(counted).as("after %d segments", sn).isEqualTo(receiver.kcp.memory().bytes());
        }
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

    /** Number of segments after which a session may announce a small window. */
    private static final int FIRST_SEGMENTS = KcpConfig.MAX_FRAGMENTS;

    /** Lets other conversations hold a part of a limit of 3,200,000 bytes. */
    private void holdPercent(int percentHeld) {
        memory.setMaxHeldBytes(3_200_000);
        for (int i = 0; i < 100; i++) {
            driven(WIDE).kcp.memory().setBacklogBytes(memory.maxHeldBytes() * percentHeld / 100 / 100);
        }
    }

    /** Returns one more conversation, which holds nothing and has received {@link #FIRST_SEGMENTS}. */
    private DrivenKcp receiverBeside(int percentHeld) {
        holdPercent(percentHeld);
        DrivenKcp receiver = driven(KcpConfig.auto());
        for (int sn = 0; sn < FIRST_SEGMENTS; sn++) {
            receiver.input(WireSegment.push(sn, 0, PAYLOAD));
            assertThat(receiver.receiveAll()).hasSize(1);
            receiver.flush();
        }
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
            for (int i = 0; i < window; i++) {
                receiver.input(WireSegment.push(FIRST_SEGMENTS + (ascending ? i : window - 1 - i), 0, PAYLOAD));
            }
            assertThat(receiver.kcp.nextExpectedSn()).isEqualTo(FIRST_SEGMENTS + window);
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
        for (int sn = FIRST_SEGMENTS + 1; sn < FIRST_SEGMENTS + 3_000; sn++) {
            stored += storesAt(receiver, sn, PAYLOAD) ? 1 : 0;
        }
        assertThat(stored).isBetween(window - 1, window + window / 8 + 1);
        assertThat(memory.heldBytes()).isLessThan(memory.maxHeldBytes() + 2 * ProtocolConstants.MAX_SEGMENT_COST_BYTES);
    }

    /** A distant segment enlarges the array, which uses half of the budget. Small segments may use the rest. */
    @Test
    void arrayOfTheReceiveWindowCountsOnceAgainstTheBudget() {
        int budgetBytes = 1 << 17;
        DrivenKcp receiver = driven(KcpConfig.auto().toBuilder().receiveWindow(8_000).windowBudgetBytes(budgetBytes).build());
        for (int sn = 7_999; sn > 7_000; sn--) {
            receiver.input(WireSegment.push(sn, 0, new byte[1]));
        }
        assertThat(receiver.kcp.memory().bytes()).isBetween(budgetBytes - 100L, budgetBytes + 400L);
    }

    /**
     * Above the limit, a conversation that holds nothing announces 32 segments. The segments of one message are stored.
     */
    @Test
    void messageOf32SegmentsIsReceivedAboveTheLimit() {
        DrivenKcp receiver = receiverBeside(110);
        assertThat(announced(receiver)).isEqualTo(32);
        for (int i = 0; i < 32; i++) {
            receiver.input(WireSegment.push(FIRST_SEGMENTS + i, 0, PAYLOAD).withFrg(31 - i));
        }
        assertThat(receiver.receiveAll()).singleElement().satisfies(message -> assertThat(message).hasSize(32 * PAYLOAD.length));
        for (int i = 32; i < 64; i++) {
            receiver.input(WireSegment.push(FIRST_SEGMENTS + i, 0, PAYLOAD));
        }
        assertThat(announced(receiver)).isZero();
        assertThat(receiver.receiveAll()).hasSize(2);
    }

    // ---- the first windows

    /** Peers derive the maximum size of their messages from the largest window so far, also from one that covers unread segments. */
    @ParameterizedTest
    @ValueSource(ints = {0, 55, 75, 95, 110})
    void firstWindowsCoverTheLargestMessage(int percentHeld) {
        holdPercent(percentHeld);
        DrivenKcp receiver = driven(KcpConfig.auto());
        assertThat(announced(receiver)).as("empty window").isGreaterThanOrEqualTo(KcpConfig.MAX_FRAGMENTS);
        receiver.input(WireSegment.push(2, 0, PAYLOAD), WireSegment.push(3, 0, PAYLOAD));
        assertThat(announced(receiver)).as("only segments out of order").isGreaterThanOrEqualTo(KcpConfig.MAX_FRAGMENTS);
        receiver.input(WireSegment.push(0, 0, PAYLOAD).withFrg(19));
        assertThat(announced(receiver)).as("partly received message").isGreaterThanOrEqualTo(KcpConfig.MAX_FRAGMENTS);
        for (int sn = 1; sn < 20; sn++) {
            receiver.input(WireSegment.push(sn, 0, PAYLOAD).withFrg(19 - sn));
        }
    }

    @Test
    void windowBelow255SegmentsIsAnnouncedInFull() {
        holdPercent(95);
        DrivenKcp receiver = driven(KcpConfig.auto().toBuilder().receiveWindow(100).build());
        assertThat(announced(receiver)).isEqualTo(100);
    }

    /** The peer fills the first window of 255 segments although only 32 of them may be stored. */
    @Test
    void excessOfTheFirstWindowIsRefused() {
        holdPercent(95);
        DrivenKcp receiver = driven(KcpConfig.auto());
        int window = announced(receiver);
        for (int sn = 0; sn < window; sn++) {
            receiver.input(WireSegment.push(sn, 0, PAYLOAD));
        }
        assertThat(announced(receiver)).isZero();
        assertThat(receiver.receiveAll()).hasSizeBetween(32, 36);
        assertThat(announced(receiver)).isEqualTo(KcpConfig.MAX_FRAGMENTS);
    }

    /** The event loop of the receiver holds more than half of its limit. The message is sent before or after the first response. */
    @ParameterizedTest
    @CsvSource({"55, true", "55, false", "95, true", "95, false", "110, true", "110, false"})
    void newSessionReceives100KilobyteMessageWhileMemoryIsScarce(int percentHeld, boolean windowIsKnown) {
        holdPercent(percentHeld);
        DrivenKcp receiver = driven(KcpConfig.auto());
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.auto());
        List<byte[]> received = new ArrayList<>();
        sender.send(new byte[100]);
        if (windowIsKnown) {
            exchange(sender, receiver, received, 500);
            assertThat(sender.kcp.maxMessageBytes()).isGreaterThan(100_000);
        }
        sender.send(new byte[100_000]);
        exchange(sender, receiver, received, 20_000);
        assertThat(sender.kcp.initialWindowMessages().failure()).isNull();
        assertThat(received).extracting(message -> message.length).containsExactly(100, 100_000);
    }

    /** While the large message is queued, the receiver announces windows that depend on unread messages and on its memory. */
    @ParameterizedTest
    @ValueSource(ints = {8, 16, 24, 30})
    void firstMessageIsReceivedAfterLateReadWhileMemoryIsScarce(int smallMessages) {
        holdPercent(55);
        DrivenKcp receiver = driven(KcpConfig.auto());
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.auto());
        for (int i = 0; i < smallMessages; i++) {
            sender.send(new byte[1_000]);
        }
        sender.send(new byte[100_000]);
        exchange(sender, receiver, null, 3_000);
        assertThat(sender.kcp.initialWindowMessages().failure()).isNull();
        List<byte[]> received = new ArrayList<>();
        exchange(sender, receiver, received, 20_000);
        assertThat(sender.kcp.initialWindowMessages().failure()).isNull();
        assertThat(received).hasSize(smallMessages + 1);
        assertThat(received.get(smallMessages)).hasSize(100_000);
    }

    /** Passes all datagrams between two conversations without delay, and reads all messages unless {@code received} is null. */
    private static void exchange(DrivenKcp sender, DrivenKcp receiver, @Nullable List<byte[]> received, int forMs) {
        for (int elapsedMs = 0; elapsedMs < forMs; elapsedMs += 10) {
            for (WireSegment segment : sender.flush()) {
                receiver.input(segment);
            }
            if (received != null) {
                received.addAll(receiver.receiveAll());
            }
            for (WireSegment segment : receiver.flush()) {
                sender.input(segment);
            }
            sender.advance(10);
            receiver.advance(10);
        }
    }
}
