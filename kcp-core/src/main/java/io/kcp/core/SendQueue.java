package io.kcp.core;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Segments that were cut from what the application wrote and have no {@code sn} yet. In stream mode a small write joins
 * the last of them.
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

    /** Takes the message and cuts it into fragments. */
    void addMessage(ByteBuf message, int mssBytes) {
        int fragments = Math.max(1, (message.readableBytes() + mssBytes - 1) / mssBytes);
        cut(message, message.readerIndex(), message.readableBytes(), mssBytes, fragments - 1, false);
    }

    /** Takes the bytes, and queues none of them where it throws; fills the last segment that waits before it starts new ones. */
    void addStream(ByteBuf data, int mssBytes) {
        Segment last = segments.last();
        int appended = 0;
        if (last != null && last.ofStream && last.payloadBytes < mssBytes && data.isReadable()) {
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

    @Nullable Segment poll() {
        Segment segment = segments.pollFirst();
        if (segment != null) {
            bytes -= segment.payloadBytes;
        }
        return segment;
    }

    /** Releases all; the count of bytes stays, it tells what was not delivered. */
    void release() {
        for (Segment segment = segments.pollFirst(); segment != null; segment = segments.pollFirst()) {
            pool.release(segment);
        }
    }

    /**
     * Cuts segments whose payload exceeds a smaller {@code mssBytes}, so that none makes a datagram above the new MTU.
     * Fragments of messages are left to {@link Kcp}, which keeps them whole: IP fragments those few datagrams.
     */
    void resegmentStream(int mssBytes) {
        int count = segments.size();
        for (int i = 0; i < count; i++) {
            Segment segment = segments.pollFirst();
            if (segment == null) {
                return;
            }
            if (!segment.ofStream || segment.payloadBytes <= mssBytes) {
                segments.addLast(segment);
            } else {
                bytes -= segment.payloadBytes;
                int length = segment.payloadBytes;
                int index = segment.payloadIndex;
                ByteBuf payload = segment.takePayload();
                pool.release(segment);
                cut(payload, index, length, mssBytes, 0, true);
            }
        }
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
        segment.payload = payload;
        segment.payloadIndex = payloadIndex;
        segment.payloadBytes = payloadBytes;
        segment.frg = frg;
        segment.ofStream = ofStream;
        segments.addLast(segment);
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
