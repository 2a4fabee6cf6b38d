package io.kcp.core.internal.receive;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.internal.base.ProtocolConstants;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.core.internal.memory.SegmentRing;
import io.kcp.core.internal.memory.SessionMemory;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Stores received segments in a ring buffer indexed by {@code sn}: first the unread segments in order, then the segments received out of
 * order. At most two receive windows of segments are stored, or one window if it grows. See sections 2.3 and 2.7 of {@code wire-format.md}.
 */
public final class ReceiveWindow {

    /** The result of {@link #offer}. */
    enum Verdict { STORED, DUPLICATE, OUT_OF_WINDOW, REFUSED }

    /**
     * Ratio of a window that grows to the number of segments that the application reads per round trip. A factor of 2 is for a rate that
     * doubles each round trip, and another factor of 2 for segments that wait for a retransmission.
     */
    private static final int READ_FACTOR = 4;

    /**
     * Minimum number of segments for which {@link #pollUnflushedQuarter} returns {@code true}. For fewer segments, ending the read batch
     * costs more than the peer's wait.
     */
    private static final int MIN_UNFLUSHED_SEGMENTS = 64;

    private final SegmentPool pool;
    private final SessionMemory memory;
    private final SegmentRing ring = new SegmentRing();
    private int windowSegments;
    private int maxWindowSegments;
    private @Nullable ReadRate readRate; // null unless the window grows
    private int highestEnd;
    /** The largest receive window so far. The peer may have learned it, and then sends messages of as many segments. */
    private int largestWindowSegments;
    private int maxMessageBytes;
    /** Limit for messages that have begun before the settings changed, whose fragments have numbers below {@link #earlierEnd}. */
    private int earlierMaxMessageBytes;
    private int earlierEnd;
    private int nextToRead;
    private int nextExpected;
    /** The value of {@link #nextExpected} when {@link #pollUnflushedQuarter} last returned {@code true}. */
    private int quarterReported;
    /** Number of segments to receive in order until small windows may be announced, see {@link #smallestOpen}. */
    private int firstSegmentsLeft = KcpConfig.MAX_FRAGMENTS;
    /** Lowest segment number whose payload may still share the memory of a larger buffer. Earlier segments own their memory. */
    private int nextToDetach;
    private int completeMessages;
    private int outOfOrder;
    private long readableBytes;
    private long outOfOrderBytes;

    public ReceiveWindow(SegmentPool pool, SessionMemory memory, int firstSn) {
        this.pool = pool;
        this.memory = memory;
        nextToRead = firstSn;
        nextExpected = firstSn;
        quarterReported = firstSn;
        highestEnd = firstSn;
        nextToDetach = firstSn;
    }

    public void reconfigure(KcpConfig config) {
        maxWindowSegments = config.maxReceiveWindow();
        boolean grows = config.windowBudgetBytes() != 0;
        // A window that has grown keeps its size, because the peer may already have sent as many segments.
        windowSegments = grows && readRate != null ? Math.min(Math.max(windowSegments, config.receiveWindow()), maxWindowSegments)
            : config.receiveWindow();
        readRate = !grows ? null : readRate == null ? new ReadRate() : readRate;
        largestWindowSegments = Math.max(largestWindowSegments, windowSegments);
        memory.setBudget(config.windowBudgetBytes());
        memory.reserve((long) windowSegments * ProtocolConstants.MAX_SEGMENT_COST_BYTES);
        limitMessages(config.mode() == KcpTransferMode.MESSAGE ? config.maxMessageBytes() : Integer.MAX_VALUE);
    }

    /** Changes the maximum size of messages. A message may already have been received in part, or may be on its way. */
    private void limitMessages(int newMaxBytes) {
        if (newMaxBytes < maxMessageBytes) {
            earlierMaxMessageBytes = Math.max(earlierMaxMessageBytes, maxMessageBytes);
            earlierEnd = highestEnd + KcpConfig.MAX_FRAGMENTS;
        }
        maxMessageBytes = newMaxBytes;
    }

    private int maxMessageBytes(int sn) {
        if (nextToRead - earlierEnd >= 0) {
            earlierMaxMessageBytes = 0;
        }
        return sn - earlierEnd < 0 ? Math.max(maxMessageBytes, earlierMaxMessageBytes) : maxMessageBytes;
    }

    /** Returns the current size of the receive window in segments. */
    int windowSegments() {
        return windowSegments;
    }

    public int nextExpected() {
        return nextExpected;
    }

    /**
     * Implements {@code Kcp.pollUnflushedQuarter}.
     *
     * @param una the {@code una} of the latest flush
     */
    public boolean pollUnflushedQuarter(int una) {
        int quarterSegments = Math.max(windowSegments >> 2, MIN_UNFLUSHED_SEGMENTS);
        if (nextExpected - una < quarterSegments || nextExpected - quarterReported < quarterSegments) {
            return false;
        }
        quarterReported = nextExpected;
        return true;
    }

    /** Returns the number of unread segments that were received in order. */
    int ready() {
        return nextExpected - nextToRead;
    }

    /** Returns the memory in bytes occupied by the unread segments received in order, including the objects that store them. */
    public long readableBytes() {
        return readableBytes;
    }

    /** Returns the memory in bytes occupied by the segments received out of order, including the objects that store them. */
    public long outOfOrderBytes() {
        return outOfOrderBytes;
    }

    /**
     * Returns the receive window to announce, in segments. It is 0 if the window is full, or if memory is scarce and the conversation holds
     * more than its share, unless a partly received message still needs room.
     */
    int free() {
        boolean scarce = !memory.mayReceiveNext();
        if (scarce && !mayComplete()) {
            return 0;
        }
        int free = Math.max(0, windowSegments - ready());
        if (scarce) {
            free = Math.min(free, Math.max(stored(nextExpected - 1).frg, smallestOpen()));
        } else if (readRate != null) {
            free = Math.min(free, Math.max(storableSegments(), smallestOpen()));
        }
        // The rest of a partly received message must still be accepted if the window has been reduced below the size of that message.
        return free == 0 && completeMessages == 0 ? Math.min(windowSegments, stored(nextExpected - 1).frg) : free;
    }

    /**
     * Returns the smallest window other than 0 that a shortage of memory may leave of a window that grows. A sender of this library derives
     * the maximum size of its messages from the largest window announced so far. The first windows therefore cover the largest message,
     * although {@link #offer} may refuse a part of it at first.
     */
    private int smallestOpen() {
        return readRate != null && firstSegmentsLeft > 0 ? KcpConfig.MAX_FRAGMENTS : 0;
    }

    /**
     * Returns the number of segments that a window that grows can store, starting with the next expected one. The segments that were
     * received out of order are among them.
     */
    private int storableSegments() {
        // A peer may send 32 segments before it knows this receive window.
        int least = isEmpty() ? ProtocolConstants.INITIAL_WINDOW_SEGMENTS : mayComplete() ? stored(nextExpected - 1).frg : 0;
        long segments = outOfOrder + memory.roomForReceiving() / (ProtocolConstants.MAX_SEGMENT_COST_BYTES + SegmentRing.BYTES_PER_SEGMENT);
        return (int) Math.max(Math.max(least, 1), Math.min(segments, windowSegments));
    }

    /** Returns the receive window to announce, like {@link #free}, and measures how soon the peer uses it up. */
    public int announce(int timeMs) {
        int free = free();
        if (readRate != null) {
            readRate.onAnnounced(nextExpected + free, timeMs);
        }
        return free;
    }

    /**
     * Enlarges a window that grows if the application has read so much within one round trip that a larger window is useful.
     *
     * @param rttMs the round-trip time of the segments of this side, or 0 if it is not known
     */
    public void grow(int rttMs, int timeMs) {
        if (readRate == null) {
            return;
        }
        readRate.onArrival(highestEnd, timeMs);
        int wanted = READ_FACTOR * readRate.segmentsPerRoundTrip(rttMs, timeMs);
        if (wanted > windowSegments) {
            long affordable = memory.budgetForReceiving() / ProtocolConstants.MAX_SEGMENT_COST_BYTES;
            int grown = (int) Math.min(Math.min(wanted, maxWindowSegments), affordable);
            if (grown > windowSegments) {
                windowSegments = grown;
                largestWindowSegments = Math.max(largestWindowSegments, grown);
                memory.reserve((long) grown * ProtocolConstants.MAX_SEGMENT_COST_BYTES);
            }
        }
    }

    /**
     * Returns {@code true} if the receive window has grown so much that it should be announced without waiting for the next acknowledgement
     * (RFC 9293, section 3.8.6.2.2). This is the case if the last announced window was 0, or was at most a quarter of the configured size
     * and has grown by half of that size. Without the announcement, the peer would use up a small window and wait a round trip for the next
     * acknowledgement.
     *
     * @param announced the last announced window, or -1 if none was announced
     */
    public boolean isUpdateDue(int announced) {
        if (announced < 0 || announced > windowSegments >> 2) {
            return false;
        }
        int growth = free() - announced;
        return growth >= (announced == 0 ? 1 : windowSegments + 1 >> 1);
    }

    public boolean hasMessage() {
        return completeMessages > 0;
    }

    /** Returns {@code true} if a message was partly received and its remaining segments may be stored although memory is scarce. */
    private boolean mayComplete() {
        return completeMessages == 0 && ready() > 0 && memory.mayComplete();
    }

    boolean isInWindow(int sn) {
        // A window that grows has a memory budget, so it also counts the unread segments. The next segment may complete a message.
        int start = readRate == null || sn == nextExpected ? nextExpected : nextToRead;
        return sn - (start + windowSegments) < 0;
    }

    /** Returns {@code true} if a segment is inside the window and was not received yet. */
    public boolean isNew(int sn) {
        return isInWindow(sn) && sn - nextExpected >= 0 && ring.get(sn) == null;
    }

    /**
     * Stores a segment if it is new, inside the window, and consistent with the adjacent fragments of its message.
     *
     * @param datagram the datagram, borrowed; this method may retain it and move its reader index to the payload
     */
    Verdict offer(int sn, int frg, ByteBuf datagram, int payloadIndex, int bytes) {
        if (!isInWindow(sn)) {
            return Verdict.OUT_OF_WINDOW;
        }
        if (sn - nextExpected < 0 || ring.get(sn) != null) {
            return Verdict.DUPLICATE;
        }
        if (!fits(sn, frg, bytes)) {
            return Verdict.REFUSED;
        }
        boolean inOrder = sn == nextExpected;
        boolean storable = inOrder ? memory.mayReceiveNext() || mayComplete()
            : memory.mayReceiveOutOfOrder(ring.growthBytes(sn, nextToRead));
        if (!storable) {
            return Verdict.OUT_OF_WINDOW;
        }
        Segment segment = pool.acquire();
        segment.sn = sn;
        segment.frg = frg;
        segment.payloadBytes = bytes;
        pool.storePayload(segment, datagram, payloadIndex, inOrder && mayAdvance());
        ring.put(segment, nextToRead);
        joinRun(segment);
        outOfOrder++;
        outOfOrderBytes += costOf(segment);
        if (sn - highestEnd >= 0) {
            highestEnd = sn + 1;
        }
        advance();
        return Verdict.STORED;
    }

    /**
     * Removes the next complete message and returns it to the caller, which then owns it, or returns null if no message is complete. Empty
     * messages are returned too.
     */
    public @Nullable ByteBuf poll() {
        if (completeMessages == 0) {
            return null;
        }
        // Allocates the buffer before removing any segment, so that the message remains stored if the allocation fails.
        ByteBuf whole = allocateIfFragmented();
        completeMessages--;
        Segment first = next();
        ByteBuf message = first.takePayload();
        if (whole != null) {
            message = assemble(whole, message, first.frg);
        }
        pool.release(first);
        if (nextToRead - nextToDetach > 0) {
            nextToDetach = nextToRead;
        }
        advance();
        if (isEmpty()) {
            ring.onEmpty();
        }
        return message;
    }

    /** Copies payloads that share the memory of larger buffers, so that unread segments do not keep these buffers alive. */
    public void detach() {
        for (; nextExpected - nextToDetach > 0; nextToDetach++) {
            Segment segment = ring.get(nextToDetach);
            if (segment != null && segment.sharesMemory) {
                ByteBuf payload = segment.payload;
                assert payload != null;
                // Allocates the copy before releasing the original, so that the segment keeps its payload if the allocation fails.
                ByteBuf copy = pool.copy(payload, payload.readerIndex(), segment.payloadBytes);
                segment.takePayload().release();
                segment.payload = copy;
                segment.sharesMemory = false;
            }
        }
    }

    /** Returns the memory in bytes of the ring buffer if it is enlarged, otherwise 0. */
    public int arrayBytes() {
        return ring.arrayBytes();
    }

    /** Frees the ring buffer if a burst has enlarged it and no segment is stored. */
    public void trim() {
        if (isEmpty()) {
            ring.trim();
        }
    }

    private boolean isEmpty() {
        return nextToRead == nextExpected && outOfOrder == 0;
    }

    public void release() {
        ring.drainTo(pool);
        nextToRead = nextExpected;
        nextToDetach = nextExpected;
        completeMessages = 0;
        outOfOrder = 0;
        readableBytes = 0;
        outOfOrderBytes = 0;
    }

    private void advance() {
        while (outOfOrder > 0 && mayAdvance()) {
            Segment segment = ring.get(nextExpected);
            if (segment == null) {
                return;
            }
            nextExpected++;
            if (firstSegmentsLeft > 0) {
                firstSegmentsLeft--;
            }
            outOfOrder--;
            outOfOrderBytes -= costOf(segment);
            readableBytes += costOf(segment);
            if (segment.frg == 0) {
                completeMessages++;
            }
        }
    }

    /** Returns {@code true} if the next segment may join those that can be read. A full window may only complete its first message. */
    private boolean mayAdvance() {
        return ready() < windowSegments || completeMessages == 0;
    }

    private static int costOf(Segment segment) {
        return segment.payloadBytes + ProtocolConstants.SEGMENT_OVERHEAD_BYTES;
    }

    private Segment next() {
        Segment segment = stored(nextToRead);
        ring.clear(nextToRead);
        nextToRead++;
        readableBytes -= costOf(segment);
        if (readRate != null) {
            readRate.onRead();
        }
        return segment;
    }

    private @Nullable ByteBuf allocateIfFragmented() {
        Segment first = stored(nextToRead);
        if (first.frg == 0) {
            return null;
        }
        return pool.allocatePayload(first.runBytes);
    }

    private ByteBuf assemble(ByteBuf message, ByteBuf firstPayload, int following) {
        firstPayload.readBytes(message, firstPayload.readableBytes());
        firstPayload.release();
        for (int i = 0; i < following; i++) {
            Segment segment = next();
            ByteBuf payload = segment.payload;
            assert payload != null;
            payload.getBytes(payload.readerIndex(), message, segment.payloadBytes);
            pool.release(segment);
        }
        return message;
    }

    /**
     * Returns {@code true} if a fragment is consistent with the adjacent fragments and its message fits in the largest window so far.
     * Otherwise the message could never become complete and would block reading forever. The message must also stay within the size limit.
     * Because an acknowledged fragment cannot be refused later, each fragment is checked together with the adjacent fragments that are
     * already stored.
     */
    private boolean fits(int sn, int frg, int payloadBytes) {
        if (frg >= Math.min(largestWindowSegments, KcpConfig.MAX_FRAGMENTS)) {
            return false;
        }
        Segment before = runBefore(sn);
        Segment after = runAfter(sn, frg);
        if (before != null && frg != before.frg - 1 || after != null && after.frg != frg - 1) {
            return false;
        }
        int maxBytes = maxMessageBytes(sn);
        return (long) frg * payloadBytes <= maxBytes && payloadBytes + bytesOf(before) + bytesOf(after) <= maxBytes;
    }

    /**
     * Merges a new fragment with the runs of consecutive fragments stored directly before and after it. The cost is O(1) because only the
     * first and the last fragment of a run store the size of the run.
     */
    private void joinRun(Segment segment) {
        Segment before = runBefore(segment.sn);
        Segment after = runAfter(segment.sn, segment.frg);
        int runBytes = segment.payloadBytes + bytesOf(before) + bytesOf(after);
        Segment first = before == null ? segment : stored(before.otherEndOfRun);
        Segment last = after == null ? segment : stored(after.otherEndOfRun);
        first.otherEndOfRun = last.sn;
        first.runBytes = runBytes;
        last.otherEndOfRun = first.sn;
        last.runBytes = runBytes;
    }

    /** Returns the segment stored directly before {@code sn} if both belong to the same message, otherwise null. */
    private @Nullable Segment runBefore(int sn) {
        // The first unread segment starts a message, so no fragment of the same message precedes it.
        Segment before = sn == nextToRead ? null : ring.get(sn - 1);
        return before == null || before.frg == 0 ? null : before;
    }

    private @Nullable Segment runAfter(int sn, int frg) {
        return frg == 0 ? null : ring.get(sn + 1);
    }

    private Segment stored(int sn) {
        Segment segment = ring.get(sn);
        assert segment != null : "no segment " + sn;
        return segment;
    }

    private static int bytesOf(@Nullable Segment endOfRun) {
        return endOfRun == null ? 0 : endOfRun.runBytes;
    }
}
