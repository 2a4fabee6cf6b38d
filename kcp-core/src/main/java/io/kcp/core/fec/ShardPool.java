package io.kcp.core.fec;

import io.kcp.core.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the encoders and decoders of one thread share: recycled slabs for shards, codes for shapes, and the memory through
 * which bytes of a {@code ByteBuf} become {@code long}s and back. What all sessions together hold of incomplete groups is
 * limited: a group of which nothing came for 10 s, and the least recent ones beyond 32,768 slabs (48 MiB), are given up when
 * the next shard of any session is stored. Not thread safe: one per event loop.
 */
public final class ShardPool {

    /** Longest shard, SIZE included. */
    public static final int MAX_SHARD_BYTES = 1500;

    /**
     * Words of a slab: enough for the longest shard, and with the array's header a multiple of 64 bytes. Slabs made one after
     * the other then lie alike in their cache lines, and where a vector load of one crosses none, no other's does: without
     * that the kernel takes a third longer.
     */
    static final int SLAB_WORDS = 190;

    static final int MAX_AGE_MS = 10_000;
    static final int MAX_SLABS_HELD = 32_768;

    private static final int SLABS_MADE_TOGETHER = 16;
    private static final int DEFAULT_SLABS_KEPT = 4_096;
    private static final int MAX_CODES = 16;
    private static final int MAX_DETECTORS_KEPT = 16;
    /** Where a header lies in {@link #incoming}, so that the shard after it begins at a word. */
    private static final int HEADER_AT = 2;
    private static final int SHARD_AT = HEADER_AT + FecHeader.SIZE_OFFSET;

    private final long[] @Nullable [] free;
    private int kept;
    private final int maxSlabsHeld;
    private int held;
    private @Nullable ShardGroup oldest;
    private @Nullable ShardGroup newest;
    private final List<ReedSolomon> codes = new ArrayList<>(MAX_CODES);
    private final List<ShapeDetector> detectors = new ArrayList<>();

    // Two of them: what came in is still looked at while a session that was told of it sends.
    private final byte[] incoming = new byte[SHARD_AT + SLAB_WORDS * Long.BYTES];
    private final LongBuffer incomingWords = words(incoming);
    private final ByteBuf incomingBytes = Unpooled.wrappedBuffer(incoming);
    private final byte[] outgoing = new byte[SLAB_WORDS * Long.BYTES];
    private final LongBuffer outgoingWords = words(outgoing);
    private final ByteBuf outgoingBytes = Unpooled.wrappedBuffer(outgoing);

    /** Creates an empty pool that keeps up to 6 MiB of slabs. */
    public ShardPool() {
        this(DEFAULT_SLABS_KEPT);
    }

    /**
     * Creates an empty pool.
     *
     * @param maxSlabsKept how many unused slabs of 1,536 bytes it keeps, at least 16
     */
    public ShardPool(int maxSlabsKept) {
        this(maxSlabsKept, MAX_SLABS_HELD);
    }

    ShardPool(int maxSlabsKept, int maxSlabsHeld) {
        if (maxSlabsKept < SLABS_MADE_TOGETHER) {
            throw new IllegalArgumentException("maxSlabsKept: " + maxSlabsKept + " (expected: at least " + SLABS_MADE_TOGETHER + ')');
        }
        free = new long[maxSlabsKept][];
        this.maxSlabsHeld = maxSlabsHeld;
    }

    /**
     * Copies a datagram, so that {@link FecDecoder#decodeCopied} can have it after the datagram has gone on. The copy lasts
     * until the next call of this method or of {@link FecDecoder#decode}; encoding does not touch it.
     *
     * @param datagram the datagram from the seqid on, borrowed, indices stay
     * @return its length, -1 if it is too short or too long for a shard: then there is nothing to decode
     */
    public int copyIn(ByteBuf datagram) {
        int length = datagram.readableBytes();
        if (length <= FecHeader.LENGTH || length > FecHeader.SIZE_OFFSET + MAX_SHARD_BYTES) {
            return -1;
        }
        datagram.getBytes(datagram.readerIndex(), incoming, HEADER_AT, length);
        return length;
    }

    long[] acquire() {
        if (kept == 0) {
            while (kept < SLABS_MADE_TOGETHER) {
                free[kept++] = new long[SLAB_WORDS];
            }
        }
        long[] slab = free[--kept];
        free[kept] = null;
        assert slab != null;
        return slab;
    }

    void release(long[] slab) {
        if (kept < free.length) {
            free[kept++] = slab;
        }
    }

    /** Takes notice that a group is about to hold one slab more; other groups may have to give up theirs for it. */
    void onStored(ShardGroup group, int nowMs) {
        unlink(group);
        for (ShardGroup first = oldest; first != null && (held >= maxSlabsHeld || nowMs - first.storedAtMs > MAX_AGE_MS);
            first = oldest) {
            first.clear(this);
        }
        held++;
        group.storedAtMs = nowMs;
        group.older = newest;
        if (newest == null) {
            oldest = group;
        } else {
            newest.newer = group;
        }
        newest = group;
    }

    /** Takes notice that a group holds none any more. */
    void onCleared(ShardGroup group, int slabs) {
        held -= slabs;
        unlink(group);
    }

    private void unlink(ShardGroup group) {
        ShardGroup before = group.older;
        ShardGroup after = group.newer;
        if (before != null) {
            before.newer = after;
        } else if (oldest == group) {
            oldest = after;
        }
        if (after != null) {
            after.older = before;
        } else if (newest == group) {
            newest = before;
        }
        group.older = null;
        group.newer = null;
    }

    /** Returns how many slabs groups hold. */
    int held() {
        return held;
    }

    int kept() {
        return kept;
    }

    /** Returns the code for a shape: the same for all sessions, since preparing one is dear. */
    ReedSolomon code(FecShape shape) {
        for (int i = 0; i < codes.size(); i++) {
            ReedSolomon code = codes.get(i);
            if (code.dataShards() == shape.dataShards() && code.parityShards() == shape.parityShards()) {
                if (i > 0) {
                    codes.set(i, codes.get(i - 1));
                    codes.set(i - 1, code);
                }
                return code;
            }
        }
        if (codes.size() == MAX_CODES) {
            codes.remove(MAX_CODES - 1);
        }
        ReedSolomon code = new ReedSolomon(shape.dataShards(), shape.parityShards());
        codes.add(code);
        return code;
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

    /** Returns the latest copied datagram; its header begins at {@link #headerAt()}. */
    ByteBuf incoming() {
        return incomingBytes;
    }

    static int headerAt() {
        return HEADER_AT;
    }

    /** Moves the shard of the latest copied datagram into a slab. */
    void incomingToSlab(int shardBytes, long[] slab) {
        int end = SHARD_AT + shardBytes;
        int words = wordsOf(shardBytes);
        Arrays.fill(incoming, end, SHARD_AT + words * Long.BYTES, (byte) 0);
        incomingWords.get(SHARD_AT / Long.BYTES, slab, 0, words);
    }

    /** Copies bytes of a borrowed buffer into a slab. */
    void bytesToSlab(ByteBuf source, int index, int shardBytes, long[] slab) {
        int words = wordsOf(shardBytes);
        source.getBytes(index, outgoing, 0, shardBytes);
        Arrays.fill(outgoing, shardBytes, words * Long.BYTES, (byte) 0);
        outgoingWords.get(0, slab, 0, words);
    }

    /** Returns the bytes of a slab, until the next conversion. */
    ByteBuf slabToBytes(long[] slab, int shardBytes) {
        outgoingWords.put(0, slab, 0, wordsOf(shardBytes));
        return outgoingBytes;
    }

    /** Appends some bytes of a slab to a borrowed buffer. */
    void writeSlab(long[] slab, int from, int to, ByteBuf out) {
        outgoingWords.put(0, slab, 0, wordsOf(to));
        out.writeBytes(outgoing, from, to - from);
    }

    /** Zeroes a slab from the end of its shard to where the kernel will read. */
    static void pad(long[] slab, int shardBytes, int longestBytes) {
        int from = wordsOf(shardBytes);
        int to = wordsOf(longestBytes);
        for (int i = from; i < to; i++) {
            slab[i] = 0;
        }
    }

    static int wordsOf(int bytes) {
        return (bytes + Long.BYTES - 1) / Long.BYTES;
    }

    private static LongBuffer words(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asLongBuffer();
    }
}
