package io.kcp.core.fec;

import io.kcp.core.internal.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory and the Reed–Solomon codes that the FEC encoders and decoders of one thread share. The memory that all sessions together hold
 * for incomplete groups is limited. When a shard is stored, groups that have received no shard for 10 s are discarded. If 32,768 slabs
 * (shard buffers, 48 MiB) are already held, the groups whose latest shard is the oldest are discarded as well. Not thread-safe; each event
 * loop has its own pool.
 */
public final class ShardPool {

    /** Maximum length of a shard in bytes, including its field SIZE. */
    public static final int MAX_SHARD_BYTES = 1500;

    private static final int MAX_SLABS_HELD = 32_768;
    private static final int DEFAULT_SLABS_KEPT = 4_096;
    private static final int MAX_DETECTORS_KEPT = 16;

    private final SlabPool slabs;
    private final HeldGroups groups;
    private final CodeCache codes = new CodeCache();
    private final List<ShapeDetector> detectors = new ArrayList<>();
    // Inbound and outbound shards need separate buffers, because a session may send a response while an inbound shard is still being
    // decoded.
    private final ShardBuffer incoming = new ShardBuffer(FecHeader.SIZE_OFFSET);
    private final ShardBuffer outgoing = new ShardBuffer(0);

    /** Creates an empty pool that keeps up to 6 MiB of unused memory. */
    public ShardPool() {
        this(DEFAULT_SLABS_KEPT);
    }

    /**
     * Creates an empty pool.
     *
     * @param maxSlabsKept the maximum number of unused slabs of 1,536 bytes to keep, at least 16
     */
    public ShardPool(int maxSlabsKept) {
        this(maxSlabsKept, MAX_SLABS_HELD);
    }

    ShardPool(int maxSlabsKept, int maxSlabsHeld) {
        slabs = new SlabPool(maxSlabsKept);
        groups = new HeldGroups(this, maxSlabsHeld);
    }

    /**
     * Copies a datagram for {@link FecDecoder#decodeCopied}, so that the datagram itself can be delivered before the copy is decoded. The
     * copy is valid until the next call of this method or of {@link FecDecoder#decode}. Encoding does not change the copy.
     *
     * @param datagram the datagram, which starts with the seqid; borrowed, and its indices do not change
     * @return the length of the datagram, or -1 if it is too short or too long for a shard and cannot be decoded
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

    /** Returns the Reed–Solomon code for the given numbers of data and parity shards. */
    ReedSolomon code(FecShape shape) {
        return codes.code(shape);
    }

    /** Returns the buffer that contains the datagram copied by the latest call of {@link #copyIn}. The shard follows the FEC header. */
    ShardBuffer incoming() {
        return incoming;
    }

    /** Returns the buffer through which datagrams are encoded, parity is written and recovered shards are read. */
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
