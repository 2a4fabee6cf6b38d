package io.kcp.core;

import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the conversations of one thread share: recycled segments and the allocator of their buffers, so that an idle
 * conversation holds no memory for the burst it once had. Not thread safe: one per event loop.
 */
public final class SegmentPool {

    private static final int MAX_KEPT = 16_384;

    private final ByteBufAllocator allocator;
    private @Nullable Segment free;
    private int kept;

    /**
     * Creates an empty pool.
     *
     * @param allocator where payload copies come from
     */
    public SegmentPool(ByteBufAllocator allocator) {
        this.allocator = Objects.requireNonNull(allocator, "allocator");
    }

    ByteBufAllocator allocator() {
        return allocator;
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

    /** Releases the payload, if there still is one, and keeps the object for the next use. */
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
