package io.kcp.core.internal.send;

import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentList;
import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Queues segments that have not been sent yet and therefore have no {@code sn}. In stream mode, a small write is appended to the last
 * queued segment.
 */
final class SendQueue {

    private final SegmentPool pool;
    private final SegmentList segments = new SegmentList();
    private long bytes;

    SendQueue(SegmentPool pool) {
        this.pool = pool;
    }

    int size() {
        return segments.size();
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }

    /** Splits a message into fragments and queues them. Takes the message. */
    void addMessage(ByteBuf message, int mssBytes) {
        int fragments = Math.max(1, (message.readableBytes() + mssBytes - 1) / mssBytes);
        cut(message, message.readerIndex(), message.readableBytes(), mssBytes, fragments - 1, false);
    }

    /**
     * Appends bytes of a stream to the last queued segment as far as it has room, and queues the rest as new segments. Bytes that fill
     * exactly one segment are not appended to a last segment that is at least a quarter full. Takes the buffer. If this method throws, no
     * byte is queued.
     */
    void addStream(ByteBuf data, int mssBytes) {
        Segment last = segments.last();
        int appended = 0;
        if (last != null && mayAppend(data.readableBytes(), mssBytes)) {
            try {
                appended = append(last, data, mssBytes);
            } catch (RuntimeException | OutOfMemoryError failure) {
                data.release();
                throw failure;
            }
        }
        if (!data.isReadable()) {
            data.release();
            return;
        }
        try {
            cut(data, data.readerIndex(), data.readableBytes(), mssBytes, 0, true);
        } catch (OutOfMemoryError failure) {
            removeAppended(last, appended);
            throw failure;
        }
    }

    /** Returns how many bytes of a stream the last queued segment has room for. */
    int roomInLast(int mssBytes) {
        Segment last = segments.last();
        return last == null || !last.ofStream ? 0 : Math.max(0, mssBytes - last.payloadBytes);
    }

    private boolean mayAppend(int dataBytes, int mssBytes) {
        int roomBytes = roomInLast(mssBytes);
        // A relay writes what it received, often whole segments. If the first of them completed a short segment, every later one would be
        // copied into two segments. For a run of whole segments, the number of segments hardly changes; in the worst case, which is a short
        // write before each whole one, it grows by three fifths.
        boolean staysWhole = dataBytes == mssBytes && mssBytes - roomBytes >= mssBytes >> 2;
        return roomBytes > 0 && dataBytes > 0 && !staysWhole;
    }

    @Nullable Segment first() {
        return segments.first();
    }

    @Nullable Segment poll() {
        Segment segment = segments.pollFirst();
        if (segment != null) {
            bytes -= segment.payloadBytes;
        }
        return segment;
    }

    /** Releases all segments. The byte count remains, because it is the amount of undelivered data. */
    void release() {
        releaseAll(segments);
    }

    private void releaseAll(SegmentList list) {
        for (Segment segment = list.pollFirst(); segment != null; segment = list.pollFirst()) {
            pool.release(segment);
        }
    }

    /**
     * Splits queued stream segments that exceed a reduced {@code mssBytes}, so that no datagram exceeds the new MTU. If this method throws,
     * nothing changes. Message fragments keep their size, so IP may have to fragment their datagrams.
     */
    void resegmentStream(int mssBytes) {
        SegmentList tails = cutTails(mssBytes);
        // cutTails() has already allocated all new segments. This loop moves each queued segment to the end of the list and then appends
        // the new segments with the excess bytes of that segment.
        for (int left = segments.size(); left > 0; left--) {
            Segment segment = segments.pollFirst();
            assert segment != null;
            segments.addLast(segment);
            if (isCut(segment, mssBytes)) {
                int count = tailCount(segment, mssBytes);
                segment.payloadBytes = mssBytes;
                segment.appendable = false;
                for (int i = 0; i < count; i++) {
                    Segment tail = tails.pollFirst();
                    assert tail != null;
                    segments.addLast(tail);
                }
            }
        }
    }

    /**
     * Returns new segments that contain the bytes by which queued stream segments exceed {@code mssBytes}. The queued segments do not
     * change.
     */
    private SegmentList cutTails(int mssBytes) {
        SegmentList tails = new SegmentList();
        try {
            for (Segment segment = segments.first(); segment != null; segment = segment.next) {
                int count = isCut(segment, mssBytes) ? tailCount(segment, mssBytes) : 0;
                for (int i = 1; i <= count; i++) {
                    Segment tail = pool.acquire();
                    tails.addLast(tail);
                    fill(tail, segment.retainPayload(), segment.payloadIndex + i * mssBytes,
                        Math.min(mssBytes, segment.payloadBytes - i * mssBytes), 0, true);
                }
            }
            return tails;
        } catch (OutOfMemoryError failure) {
            releaseAll(tails);
            throw failure;
        }
    }

    private static boolean isCut(Segment segment, int mssBytes) {
        return segment.ofStream && segment.payloadBytes > mssBytes;
    }

    private static int tailCount(Segment segment, int mssBytes) {
        return (segment.payloadBytes - 1) / mssBytes;
    }

    private void cut(ByteBuf data, int index, int length, int mssBytes, int firstFrg, boolean ofStream) {
        int before = segments.size();
        int frg = firstFrg;
        int end = index + length;
        int start = index;
        try {
            for (; end - start > mssBytes; start += mssBytes) {
                Segment segment = pool.acquire();
                add(segment, data.retain(), start, mssBytes, frg, ofStream);
                if (frg > 0) {
                    frg--;
                }
            }
            add(pool.acquire(), data, start, end - start, frg, ofStream);
        } catch (OutOfMemoryError failure) {
            removeLast(segments.size() - before);
            data.release();
            throw failure;
        }
        bytes += length;
    }

    private void add(Segment segment, ByteBuf payload, int payloadIndex, int payloadBytes, int frg, boolean ofStream) {
        fill(segment, payload, payloadIndex, payloadBytes, frg, ofStream);
        segments.addLast(segment);
    }

    private static void fill(Segment segment, ByteBuf payload, int payloadIndex, int payloadBytes, int frg, boolean ofStream) {
        segment.payload = payload;
        segment.payloadIndex = payloadIndex;
        segment.payloadBytes = payloadBytes;
        segment.frg = frg;
        segment.ofStream = ofStream;
    }

    private void removeLast(int count) {
        for (int i = 0; i < count; i++) {
            Segment segment = segments.last();
            assert segment != null;
            segments.remove(segment);
            pool.release(segment);
        }
    }

    private void removeAppended(@Nullable Segment last, int count) {
        if (last != null && last.payload != null && count > 0) {
            last.payload.writerIndex(last.payload.writerIndex() - count);
            last.payloadBytes -= count;
            bytes -= count;
        }
    }

    private int append(Segment last, ByteBuf data, int mssBytes) {
        int count = Math.min(mssBytes - last.payloadBytes, data.readableBytes());
        ByteBuf payload = last.payload;
        assert payload != null;
        if (!last.appendable || payload.writableBytes() < count) {
            ByteBuf own = pool.allocator().buffer(mssBytes);
            payload.getBytes(last.payloadIndex, own, last.payloadBytes);
            payload.release();
            last.payload = own;
            last.payloadIndex = 0;
            last.appendable = true;
            payload = own;
        }
        data.readBytes(payload, count);
        last.payloadBytes += count;
        bytes += count;
        return count;
    }
}
