package io.kcp.core.fec;

import io.kcp.core.internal.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of FEC for one session: stores shards, and recovers lost data shards as soon as enough shards of a group have arrived.
 * The decoder does not filter data: the caller delivers the KCP datagram of every data shard, regardless of what the decoder returns.
 *
 * <p>The decoder follows the shape of the peer, unless the shape is configured as fixed. Malformed input never causes an exception. Forged
 * shards cost bounded CPU and memory, and data recovered from an unverified shape is not delivered. At most {@value #MAX_GROUPS} groups are
 * stored, all of them near the latest data of the session. Not thread-safe.
 */
public final class FecDecoder {

    static final int MAX_GROUPS = 4;

    private static final int NEW_SHAPE_GROUPS = 3;
    private static final int FIRST_SHAPE_GROUPS = 2;
    private static final int SHAPE_CHANGE_INTERVAL_MS = 1_000;
    private static final int MAX_SAMPLES = 4_096;
    private static final int MAX_ATTEMPTS_PER_GROUP = 64;
    private static final int MAX_ATTEMPTS_PER_SHARD = 16;
    /**
     * Limits the number of recovery attempts per received shard to this value divided by the square of the number of data shards. One
     * attempt is always permitted.
     */
    private static final int ATTEMPT_COST_LIMIT = 16_384;

    private final ShardPool pool;
    private final int conv;
    private final GroupWindow window = new GroupWindow();
    private final GroupTable groups;
    private final FecCounters counters = new FecCounters();
    private final Reconstruction reconstruction;
    private final ShapeVerification verification;

    private @Nullable FecShape shape;
    private @Nullable ReedSolomon code;
    /** {@code true} if a stored group may become recoverable once the numbers of data and parity shards are verified. */
    private boolean recoveryDeferred;
    private long work;
    /** Number of the latest group whose data is complete, either received or recovered. */
    private int completedGroup;
    private @Nullable ShapeDetector detector;
    private boolean shapeChanged;
    private int shapeChangedMs;

    /**
     * Creates a decoder that has received no shards.
     *
     * @param config the settings, or null if the shape of the peer is unknown and has to be detected
     * @param conv   the id of the conversation whose datagrams are recovered
     * @param pool   the pool of the thread that uses the decoder
     */
    public FecDecoder(@Nullable FecConfig config, int conv, ShardPool pool) {
        this.pool = Objects.requireNonNull(pool, "pool");
        this.conv = conv;
        groups = new GroupTable(window, pool);
        verification = new ShapeVerification(config != null && config.isShapeFixed());
        reconstruction = new Reconstruction(conv, pool);
        if (config != null) {
            use(config.shape());
        }
    }

    /**
     * Processes a data or parity shard. Other datagrams are ignored.
     *
     * @param shard the datagram, which starts with the seqid; borrowed and not modified, and its indices do not change
     * @param nowMs the time in milliseconds, which may wrap
     * @return the number of recovered datagrams, which can be read until the next shard
     */
    public int decode(ByteBuf shard, int nowMs) {
        return decodeCopied(pool.copyIn(shard), nowMs);
    }

    /**
     * Processes the shard copied by the latest call of {@link ShardPool#copyIn} on the pool of this decoder.
     *
     * @param length the result of {@code copyIn}
     * @param nowMs  the time in milliseconds, which may wrap
     * @return the number of recovered datagrams, which can be read until the next shard
     */
    public int decodeCopied(int length, int nowMs) {
        reconstruction.release();
        int count = takeCopied(length, nowMs);
        return count == 0 && recoveryDeferred && verification.isVerified() ? recoverDeferred() : count;
    }

    private int takeCopied(int length, int nowMs) {
        if (length < 0) {
            counters.malformedShards++;
            return 0;
        }
        ByteBuf bytes = pool.incoming().bytes();
        int shardAt = pool.incoming().shardAt();
        int header = shardAt - FecHeader.SIZE_OFFSET;
        int type = FecHeader.type(bytes, header);
        int seqid = FecHeader.seqid(bytes, header);
        int shardBytes = length - FecHeader.SIZE_OFFSET;
        if (type == FecHeader.TYPE_DATA) {
            if (ShardContent.validBytes(bytes, shardAt, shardBytes, conv) != shardBytes) {
                counters.malformedShards++;
                return 0;
            }
            return take(seqid, true, shardBytes, nowMs);
        }
        return type == FecHeader.TYPE_PARITY ? take(seqid, false, shardBytes, nowMs) : 0;
    }

    /**
     * Returns the length of a recovered KCP datagram.
     *
     * @param index the index of the datagram, from 0, in the order in which the datagrams were sent
     * @return bytes, excluding the FEC header
     * @throws IndexOutOfBoundsException if the latest shard recovered fewer datagrams
     */
    public int recoveredBytes(int index) {
        return reconstruction.bytes(index);
    }

    /**
     * Appends a recovered KCP datagram to a buffer.
     *
     * @param index the index of the datagram, from 0, in the order in which the datagrams were sent
     * @param out   the buffer, borrowed; must have room for {@link #recoveredBytes}
     * @throws IndexOutOfBoundsException if the latest shard recovered fewer datagrams
     */
    public void readRecovered(int index, ByteBuf out) {
        reconstruction.write(index, out);
    }

    /**
     * Returns {@code true} if the seqid of a shard is close to the latest seqids of this session. Because parity does not contain a session
     * id, its seqid shows to which of several sessions with the same address it may belong.
     *
     * @param seqid the shard's seqid
     * @return {@code true} if the seqid is close to the latest data of this session; {@code false} if no data has arrived yet
     */
    public boolean isNear(int seqid) {
        return window.isNear(seqid);
    }

    /**
     * Returns {@code true} if some but not all data shards of the group to which a shard belongs have arrived. If several sessions share an
     * address, parity most likely belongs to the session for which this method returns {@code true}.
     *
     * @param seqid the shard's seqid
     * @return {@code true} if the group lacks data; {@code false} while the shape is unknown
     */
    public boolean awaits(int seqid) {
        if (shape == null || Integer.compareUnsigned(seqid, shape.paws()) >= 0) {
            return false;
        }
        ShardGroup group = groups.find(window.group(seqid));
        return group != null && !group.hasOnlyParity() && !group.hasAllData();
    }

    /**
     * Returns the numbers of data and parity shards that the decoder assumes for the peer's groups.
     *
     * @return the shape, or null if it is unknown
     */
    public @Nullable FecShape shape() {
        return shape;
    }

    /** Returns a snapshot of the statistics. */
    public FecStats stats() {
        return counters.snapshot(groups.held());
    }

    /**
     * Returns {@code true} if the decoder holds memory that a paused session does not need.
     *
     * @return {@code true} if {@link #trim} or {@link #discardSamples} would free memory
     */
    public boolean holdsSpareMemory() {
        return detector != null || reconstruction.count() > 0 || groups.holdsMemory();
    }

    /**
     * Frees the shards of incomplete groups and the recovered datagrams after a pause in the traffic of the session, because KCP has
     * retransmitted the lost datagrams by then. The verified shape and the samples for shape detection are kept.
     */
    public void trim() {
        groups.trim();
        recoveryDeferred = false;
        reconstruction.release();
    }

    /**
     * Frees the samples from which the numbers of data and parity shards are detected. Called when a session has paused for so long that
     * the samples may belong to another shape.
     */
    public void discardSamples() {
        if (detector != null) {
            pool.release(detector);
            detector = null;
        }
    }

    /** Frees all memory and discards all shards. To be called when the session is closed. */
    public void release() {
        trim();
        discardSamples();
        groups.reset();
    }

    private int take(int seqid, boolean isData, int shardBytes, int nowMs) {
        boolean expected = isExpected(seqid, isData);
        // While the shape is unverified, group numbers do not show how far apart two shards are, so the seqids of the shards are compared
        // instead.
        if (expected || !verification.isVerified() && window.isNearInSeqids(seqid)) {
            detectShape(seqid, isData, nowMs);
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
            groups.reset();
            if (elsewhere) {
                discardSamples();
            }
            verification.onContradicted();
        }
        return verdict != GroupWindow.Verdict.FAR;
    }

    private int place(FecShape known, int seqid, boolean isData, int shardBytes, int nowMs) {
        int position = Integer.remainderUnsigned(seqid, known.totalShards());
        int id = window.group(seqid);
        if (position < known.dataShards() != isData) {
            counters.misplacedShards++;
            if (isData || !groups.isDone(id) && !groups.contains(id, position)) {
                verification.onMisplaced(seqid, isData);
            }
            return 0;
        }
        if (groups.isDone(id)) {
            counters.lateShards++;
            return 0;
        }
        ShardGroup group = groups.open(known, id, isData);
        if (group == null) {
            counters.farShards++;
            return 0;
        }
        if (group.contains(position)) {
            counters.duplicateShards++;
            return 0;
        }
        long[] slab = pool.slabs().acquire();
        pool.incoming().toSlab(shardBytes, slab);
        pool.groups().onStored(group, nowMs);
        group.store(position, slab, shardBytes);
        if (isData) {
            counters.dataShards++;
            verification.onData(seqid);
        } else {
            counters.parityShards++;
        }
        return complete(known, group);
    }

    private int complete(FecShape known, ShardGroup group) {
        if (group.hasAllData()) {
            completedGroup = group.id();
            if (group.countOnceComplete()) {
                counters.fullGroups++;
            }
            // While the shape is unverified, a complete group stays open for its parity shards, which can confirm the shape.
            boolean verified = verification.isVerified();
            if (!verified && reconstruction.agrees(codeOf(group), group, -1) == Reconstruction.Agreement.YES) {
                verification.onConfirmed(group.id());
                verified = true;
            }
            charge(group);
            if (verified || group.isSpent(Reconstruction.workOfCoefficient(group.longest()))) {
                groups.close(group);
            }
            return 0;
        }
        if (!group.isSufficient()) {
            return 0;
        }
        if (verification.isContradicted(known, group.id())) {
            verification.onContradicted();
            return 0;
        }
        if (!recover(known, group)) {
            recoveryDeferred |= !verification.isVerified();
            return 0;
        }
        counters.recoveredShards += reconstruction.count();
        completedGroup = group.id();
        window.onRecovered(group.id());
        groups.close(group);
        return reconstruction.count();
    }

    private ReedSolomon codeOf(ShardGroup group) {
        return Objects.requireNonNull(code, () -> "group " + group.id() + " without a shape");
    }

    /**
     * Recovers one group whose recovery was deferred until the numbers of data and parity shards were verified. Only one group is recovered
     * per call, because the recovered datagrams of only one group can be stored.
     */
    private int recoverDeferred() {
        for (int i = 0; i < MAX_GROUPS; i++) {
            ShardGroup group = groups.active(i);
            if (group != null && shape != null) {
                int count = complete(shape, group);
                if (count > 0) {
                    return count;
                }
            }
        }
        recoveryDeferred = false;
        return 0;
    }

    private boolean recover(FecShape known, ShardGroup group) {
        if (mayAttempt(group) && attempt(known, group, -1)) {
            return true;
        }
        if (!group.hasSurplus()) {
            return false;
        }
        // Excludes each shard in turn, because one of them may be forged. Parity shards are excluded first, because data shards were
        // validated on arrival.
        int dataShards = known.dataShards();
        int most = Math.max(1, Math.min(MAX_ATTEMPTS_PER_SHARD, ATTEMPT_COST_LIMIT / (dataShards * dataShards)));
        int attempts = 0;
        for (int i = 0; i < group.size() && attempts < most; i++) {
            int without = (dataShards + i) % group.size();
            if (group.contains(without)) {
                if (!mayAttempt(group)) {
                    return false;
                }
                attempts++;
                if (attempt(known, group, without)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean mayAttempt(ShardGroup group) {
        return !group.isSpent(Reconstruction.workOfCoefficient(group.longest())) && group.nextAttempt() < MAX_ATTEMPTS_PER_GROUP;
    }

    private boolean attempt(FecShape known, ShardGroup group, int without) {
        boolean recovered = recoverWithout(known, group, without);
        charge(group);
        return recovered;
    }

    private void charge(ShardGroup group) {
        long done = reconstruction.takeWork();
        work += done;
        group.charge(done);
    }

    /** Returns the total cost of decoding so far, as a number of multiply-and-add operations on words. */
    long work() {
        return work;
    }

    /**
     * Recovers a group while ignoring the shard at one position. The data is delivered if a surplus shard confirms it, or if the shape is
     * verified and nothing contradicts the data.
     */
    private boolean recoverWithout(FecShape known, ShardGroup group, int without) {
        ReedSolomon coder = codeOf(group);
        if (!verification.isVerified() && !group.hasSurplus() || !reconstruction.attempt(coder, group, without, counters)) {
            return false;
        }
        Reconstruction.Agreement agreement = reconstruction.agrees(coder, group, without);
        boolean confirms = agreement == Reconstruction.Agreement.YES && group.contains(known.dataShards() - 1);
        if (confirms) {
            verification.onConfirmed(group.id());
        }
        // If the shards of a group contradict each other, either one of them is forged or the assumed shape is wrong.
        boolean disputed = agreement == Reconstruction.Agreement.NO || group.isDisputed() && !verification.isFixed();
        boolean delivered = confirms || verification.isVerified() && !disputed && !verification.isUncertain(known, group.id());
        if (agreement == Reconstruction.Agreement.NO) {
            counters.failedReconstructions++;
            group.dispute();
        }
        if (!delivered) {
            reconstruction.release();
        }
        return delivered;
    }

    private void detectShape(int seqid, boolean isData, int nowMs) {
        if (verification.isFixed()) {
            return;
        }
        ShapeDetector active = detector;
        if (active == null) {
            if (shape != null && Integer.remainderUnsigned(seqid, shape.totalShards()) < shape.dataShards() == isData) {
                return;
            }
            active = pool.acquireDetector();
            detector = active;
        }
        int agreeingGroups = verification.trust().wasVerified() ? NEW_SHAPE_GROUPS : FIRST_SHAPE_GROUPS;
        FecShape detected = active.observe(seqid, isData, agreeingGroups);
        if (detected != null && !detected.equals(shape) && mayAdopt(nowMs)) {
            adopt(detected, nowMs);
        } else if ((detected == null || !detected.equals(shape)) && (shape == null || active.sampleCount() < MAX_SAMPLES)) {
            return;
        }
        detector = null;
        pool.release(active);
    }

    /**
     * Returns {@code true} if newly detected numbers of data and parity shards may replace the current ones. The current shape is kept for
     * a second after a change, and as long as it is verified and its groups become complete.
     */
    private boolean mayAdopt(int nowMs) {
        boolean working = verification.isVerified() && Math.abs((long) window.distance(completedGroup)) <= GroupWindow.NEAR;
        return !working && !(shapeChanged && nowMs - shapeChangedMs < SHAPE_CHANGE_INTERVAL_MS);
    }

    private void adopt(FecShape detected, int nowMs) {
        groups.reset();
        groups.trim();
        use(detected);
        counters.shapeChanges++;
        shapeChanged = true;
        shapeChangedMs = nowMs;
    }

    private void use(FecShape next) {
        verification.onAdopted();
        recoveryDeferred = false;
        shape = next;
        code = pool.code(next);
        reconstruction.shape(next);
        window.shape(next.totalShards());
    }
}
