package io.kcp.core.fec;

import io.kcp.core.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory and the codes that the encoders and decoders of one thread share. The memory that all sessions together hold for incomplete
 * groups is limited: when a shard is stored, groups without a shard for 10 s are discarded, and the least recent ones above 32,768 slabs
 * (48 MiB). Not thread safe: one per event loop.
 */
public final class ShardPool {

    /** Longest shard, with its field SIZE. */
    public static final int MAX_SHARD_BYTES = 1500;

    private static final int MAX_SLABS_HELD = 32_768;
    private static final int DEFAULT_SLABS_KEPT = 4_096;
    private static final int MAX_DETECTORS_KEPT = 16;

    private final SlabPool slabs;
    private final HeldGroups groups;
    private final CodeCache codes = new CodeCache();
    private final List<ShapeDetector> detectors = new ArrayList<>();
    // Two buffers, because a session that is notified of an inbound shard may send while the shard is still being decoded.
    private final ShardBuffer incoming = new ShardBuffer(FecHeader.SIZE_OFFSET);
    private final ShardBuffer outgoing = new ShardBuffer(0);

    /** Creates an empty pool that keeps up to 6 MiB of unused slabs. */
    public ShardPool() {
        this(DEFAULT_SLABS_KEPT);
    }

    /**
     * Creates an empty pool.
     *
     * @param maxSlabsKept the number of unused slabs of 1,536 bytes that it keeps, at least 16
     */
    public ShardPool(int maxSlabsKept) {
        this(maxSlabsKept, MAX_SLABS_HELD);
    }

    ShardPool(int maxSlabsKept, int maxSlabsHeld) {
        slabs = new SlabPool(maxSlabsKept);
        groups = new HeldGroups(this, maxSlabsHeld);
    }

    /**
     * Copies a datagram for {@link FecDecoder#decodeCopied}, so that the datagram itself can be delivered first. The copy is valid
     * until the next call of this method or of {@link FecDecoder#decode}; encoding does not change it.
     *
     * @param datagram the datagram from the seqid on, borrowed; its indices stay
     * @return its length, or -1 if it is too short or too long for a shard and cannot be decoded
     */
    public int copyIn(ByteBuf datagram) {
        int length = datagram.readableBytes();
        if (length <= FecHeader.LENGTH || length > FecHeader.SIZE_OFFSET + MAX_SHARD_BYTES) {
            return -1;
        }
        incoming.copyIn(datagram, datagram.readerIndex(), FecHeader.SIZE_OFFSET, length - FecHeader.SIZE_OFFSET);
        return length;
    }

    SlabPool slabs() {
        return slabs;
    }

    HeldGroups groups() {
        return groups;
    }

    /** Returns the code for a shape. */
    ReedSolomon code(FecShape shape) {
        return codes.code(shape);
    }

    /** Returns the buffer with the datagram that {@link #copyIn} copied last. Its FEC header ends where the shard starts. */
    ShardBuffer incoming() {
        return incoming;
    }

    /** Returns a buffer for any conversion. */
    ShardBuffer outgoing() {
        return outgoing;
    }

    ShapeDetector acquireDetector() {
        return detectors.isEmpty() ? new ShapeDetector() : detectors.remove(detectors.size() - 1);
    }

    void release(ShapeDetector detector) {
        if (detectors.size() < MAX_DETECTORS_KEPT) {
            detector.reset();
            detectors.add(detector);
        }
    }
}
