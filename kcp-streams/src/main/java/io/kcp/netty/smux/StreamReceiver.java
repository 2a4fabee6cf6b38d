package io.kcp.netty.smux;

import io.kcp.netty.internal.base.BufferMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Implements the receiving half of a stream. Fires received bytes through the pipeline as long as reads are pending, queues them
 * otherwise, and reports consumed bytes to a peer of version 2. A {@code read()} from within a handler only sets a flag that the
 * delivery loop checks, so that the stack does not grow.
 */
final class StreamReceiver {

    private static final int MIN_SLICE_BYTES = 256;
    private static final int MIN_QUEUED_SLICE_BYTES = 1_024;
    private static final int MIN_CHUNK_BYTES = 256;
    private static final int MAX_CHUNK_BYTES = 16_384;

    private final AbstractSmuxStream stream;
    private final SmuxContext link;
    private @Nullable Deque<ByteBuf> queue;
    /** The last buffer of the queue if it is a chunk to which more bytes can be appended, otherwise null. */
    private @Nullable ByteBuf chunk;
    /** Capacity of the next chunk. It doubles with each chunk, up to 16 KiB, and is reset when the queue becomes empty. */
    private int nextChunkBytes = MIN_CHUNK_BYTES;
    private int queuedBytes;
    private long receivedBytes;
    private long consumedBytes;
    private long advertisedBytes;
    private boolean updateDue;
    private boolean readPending;
    private boolean delivering;
    /**
     * Whether {@code channelRead} was fired in the current read batch of the parent channel and {@code channelReadComplete} is still due.
     */
    private boolean inBatch;
    private boolean discarding;
    private boolean finReceived;
    private volatile boolean shutdown;

    StreamReceiver(AbstractSmuxStream stream, SmuxContext link) {
        this.stream = stream;
        this.link = link;
    }

    void setReadPending(boolean readPending) {
        this.readPending = readPending;
    }

    /** Returns {@code true} if the pipeline receives no further data, because the peer or this side has shut down the input. */
    boolean isShutdown() {
        return shutdown;
    }

    boolean isFinReceived() {
        return finReceived;
    }

    // ---- received frames

    void onPayload(ByteBuf input, int bytes) throws SmuxException {
        if (finReceived) {
            link.counters().ignored++;
            return;
        }
        receivedBytes += bytes;
        if (link.isV2() && receivedBytes > maxReceivedBytes()) {
            throw new SmuxException(SmuxError.WINDOW_EXCEEDED, stream + " received " + receivedBytes + " bytes, of which "
                + consumedBytes + " were consumed (window: " + link.settings().streamBufferBytes() + ")");
        }
        if (discarding) {
            consume(bytes);
        } else if (mayDeliverNow()) {
            deliverNow(input, bytes);
        } else {
            enqueue(input, bytes);
        }
    }

    /**
     * Returns the number of bytes that the peer may have sent so far. In the Go library, each goroutine that writes to a stream checks the
     * window without a lock, and then sends as much as the window allowed. The limit therefore exceeds the window by the size of the
     * receive buffer, which limits the stored bytes in any case.
     */
    private long maxReceivedBytes() {
        SmuxSettings settings = link.settings();
        return Math.max(FrameFormat.INITIAL_WINDOW_BYTES, advertisedBytes + settings.streamBufferBytes())
            + settings.receiveBufferBytes() + FrameFormat.MAX_PAYLOAD_BYTES;
    }

    void onFin() {
        if (finReceived) {
            link.counters().ignored++;
            return;
        }
        finReceived = true;
        endBatch();
        if (discarding) {
            endInput();
        } else {
            deliver();
        }
    }

    // ---- delivery

    private boolean mayDeliverNow() {
        return !delivering && queuedBytes == 0 && stream.isReading()
            && (readPending || inBatch && handle().continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER));
    }

    private void deliverNow(ByteBuf input, int bytes) {
        ByteBuf message = bytes < MIN_SLICE_BYTES
            ? stream.alloc().buffer(bytes).writeBytes(input, input.readerIndex(), bytes)
            : input.retainedSlice(input.readerIndex(), bytes);
        if (!inBatch) {
            inBatch = true;
            handle().reset(stream.config());
            link.addToBatch(stream);
        }
        delivering = true;
        try {
            fire(message);
        } finally {
            delivering = false;
        }
        if (!handle().continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER)) {
            endBatch();
        }
    }

    /** Fires {@code channelReadComplete} if it is due for bytes that were delivered without being queued. */
    void endBatch() {
        if (inBatch && !delivering) {
            inBatch = false;
            handle().readComplete();
            if (stream.isActive()) {
                stream.pipeline().fireChannelReadComplete();
            }
        }
    }

    /** Delivers queued bytes, and the end of the input after them, while a read is pending or the session is closing. */
    void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while ((readPending || link.isClosed()) && stream.isReading() && !discarding) {
                if (queuedBytes > 0) {
                    deliverQueued();
                } else {
                    if (finReceived && !shutdown) {
                        readPending = false;
                        endInput();
                    }
                    break;
                }
            }
        } finally {
            delivering = false;
        }
    }

    private void deliverQueued() {
        inBatch = false;
        handle().reset(stream.config());
        do {
            assert queue != null;
            ByteBuf message = queue.remove();
            if (message == chunk) {
                chunk = null;
            }
            queuedBytes -= message.readableBytes();
            if (queuedBytes == 0) {
                nextChunkBytes = MIN_CHUNK_BYTES;
            }
            link.returnToBucket(message.readableBytes());
            fire(message);
        } while (queuedBytes > 0 && stream.isReading()
            && (link.isClosed() || handle().continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER)));
        handle().readComplete();
        if (stream.isActive()) {
            stream.pipeline().fireChannelReadComplete();
        }
    }

    private void fire(ByteBuf message) {
        readPending = false;
        int bytes = message.readableBytes();
        handle().incMessagesRead(1);
        handle().lastBytesRead(bytes);
        consume(bytes);
        stream.pipeline().fireChannelRead(message);
    }

    private void endInput() {
        if (!shutdown) {
            shutdown = true;
            stream.onInputEnd();
        }
    }

    private RecvByteBufAllocator.ExtendedHandle handle() {
        return (RecvByteBufAllocator.ExtendedHandle) stream.unsafe().recvBufAllocHandle();
    }

    // ---- queued bytes

    /**
     * Queues bytes, as a slice if they are at least 1 KiB, at least half of their root buffer, and longer than the room in the last
     * chunk. Otherwise copies them. The unused rest of a chunk is therefore shorter than the slice after it.
     */
    private void enqueue(ByteBuf input, int bytes) {
        Deque<ByteBuf> buffers = queue;
        if (buffers == null) {
            buffers = new ArrayDeque<>();
            queue = buffers;
        }
        boolean fitsChunk = chunk != null && bytes <= chunk.writableBytes();
        if (!fitsChunk && bytes >= MIN_QUEUED_SLICE_BYTES && bytes >= BufferMemory.rootCapacity(input) >> 1) {
            buffers.add(input.retainedSlice(input.readerIndex(), bytes));
            chunk = null;
        } else {
            copy(buffers, input, bytes);
        }
        queuedBytes += bytes;
        link.takeFromBucket(bytes);
    }

    private void copy(Deque<ByteBuf> buffers, ByteBuf input, int bytes) {
        int copied = 0;
        ByteBuf last = chunk;
        if (last != null) {
            copied = Math.min(bytes, last.writableBytes());
            last.writeBytes(input, input.readerIndex(), copied);
        }
        if (copied < bytes) {
            int rest = bytes - copied;
            ByteBuf added = stream.alloc().buffer(Math.max(rest, nextChunkBytes));
            added.writeBytes(input, input.readerIndex() + copied, rest);
            buffers.add(added);
            chunk = added;
            nextChunkBytes = Math.min(MAX_CHUNK_BYTES, nextChunkBytes << 1);
        }
    }

    /** Discards the queued bytes and all bytes that are received later. */
    void discard() {
        discarding = true;
        int discarded = queuedBytes;
        release();
        consume(discarded);
        if (finReceived) {
            endInput();
        }
    }

    /** Marks the input as shut down by this side, and discards all data of the peer. */
    void shutDown() {
        shutdown = true;
        discard();
    }

    /** Releases the queued bytes and returns them to the receive buffer of the link. */
    void release() {
        int discarded = queuedBytes;
        queuedBytes = 0;
        nextChunkBytes = MIN_CHUNK_BYTES;
        chunk = null;
        Deque<ByteBuf> buffers = queue;
        queue = null;
        if (buffers != null) {
            buffers.forEach(ByteBuf::release);
            link.returnToBucket(discarded);
        }
    }

    // ---- windows of version 2

    /**
     * Counts consumed bytes. A UPD frame is due after the first bytes, and whenever half of the stream buffer has been consumed since the
     * last one.
     */
    private void consume(int bytes) {
        boolean first = consumedBytes == 0;
        consumedBytes += bytes;
        if (link.isV2() && bytes > 0 && !finReceived
            && (first || consumedBytes - advertisedBytes >= Math.max(1, link.settings().streamBufferBytes() >> 1))) {
            updateDue = true;
            link.scheduler().addControl(stream);
        }
    }

    boolean isUpdateDue() {
        return updateDue;
    }

    /** Appends the due UPD frame to a <b>borrowed</b> buffer. */
    void writeUpdate(ByteBuf out) {
        updateDue = false;
        advertisedBytes = consumedBytes;
        FrameFormat.writeHeader(out, SmuxVersion.V2, FrameFormat.UPD, FrameFormat.UPDATE_BYTES, stream.id32());
        out.writeIntLE((int) consumedBytes);
        out.writeIntLE(link.settings().streamBufferBytes());
    }
}
