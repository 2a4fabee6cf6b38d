package io.kcp.core.internal.memory;

import io.kcp.core.internal.session.DatagramReport;
import io.kcp.core.internal.session.ReadHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Recycles segments for the conversations of one thread, so that an idle conversation holds no memory left over from a past burst. Also
 * holds the objects that these conversations use one after the other. Not thread-safe; each event loop has its own pool.
 */
public final class SegmentPool {

    private static final int MAX_KEPT = 16_384;
    /**
     * Minimum size in bytes of a payload that shares the memory of its datagram instead of being copied. A shorter payload is copied
     * because a copy costs hardly more than a slice and does not keep the datagram alive.
     */
    private static final int MIN_SHARED_BYTES = 256;

    private final ByteBufAllocator allocator;
    private final MemoryLimit memoryLimit;
    private final @Nullable IntFunction<ByteBuf> shortPayloads;
    private final DatagramReport datagramReport = new DatagramReport();
    private final ReadHeader header = new ReadHeader();
    private @Nullable Segment free;
    private int kept;

    /**
     * Creates an empty pool.
     *
     * @param allocator allocates copies of payload
     */
    public SegmentPool(ByteBufAllocator allocator) {
        this(allocator, new MemoryLimit());
    }

    /**
     * Creates an empty pool whose conversations share a memory limit with the conversations of other pools.
     *
     * @param allocator   allocates copies of payload
     * @param memoryLimit counts and limits the memory that the conversations of the thread hold
     */
    public SegmentPool(ByteBufAllocator allocator, MemoryLimit memoryLimit) {
        this(allocator, memoryLimit, null);
    }

    /**
     * Creates an empty pool like {@link #SegmentPool(ByteBufAllocator, MemoryLimit)} with a cheaper allocation of short payloads.
     *
     * @param allocator     allocates copies of payload
     * @param memoryLimit   counts and limits the memory that the conversations of the thread hold
     * @param shortPayloads allocates a buffer of the given capacity in bytes for a payload of less than 256 bytes that will presumably be
     *                      read soon, or null to use {@code allocator}. The buffer may share memory with other buffers, so
     *                      {@code Kcp.detachReceived} copies unread payloads
     */
    public SegmentPool(ByteBufAllocator allocator, MemoryLimit memoryLimit, @Nullable IntFunction<ByteBuf> shortPayloads) {
        this.allocator = Objects.requireNonNull(allocator, "allocator");
        this.memoryLimit = Objects.requireNonNull(memoryLimit, "memoryLimit");
        this.shortPayloads = shortPayloads;
    }

    /** Returns the report of the datagram that a conversation of this thread is reading. It is valid until the next datagram is read. */
    public DatagramReport datagramReport() {
        return datagramReport;
    }

    /** Returns the header that a conversation of this thread is reading. It is valid until the next header is read. */
    public ReadHeader header() {
        return header;
    }

    public MemoryLimit memoryLimit() {
        return memoryLimit;
    }

    public ByteBufAllocator allocator() {
        return allocator;
    }

    /** Allocates a buffer for received payload. While direct memory is scarce, the buffer is allocated on the heap. */
    public ByteBuf allocatePayload(int bytes) {
        return memoryLimit.isScarce() ? allocator.heapBuffer(bytes) : allocator.buffer(bytes);
    }

    /**
     * Stores the payload of a segment, which shares memory with the datagram or with other payloads if it will presumably be read soon and
     * memory is not scarce.
     *
     * @param datagram the datagram, borrowed; this method may retain it and move its reader index to the payload
     */
    public void storePayload(Segment segment, ByteBuf datagram, int index, boolean readSoon) {
        int bytes = segment.payloadBytes;
        if (bytes == 0) {
            segment.payload = Unpooled.EMPTY_BUFFER;
            return;
        }
        ByteBuf shared = !readSoon || memoryLimit.isScarce() ? null
            : bytes >= MIN_SHARED_BYTES ? share(datagram, index, bytes) : copyShort(datagram, index, bytes);
        segment.sharesMemory = shared != null;
        segment.payload = shared != null ? shared : copy(datagram, index, bytes);
    }

    private @Nullable ByteBuf copyShort(ByteBuf datagram, int index, int bytes) {
        ByteBuf copy = shortPayloads == null ? null : shortPayloads.apply(bytes);
        if (copy != null) {
            datagram.getBytes(index, copy, bytes);
        }
        return copy;
    }

    /**
     * Returns a payload without copying it, as a buffer that shares the memory of the datagram. If the payload is at the end, the datagram
     * itself is returned, which saves the allocation of a slice.
     */
    private static ByteBuf share(ByteBuf datagram, int index, int bytes) {
        if (index + bytes < datagram.writerIndex()) {
            return datagram.retainedSlice(index, bytes);
        }
        return datagram.readerIndex(index).retain();
    }

    /** Copies payload to a buffer of its own, which is returned owned. */
    public ByteBuf copy(ByteBuf source, int index, int bytes) {
        ByteBuf copy = allocatePayload(bytes);
        source.getBytes(index, copy, bytes);
        return copy;
    }

    public Segment acquire() {
        Segment segment = free;
        if (segment == null) {
            return new Segment();
        }
        free = segment.next;
        segment.next = null;
        kept--;
        return segment;
    }

    /** Releases the payload of a segment and keeps the segment for reuse. */
    public void release(Segment segment) {
        segment.releasePayload();
        if (kept < MAX_KEPT) {
            segment.reset();
            segment.next = free;
            free = segment;
            kept++;
        }
    }
}
