package io.kcp.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Recycles segments for the conversations of one thread, so that an idle conversation holds no memory left over from a past burst. Also
 * holds the objects that these conversations use one after the other. Not thread-safe; each event loop has its own pool.
 */
public final class SegmentPool {

    private static final int MAX_KEPT = 16_384;

    private final ByteBufAllocator allocator;
    private final HeldMemory held;
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
        this(allocator, new HeldMemory());
    }

    /**
     * Creates an empty pool whose conversations share a memory limit with the conversations of other pools.
     *
     * @param allocator allocates copies of payload
     * @param held      counts and limits the memory that the conversations of the thread hold
     */
    public SegmentPool(ByteBufAllocator allocator, HeldMemory held) {
        this(allocator, held, null);
    }

    /**
     * Creates an empty pool like {@link #SegmentPool(ByteBufAllocator, HeldMemory)} with a cheaper allocation of short payloads.
     *
     * @param allocator     allocates copies of payload
     * @param held          counts and limits the memory that the conversations of the thread hold
     * @param shortPayloads allocates a buffer of the given capacity in bytes for a payload of less than 256 bytes that will presumably be
     *                      read soon, or null to use {@code allocator}. The buffer may share memory with other buffers, so
     *                      {@link Kcp#detachReceived} copies unread payloads
     */
    public SegmentPool(ByteBufAllocator allocator, HeldMemory held, @Nullable IntFunction<ByteBuf> shortPayloads) {
        this.allocator = Objects.requireNonNull(allocator, "allocator");
        this.held = Objects.requireNonNull(held, "held");
        this.shortPayloads = shortPayloads;
    }

    /** Returns the report of the datagram that a conversation of this thread is reading. It is valid until the next datagram is read. */
    DatagramReport datagramReport() {
        return datagramReport;
    }

    /** Returns the header that a conversation of this thread is reading. It is valid until the next header is read. */
    ReadHeader header() {
        return header;
    }

    HeldMemory held() {
        return held;
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    /** Allocates a buffer for received payload. While direct memory is scarce, the buffer is allocated on the heap. */
    ByteBuf allocatePayload(int bytes) {
        return held.isScarce() ? allocator.heapBuffer(bytes) : allocator.buffer(bytes);
    }

    /**
     * Allocates a buffer for a payload of less than 256 bytes that will presumably be read soon. The buffer may share memory with other
     * buffers. Returns null if the pool was created without an allocation of such buffers.
     */
    @Nullable ByteBuf allocateShort(int bytes) {
        return shortPayloads == null ? null : shortPayloads.apply(bytes);
    }

    Segment acquire() {
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
    void release(Segment segment) {
        segment.releasePayload();
        if (kept < MAX_KEPT) {
            segment.reset();
            segment.next = free;
            free = segment;
            kept++;
        }
    }
}
