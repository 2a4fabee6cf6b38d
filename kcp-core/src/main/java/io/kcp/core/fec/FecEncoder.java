package io.kcp.core.fec;

import io.kcp.core.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sender's side of one session: numbers its datagrams and adds parity to each full group. Every datagram the session
 * sends goes through it, those with nothing but acknowledgements too.
 *
 * <p>Parity of a group is left out if its last datagram came {@value #MAX_GAP_MS} ms or more after the one before: the peer
 * has repaired by then what was lost. Its seqids are skipped. The rest of a group that never fills stays without parity; its
 * memory is kept until {@link #abandonGroup} ends the group.
 *
 * <p>No memory is held before the first datagram, nor between groups once parity is written. One thread at a time.
 */
public final class FecEncoder {

    private static final int MAX_GAP_MS = 500;

    private final ShardPool pool;
    private final FecShape shape;
    private final ReedSolomon code;
    private final int paws;
    private int nextSeqid;
    /** The slabs of the group that is being filled; then, of the last group, parity that was not written yet. */
    private final long[] @Nullable [] shards;
    private final int[] lengths;
    private int filled;
    private int longest;
    private int parityWaiting;
    private int firstParitySeqid;
    private boolean sentBefore;
    private int lastSentMs;
    private long paritySent;
    private long paritySkipped;
    private final @Nullable AdaptiveParity adaptive;

    /**
     * Creates an encoder that has sent nothing.
     *
     * @param config the settings
     * @param pool   the pool of the thread that will use it
     */
    public FecEncoder(FecConfig config, ShardPool pool) {
        this(config, pool, 0);
    }

    /** Creates an encoder whose first seqid, a multiple of the group's size, is given. */
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
        adaptive = config.isAdaptive() ? new AdaptiveParity(config) : null;
    }

    /**
     * Numbers a datagram: writes the header in front of it and moves its reader index there. Parity that the datagram before
     * brought, and that was not written, is forgotten.
     *
     * @param datagram a KCP datagram, borrowed, with at least {@value FecHeader#LENGTH} bytes before its reader index
     * @param nowMs    the time in milliseconds, wrapping
     * @return how many parity datagrams are to follow it: 0, or as many as the shape has or adaptive parity chooses
     * @throws IllegalArgumentException if there is no room for the header, or the datagram is longer than a shard can be
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
        store(datagram, header + FecHeader.SIZE_OFFSET, shardBytes);
        boolean fresh = sentBefore && nowMs - lastSentMs < MAX_GAP_MS;
        sentBefore = true;
        lastSentMs = nowMs;
        if (filled == shape.dataShards()) {
            closeGroup(fresh);
        }
        return parityWaiting;
    }

    /**
     * Tells how many of the session's datagrams get lost on their way. Has an effect only with
     * {@link FecConfig#adaptive adaptive parity}: more parity at the end of the next group, or less a while later.
     *
     * @param lossPermille lost datagrams in a thousand, smoothed over some seconds
     */
    public void onLossMeasured(int lossPermille) {
        if (lossPermille < 0 || lossPermille > 1_000) {
            throw new IllegalArgumentException("lossPermille: " + lossPermille + " (expected: 0 to 1000)");
        }
        if (adaptive != null) {
            adaptive.onLossMeasured(lossPermille);
        }
    }

    /**
     * Returns the length of each parity datagram that is to follow, header included.
     *
     * @return bytes; 0 if there is none
     */
    public int parityBytes() {
        return parityWaiting == 0 ? 0 : FecHeader.SIZE_OFFSET + longest;
    }

    /**
     * Appends a parity datagram. Each can be written once, before the next datagram is encoded.
     *
     * @param index which, from 0 on
     * @param out   where to, borrowed; must have room for {@link #parityBytes()}
     * @throws IllegalStateException if there is no such parity, or it was written
     */
    public void writeParity(int index, ByteBuf out) {
        int position = shape.dataShards() + index;
        long[] slab = index < 0 || index >= parityWaiting ? null : shards[position];
        if (slab == null) {
            throw new IllegalStateException("index: " + index + " (expected: parity that waits and was not written)");
        }
        FecHeader.writeParity(out, firstParitySeqid + index);
        pool.outgoing().fromSlab(slab, longest);
        pool.outgoing().copyOut(0, longest, out);
        shards[position] = null;
        pool.slabs().release(slab);
        paritySent++;
    }

    /**
     * Returns the shape of the group that is being filled.
     *
     * @return the shape
     */
    public FecShape shape() {
        return shape;
    }

    /**
     * Returns how many parity datagrams were written.
     *
     * @return datagrams
     */
    public long paritySent() {
        return paritySent;
    }

    /**
     * Returns how many parity datagrams were left out because their group took too long, or adaptive parity found that fewer do.
     *
     * @return datagrams
     */
    public long paritySkipped() {
        return paritySkipped;
    }

    /**
     * Returns whether a group is partly filled: memory is held for it.
     *
     * @return {@code true} if {@link #abandonGroup} would give memory back
     */
    public boolean holdsGroup() {
        return filled > 0;
    }

    /**
     * Ends a partly filled group without parity and gives its memory back, for a session that has paused. The rest of its
     * seqids is skipped, which a decoder takes for loss: the next datagram begins a new group.
     */
    public void abandonGroup() {
        if (filled > 0) {
            paritySkipped += shape.parityShards();
            advance(shape.totalShards() - filled);
            dropData();
        }
    }

    /** Gives all memory back. To be called when the session ends: nothing can be encoded after it. */
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
        // A group never straddles paws, so its end is the only place where the number can wrap.
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

    private void closeGroup(boolean fresh) {
        int sent = adaptive == null ? shape.parityShards() : adaptive.parityOfNextGroup();
        if (fresh) {
            makeParity(sent);
            firstParitySeqid = nextSeqid;
            parityWaiting = sent;
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

    /** All of them are there: what the array's type cannot say. */
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
        for (int index = 0; index < parityWaiting; index++) {
            drop(shape.dataShards() + index);
        }
        parityWaiting = 0;
    }

    private void drop(int position) {
        long[] slab = shards[position];
        if (slab != null) {
            shards[position] = null;
            pool.slabs().release(slab);
        }
    }
}
