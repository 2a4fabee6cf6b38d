package io.kcp.core.fec;

import io.kcp.core.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's side of one session: remembers shards, and computes lost ones as soon as enough of a group are there. It is
 * no filter: the caller hands the KCP datagram of a data shard on, whatever is said of it here.
 *
 * <p>It follows the shape that the peer sends, unless told not to. Nothing that arrives throws; forged shards cost bounded
 * work and memory, and what is computed of them is not believed: at most {@value #MAX_GROUPS} groups are held, and those only
 * around where data of the session comes from. One thread at a time.
 */
public final class FecDecoder {

    static final int MAX_GROUPS = 4;

    private static final int DONE_MARKS = 32;
    private static final int NEW_SHAPE_GROUPS = 3;
    private static final int FIRST_SHAPE_GROUPS = 2;
    private static final int SHAPE_CHANGE_INTERVAL_MS = 1_000;
    private static final int MAX_SAMPLES = 4_096;
    private static final int MAX_ATTEMPTS_PER_GROUP = 64;
    private static final int MAX_ATTEMPTS_PER_SHARD = 16;
    /** Data shards, squared, that one attempt may have if there are to be several at once. */
    private static final int ATTEMPT_COST_LIMIT = 16_384;

    private final ShardPool pool;
    private final int conv;
    private final boolean shapeFixed;
    private final GroupWindow window = new GroupWindow();
    private final FecCounters counters = new FecCounters();
    private final Reconstruction reconstruction;
    private final int[] doneGroups = new int[DONE_MARKS];
    private int doneMarks;

    private @Nullable FecShape shape;
    private @Nullable ReedSolomon code;
    private @Nullable ShardGroup[] groups = new ShardGroup[MAX_GROUPS];
    private final ShapeProof proof;
    private boolean heldBack;
    private long work;
    /** The latest whose data all arrived, or was computed. */
    private int completedGroup;
    private @Nullable ShapeDetector detector;
    private boolean shapeChanged;
    private int shapeChangedMs;

    /**
     * Creates a decoder that has heard nothing.
     *
     * @param config the settings; null if nothing is known of the peer: its shape has to be seen first
     * @param conv   the conversation whose datagrams are recovered
     * @param pool   the pool of the thread that will use it
     */
    public FecDecoder(@Nullable FecConfig config, int conv, ShardPool pool) {
        this.pool = Objects.requireNonNull(pool, "pool");
        this.conv = conv;
        shapeFixed = config != null && config.isFecShapeFixed();
        proof = new ShapeProof(shapeFixed);
        reconstruction = new Reconstruction(conv, pool);
        if (config != null) {
            use(config.shape());
        }
    }

    /**
     * Takes a data or parity shard; anything else is ignored.
     *
     * @param shard the datagram from the seqid on, borrowed, not modified, indices stay
     * @param nowMs the time in milliseconds, wrapping
     * @return how many datagrams were recovered; they can be read until the next shard
     */
    public int decode(ByteBuf shard, int nowMs) {
        return decodeCopied(pool.copyIn(shard), nowMs);
    }

    /**
     * Takes the shard that {@link ShardPool#copyIn} of this decoder's pool copied last.
     *
     * @param length what that returned
     * @param nowMs  the time in milliseconds, wrapping
     * @return how many datagrams were recovered; they can be read until the next shard
     */
    public int decodeCopied(int length, int nowMs) {
        reconstruction.release();
        int count = takeCopied(length, nowMs);
        return count == 0 && heldBack && proof.isGiven() ? recoverHeldBack() : count;
    }

    private int takeCopied(int length, int nowMs) {
        if (length < 0) {
            counters.malformedShards++;
            return 0;
        }
        int header = ShardPool.headerAt();
        int type = FecHeader.type(pool.incoming(), header);
        int seqid = FecHeader.seqid(pool.incoming(), header);
        int shardBytes = length - FecHeader.SIZE_OFFSET;
        if (type == FecHeader.TYPE_DATA) {
            int sound = ShardContent.soundBytes(pool.incoming(), header + FecHeader.SIZE_OFFSET, shardBytes, conv);
            if (sound != shardBytes) {
                counters.malformedShards++;
                return 0;
            }
            return take(seqid, true, shardBytes, nowMs);
        }
        return type == FecHeader.TYPE_PARITY ? take(seqid, false, shardBytes, nowMs) : 0;
    }

    /**
     * Returns the length of a recovered datagram.
     *
     * @param index which, from 0 on, in the order they were sent
     * @return bytes, without FEC header
     * @throws IndexOutOfBoundsException if the latest shard recovered no more than that
     */
    public int recoveredBytes(int index) {
        return reconstruction.bytes(index);
    }

    /**
     * Appends a recovered KCP datagram.
     *
     * @param index which, from 0 on, in the order they were sent
     * @param out   where to, borrowed; must have room for {@link #recoveredBytes}
     * @throws IndexOutOfBoundsException if the latest shard recovered no more than that
     */
    public void readRecovered(int index, ByteBuf out) {
        reconstruction.write(index, out);
    }

    /**
     * Tells whether a shard may be of this session's sender, judged by its number: for parity, which says nothing of its
     * session, where several share an address.
     *
     * @param seqid the shard's seqid
     * @return whether it is near where data of this session last came from; false if none has come yet
     */
    public boolean isNear(int seqid) {
        return window.isNear(seqid);
    }

    /**
     * Tells whether a shard is of a group of which data has arrived, and more is missing: parity of several sessions of one
     * address is told apart by that.
     *
     * @param seqid the shard's seqid
     * @return whether it is wanted; false while the shape is unknown
     */
    public boolean awaits(int seqid) {
        if (shape == null || Integer.compareUnsigned(seqid, shape.paws()) >= 0) {
            return false;
        }
        int id = window.group(seqid);
        for (ShardGroup group : groups) {
            if (group != null && !group.isFree() && group.id() == id) {
                return !group.hasOnlyParity() && !group.hasAllData();
            }
        }
        return false;
    }

    /**
     * Returns the shape that groups are taken to have.
     *
     * @return the shape, null if it is not known yet
     */
    public @Nullable FecShape shape() {
        return shape;
    }

    /**
     * Returns what happened so far.
     *
     * @return the counts
     */
    public FecStats stats() {
        int held = 0;
        for (ShardGroup group : groups) {
            held += group == null || group.isFree() ? 0 : 1;
        }
        return counters.snapshot(held);
    }

    /**
     * Returns whether the decoder holds memory that a session which has paused does not need.
     *
     * @return {@code true} if {@link #trim} would give memory back
     */
    public boolean holdsSpareMemory() {
        if (detector != null || reconstruction.count() > 0) {
            return true;
        }
        for (ShardGroup group : groups) {
            if (group != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Gives back the shards of incomplete groups, recovered datagrams, and what was noted to detect the shape, for a session that has
     * paused: its lost datagrams have been retransmitted meanwhile. The proven shape is kept.
     */
    public void trim() {
        for (int i = 0; i < MAX_GROUPS; i++) {
            ShardGroup group = groups[i];
            if (group != null) {
                group.clear(pool);
                groups[i] = null;
            }
        }
        heldBack = false;
        reconstruction.release();
        forgetDetector();
    }

    /** Gives all memory back and forgets every shard. To be called when the session ends. */
    public void release() {
        trim();
        doneMarks = 0;
    }

    private void forgetDetector() {
        if (detector != null) {
            pool.release(detector);
            detector = null;
        }
    }

    private int take(int seqid, boolean isData, int shardBytes, int nowMs) {
        boolean expected = isExpected(seqid, isData);
        // Groups of a shape that is only a guess are no measure of how far a shard is.
        if (expected || !proof.isGiven() && window.isNearInSeqids(seqid)) {
            watchShape(seqid, isData, nowMs);
        }
        if (!expected) {
            counters.farShards++;
            return 0;
        }
        return shape == null ? 0 : place(shape, seqid, isData, shardBytes, nowMs);
    }

    private boolean isExpected(int seqid, boolean isData) {
        if (shape != null && Integer.compareUnsigned(seqid, shape.paws()) >= 0) {
            return false;
        }
        if (!isData) {
            boolean near = window.isNear(seqid);
            if (near) {
                window.onParity();
            }
            return near;
        }
        boolean elsewhere = !window.isNearInSeqids(seqid);
        GroupWindow.Verdict verdict = window.onData(seqid);
        if (verdict == GroupWindow.Verdict.JUMPED) {
            forgetGroups();
            if (elsewhere) {
                forgetDetector();
            }
            proof.takeBack();
        }
        return verdict != GroupWindow.Verdict.FAR;
    }

    private int place(FecShape known, int seqid, boolean isData, int shardBytes, int nowMs) {
        int position = Integer.remainderUnsigned(seqid, known.totalShards());
        if (position < known.dataShards() != isData) {
            counters.misplacedShards++;
            if (isData || !isDone(window.group(seqid)) && !holds(window.group(seqid), position)) {
                proof.suspect(seqid, isData);
            }
            return 0;
        }
        int id = window.group(seqid);
        if (isDone(id)) {
            counters.lateShards++;
            return 0;
        }
        ShardGroup group = group(known, id, isData);
        if (group == null) {
            counters.farShards++;
            return 0;
        }
        if (group.contains(position)) {
            counters.duplicateShards++;
            return 0;
        }
        long[] slab = pool.acquire();
        pool.incomingToSlab(shardBytes, slab);
        pool.onStored(group, nowMs);
        group.store(position, slab, shardBytes);
        if (isData) {
            counters.dataShards++;
            proof.acquit(seqid);
        } else {
            counters.parityShards++;
        }
        return complete(group);
    }

    private int complete(ShardGroup group) {
        if (group.hasAllData()) {
            completedGroup = group.id();
            if (group.countOnceComplete()) {
                counters.fullGroups++;
            }
            // Until the shape is proved, the parity that follows is of use as proof.
            boolean proved = proof.isGiven();
            if (!proved && reconstruction.agrees(codeOf(group), group, -1) == Reconstruction.Agreement.YES) {
                proof.add(group.id());
                proved = true;
            }
            charge(group);
            if (proved || group.isSpent()) {
                close(group);
            }
            return 0;
        }
        if (!group.isSufficient()) {
            return 0;
        }
        if (proof.isSuspect(group.size(), group.id())) {
            proof.takeBack();
            return 0;
        }
        if (!recover(group)) {
            heldBack |= !proof.isGiven();
            return 0;
        }
        counters.recoveredShards += reconstruction.count();
        completedGroup = group.id();
        window.onRecovered(group.id());
        close(group);
        return reconstruction.count();
    }

    private ReedSolomon codeOf(ShardGroup group) {
        return Objects.requireNonNull(code, () -> "group " + group.id() + " without a shape");
    }

    /** Recovers a group that had to wait for the proof; one at a time, as only one can be read. */
    private int recoverHeldBack() {
        for (ShardGroup group : groups) {
            if (group != null && !group.isFree() && !isGone(group.id())) {
                int count = complete(group);
                if (count > 0) {
                    return count;
                }
            }
        }
        heldBack = false;
        return 0;
    }

    private boolean recover(ShardGroup group) {
        ReedSolomon coder = codeOf(group);
        if (mayAttempt(group) && attempt(coder, group, -1)) {
            return true;
        }
        if (!group.hasSurplus()) {
            return false;
        }
        // One shard may be forged. Parity first: data was looked at when it came.
        int dataShards = coder.dataShards();
        int most = Math.max(1, Math.min(MAX_ATTEMPTS_PER_SHARD, ATTEMPT_COST_LIMIT / (dataShards * dataShards)));
        int attempts = 0;
        for (int i = 0; i < group.size() && attempts < most; i++) {
            int without = (dataShards + i) % group.size();
            if (group.contains(without)) {
                if (!mayAttempt(group)) {
                    return false;
                }
                attempts++;
                if (attempt(coder, group, without)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean mayAttempt(ShardGroup group) {
        return !group.isSpent() && group.nextAttempt() < MAX_ATTEMPTS_PER_GROUP;
    }

    private boolean attempt(ReedSolomon coder, ShardGroup group, int without) {
        boolean believed = isBelieved(coder, group, without);
        charge(group);
        return believed;
    }

    private void charge(ShardGroup group) {
        long done = reconstruction.takeWork();
        work += done;
        group.charge(done);
    }

    /** Returns what computing has cost so far, in words multiplied and added. */
    long work() {
        return work;
    }

    /** What a shard more than needed confirms counts at once; what none contradicts, once the shape is proved. */
    private boolean isBelieved(ReedSolomon coder, ShardGroup group, int without) {
        if (!proof.isGiven() && !group.hasSurplus() || !reconstruction.attempt(coder, group, without, counters)) {
            return false;
        }
        Reconstruction.Agreement agreement = reconstruction.agrees(coder, group, without);
        boolean bearsWitness = agreement == Reconstruction.Agreement.YES && group.contains(coder.dataShards() - 1);
        if (bearsWitness) {
            proof.add(group.id());
        }
        // Two that contradict each other: one is forged, or the shape is wrong after all.
        boolean doubtful = agreement == Reconstruction.Agreement.NO || group.isDisputed() && !shapeFixed;
        boolean believed = bearsWitness || proof.isGiven() && !doubtful && !proof.isDoubtful(group.size(), group.id());
        if (agreement == Reconstruction.Agreement.NO) {
            counters.failedReconstructions++;
            group.dispute();
        }
        if (!believed) {
            reconstruction.release();
        }
        return believed;
    }

    // ---- Groups

    private void close(ShardGroup group) {
        doneGroups[group.id() & DONE_MARKS - 1] = group.id();
        doneMarks |= 1 << group.id();
        group.clear(pool);
    }

    private boolean isDone(int id) {
        return (doneMarks >>> id & 1) != 0 && doneGroups[id & DONE_MARKS - 1] == id;
    }

    private boolean holds(int id, int position) {
        for (ShardGroup group : groups) {
            if (group != null && !group.isFree() && group.id() == id) {
                return group.contains(position);
            }
        }
        return false;
    }

    private @Nullable ShardGroup group(FecShape known, int id, boolean isData) {
        ShardGroup free = null;
        ShardGroup worst = null;
        for (int i = 0; i < MAX_GROUPS; i++) {
            ShardGroup group = groups[i];
            if (group == null) {
                group = new ShardGroup(known);
                groups[i] = group;
            }
            if (!group.isFree() && isGone(group.id())) {
                group.clear(pool);
            }
            if (group.isFree()) {
                free = group;
            } else if (group.id() == id) {
                return group;
            } else if (worst == null || worth(group) < worth(worst)) {
                worst = group;
            }
        }
        if (isGone(id)) {
            return null;
        }
        if (free == null) {
            // Parity ahead of all data may be forged: it does not displace what began with data.
            if (worst == null || !isData && window.distance(id) > 0 && !worst.hasOnlyParity()) {
                return null;
            }
            worst.clear(pool);
            free = worst;
        }
        free.begin(id);
        return free;
    }

    private boolean isGone(int id) {
        int distance = window.distance(id);
        return distance < -GroupWindow.REACH_BACK || distance > GroupWindow.NEAR;
    }

    /** Orders groups by which to give up first: those ahead that hold only parity, then the oldest. */
    private int worth(ShardGroup group) {
        int distance = window.distance(group.id());
        return distance > 0 ? -GroupWindow.NEAR - distance : distance;
    }

    private void forgetGroups() {
        for (ShardGroup group : groups) {
            if (group != null) {
                group.clear(pool);
            }
        }
        doneMarks = 0;
    }

    // ---- Shape

    private void watchShape(int seqid, boolean isData, int nowMs) {
        if (shapeFixed) {
            return;
        }
        ShapeDetector watching = detector;
        if (watching == null) {
            if (shape != null && Integer.remainderUnsigned(seqid, shape.totalShards()) < shape.dataShards() == isData) {
                return;
            }
            watching = pool.acquireDetector();
            detector = watching;
        }
        FecShape seen = watching.observe(seqid, isData, proof.wasGiven() ? NEW_SHAPE_GROUPS : FIRST_SHAPE_GROUPS);
        if (seen != null && !seen.equals(shape) && mayAdopt(nowMs)) {
            adopt(seen, nowMs);
        } else if ((seen == null || !seen.equals(shape)) && (shape == null || watching.sampleCount() < MAX_SAMPLES)) {
            return;
        }
        detector = null;
        pool.release(watching);
    }

    /** Not while the present shape is proved and groups of it become complete, and not more often than once a second. */
    private boolean mayAdopt(int nowMs) {
        boolean holds = proof.isGiven() && Math.abs((long) window.distance(completedGroup)) <= GroupWindow.NEAR;
        return !holds && !(shapeChanged && nowMs - shapeChangedMs < SHAPE_CHANGE_INTERVAL_MS);
    }

    private void adopt(FecShape seen, int nowMs) {
        forgetGroups();
        groups = new ShardGroup[MAX_GROUPS];
        use(seen);
        counters.shapeChanges++;
        shapeChanged = true;
        shapeChangedMs = nowMs;
    }

    private void use(FecShape next) {
        proof.reset();
        heldBack = false;
        shape = next;
        code = pool.code(next);
        reconstruction.shape(next);
        window.shape(next.totalShards());
    }
}
