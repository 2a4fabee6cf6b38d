package io.kcp.core.fec;

import io.kcp.core.ShardArrivals;
import io.kcp.core.internal.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of FEC for one session: numbers the datagrams of the session and adds parity to each full group. It encodes every
 * outbound datagram, including those that contain only acknowledgements.
 *
 * <p>A group has no parity if its last datagram is sent {@value #MAX_GAP_MS} ms or more after the previous one, because lost datagrams have
 * been retransmitted by then. The seqids of its parity are skipped. A group that is never filled has no parity either, and its memory is
 * held until {@link #abandonGroup} ends the group.
 *
 * <p>The encoder holds no memory before the first datagram, and none between two groups once the parity has been written. Not thread-safe.
 */
public final class FecEncoder {

    private static final int MAX_GAP_MS = 500;

    private final ShardPool pool;
    private final FecShape shape;
    private final ReedSolomon code;
    private final int paws;
    private int nextSeqid;
    /** Data shards of the current group, followed by the parity shards of the previous group that have not been written yet. */
    private final long[] @Nullable [] shards;
    private final int[] lengths;
    private int filled;
    private int longest;
    private int parityPending;
    private int firstParitySeqid;
    private boolean sentBefore;
    private int lastSentMs;
    private long paritySent;
    private long paritySkipped;
    private final @Nullable AdaptiveParity adaptive; // null unless parity is adaptive
    private final @Nullable ArrivalMonitor arrivals; // null unless parity is adaptive and losses can be observed

    /**
     * Creates an encoder whose first datagram has the seqid 0.
     *
     * @param config the settings
     * @param pool   the pool of the thread that uses the encoder
     */
    public FecEncoder(FecConfig config, ShardPool pool) {
        this(config, pool, 0);
    }

    /** Creates an encoder with the given first seqid, which must be a multiple of the group size. */
    FecEncoder(FecConfig config, ShardPool pool, int firstSeqid) {
        this.pool = Objects.requireNonNull(pool, "pool");
        shape = config.shape();
        code = pool.code(shape);
        paws = shape.paws();
        if (Integer.remainderUnsigned(firstSeqid, shape.totalShards()) != 0 || Integer.compareUnsigned(firstSeqid, paws) >= 0) {
            throw new IllegalArgumentException("firstSeqid: " + Integer.toUnsignedString(firstSeqid)
                + " (expected: a multiple of " + shape.totalShards() + " below " + Integer.toUnsignedString(paws) + ')');
        }
        nextSeqid = firstSeqid;
        shards = new long[shape.totalShards()][];
        lengths = new int[shape.dataShards()];
        BurstLoss loss = new BurstLoss(shape.dataShards());
        adaptive = config.isAdaptive() ? new AdaptiveParity(config, loss) : null;
        arrivals = config.isAdaptive() && shape.dataShards() >= ArrivalMonitor.MIN_DATA_SHARDS
            ? new ArrivalMonitor(shape.dataShards(), loss) : null;
    }

    /**
     * Adds the FEC header to a datagram and moves the reader index of the datagram to the header. Unwritten parity of an earlier group is
     * discarded.
     *
     * @param datagram a KCP datagram, borrowed, with at least {@value FecHeader#LENGTH} bytes before its reader index
     * @param nowMs    the time in milliseconds, which may wrap
     * @return the number of parity datagrams to send after this datagram; 0 unless it completes a group in time
     * @throws IllegalArgumentException if there is no room for the header, or the datagram exceeds the maximum length of a shard
     */
    public int encode(ByteBuf datagram, int nowMs) {
        int payloadBytes = datagram.readableBytes();
        int header = datagram.readerIndex() - FecHeader.LENGTH;
        int shardBytes = FecHeader.SIZE_LENGTH + payloadBytes;
        if (header < 0) {
            throw new IllegalArgumentException("datagram: " + datagram.readerIndex() + " bytes before the reader index (expected: "
                + "at least " + FecHeader.LENGTH + ')');
        }
        if (shardBytes > ShardPool.MAX_SHARD_BYTES) {
            throw new IllegalArgumentException("datagram: " + payloadBytes + " bytes (expected: at most "
                + (ShardPool.MAX_SHARD_BYTES - FecHeader.SIZE_LENGTH) + ')');
        }
        dropParity();
        FecHeader.setData(datagram, header, takeSeqid(), payloadBytes);
        datagram.readerIndex(header);
        if (arrivals != null) {
            arrivals.onSent();
        }
        store(datagram, header + FecHeader.SIZE_OFFSET, shardBytes);
        boolean fresh = sentBefore && nowMs - lastSentMs < MAX_GAP_MS;
        sentBefore = true;
        lastSentMs = nowMs;
        if (filled == shape.dataShards()) {
            closeGroup(fresh, nowMs);
        }
        return parityPending;
    }

    /**
     * Returns the object to which the conversation reports the acknowledgements of its segments, so that {@link FecConfig#adaptive adaptive
     * parity} can measure the loss of the path and the length of its bursts. With fewer than three data shards in a group, parity hides the
     * losses, so they cannot be measured.
     *
     * @return the object, or null if parity is not adaptive or a group has fewer than three data shards
     */
    public @Nullable ShardArrivals arrivals() {
        return arrivals;
    }

    /**
     * Sets the loss rate of the session's datagrams, for a sender that measures the loss itself. The losses are assumed to be independent.
     * Has no effect unless parity is {@link FecConfig#adaptive adaptive}. The acknowledgements that are reported to {@link #arrivals}
     * replace the rate.
     *
     * @param lossPermille lost datagrams per thousand, averaged over some seconds
     */
    public void onLossMeasured(int lossPermille) {
        checkPermille("lossPermille", lossPermille);
        if (adaptive != null) {
            adaptive.onLossMeasured(lossPermille);
        }
    }

    /**
     * Sets the share of segments that were retransmitted because parity did not recover them. Adaptive parity estimates from this share how
     * many datagrams the path loses, if {@link #arrivals} is null. Otherwise this method has no effect.
     *
     * @param retransmittedPermille retransmitted segments per thousand, averaged over at least a second
     */
    public void onRetransmissionsMeasured(int retransmittedPermille) {
        checkPermille("retransmittedPermille", retransmittedPermille);
        if (adaptive != null && arrivals == null) {
            adaptive.onUnrecoveredMeasured(retransmittedPermille);
        }
    }

    private static void checkPermille(String name, int permille) {
        if (permille < 0 || permille > 1_000) {
            throw new IllegalArgumentException(name + ": " + permille + " (expected: 0 to 1000)");
        }
    }

    /**
     * Returns the length of each pending parity datagram, including the header.
     *
     * @return bytes, or 0 if no parity is pending
     */
    public int parityBytes() {
        return parityPending == 0 ? 0 : FecHeader.SIZE_OFFSET + longest;
    }

    /**
     * Returns {@code true} if a parity datagram is pending, that is, neither written nor discarded.
     *
     * @param index the index of the datagram, from 0
     * @return {@code true} if {@link #writeParity} can write the datagram
     */
    public boolean hasParity(int index) {
        return index >= 0 && index < parityPending && shards[shape.dataShards() + index] != null;
    }

    /**
     * Appends a pending parity datagram to a buffer. Each datagram can be written once, before the next datagram is encoded.
     *
     * @param index the index of the datagram, from 0
     * @param out   the buffer, borrowed; must have room for {@link #parityBytes()}
     * @throws IllegalStateException if no parity with this index is pending
     */
    public void writeParity(int index, ByteBuf out) {
        int position = shape.dataShards() + index;
        long[] slab = hasParity(index) ? shards[position] : null;
        if (slab == null) {
            throw new IllegalStateException("index: " + index + " (expected: the index of pending parity)");
        }
        FecHeader.writeParity(out, firstParitySeqid + index);
        pool.outgoing().fromSlab(slab, longest);
        pool.outgoing().copyOut(0, longest, out);
        shards[position] = null;
        pool.slabs().release(slab);
        paritySent++;
    }

    /**
     * Returns the numbers of data and parity shards in each group.
     *
     * @return the shape
     */
    public FecShape shape() {
        return shape;
    }

    /**
     * Returns the number of parity datagrams written so far.
     *
     * @return datagrams
     */
    public long paritySent() {
        return paritySent;
    }

    /**
     * Returns the number of omitted parity datagrams. Parity is omitted if a long pause precedes the last datagram of its group, if the
     * group is abandoned, or if adaptive parity chooses fewer datagrams.
     *
     * @return datagrams
     */
    public long paritySkipped() {
        return paritySkipped;
    }

    /**
     * Returns {@code true} if the encoder holds memory for a partly filled group.
     *
     * @return {@code true} if {@link #abandonGroup} would free memory
     */
    public boolean holdsGroup() {
        return filled > 0;
    }

    /**
     * Ends a partly filled group without sending parity for it, and frees the memory of the group. Called when a session has paused. The
     * remaining seqids of the group are skipped, which a decoder treats as loss. The next datagram starts a new group.
     */
    public void abandonGroup() {
        if (filled > 0) {
            paritySkipped += shape.parityShards();
            advance(shape.totalShards() - filled);
            if (arrivals != null) {
                arrivals.onGroupAbandoned();
            }
            dropData();
        }
    }

    /** Frees all memory. To be called when the session is closed; nothing can be encoded afterwards. */
    public void release() {
        dropParity();
        dropData();
    }

    private int takeSeqid() {
        int seqid = nextSeqid;
        advance(1);
        return seqid;
    }

    private void advance(int count) {
        // The seqid wraps to 0 only at the end of a group, because paws is a multiple of the group size.
        nextSeqid += count;
        if (nextSeqid == paws) {
            nextSeqid = 0;
        }
    }

    private void store(ByteBuf datagram, int index, int shardBytes) {
        long[] slab = pool.slabs().acquire();
        pool.outgoing().copyIn(datagram, index, 0, shardBytes);
        pool.outgoing().toSlab(shardBytes, slab);
        shards[filled] = slab;
        lengths[filled] = shardBytes;
        longest = filled == 0 ? shardBytes : Math.max(longest, shardBytes);
        filled++;
    }

    private void closeGroup(boolean fresh, int nowMs) {
        int sent = adaptive == null ? shape.parityShards() : adaptive.parityOfNextGroup(nowMs);
        if (fresh) {
            makeParity(sent);
            firstParitySeqid = nextSeqid;
            parityPending = sent;
            paritySkipped += shape.parityShards() - sent;
        } else {
            paritySkipped += shape.parityShards();
        }
        advance(shape.parityShards());
        dropData();
    }

    private void makeParity(int count) {
        int dataShards = shape.dataShards();
        for (int position = 0; position < dataShards; position++) {
            SlabPool.pad(Objects.requireNonNull(shards[position]), lengths[position], longest);
        }
        for (int parity = 0; parity < count; parity++) {
            long[] slab = pool.slabs().acquire();
            code.encodeOne(parity, complete(shards), slab, SlabPool.wordsOf(longest));
            shards[dataShards + parity] = slab;
        }
    }

    /** Casts the shards to an array of non-null elements, which is correct for the data shards of a full group. */
    @SuppressWarnings("NullAway")
    private static long[][] complete(long[] @Nullable [] shards) {
        return shards;
    }

    private void dropData() {
        for (int position = 0; position < filled; position++) {
            drop(position);
        }
        filled = 0;
    }

    private void dropParity() {
        for (int index = 0; index < parityPending; index++) {
            drop(shape.dataShards() + index);
        }
        parityPending = 0;
    }

    private void drop(int position) {
        long[] slab = shards[position];
        if (slab != null) {
            shards[position] = null;
            pool.slabs().release(slab);
        }
    }
}
