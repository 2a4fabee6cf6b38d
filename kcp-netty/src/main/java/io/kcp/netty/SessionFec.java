package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecStats;
import io.kcp.core.fec.ShardPool;
import org.jspecify.annotations.Nullable;

/** The encoder and the decoder of one session, made when they are needed first: the directions are independent. */
final class SessionFec {

    /** How often, and by how many segments at least, loss is measured for adaptive parity. */
    private static final int MEASURING_MS = 1_000;
    private static final int MEASURING_SEGMENTS = 200;
    private static final int PERMILLE = 1_000;

    private final int conv;
    private KcpStats measured = KcpStats.ZERO;
    private int measuredAtMs;
    private @Nullable FecEncoder encoder;
    private @Nullable FecDecoder decoder;

    SessionFec(int conv) {
        this.conv = conv;
    }

    FecEncoder encoder(FecConfig config, ShardPool pool) {
        FecEncoder present = encoder;
        if (present == null) {
            present = new FecEncoder(config, pool);
            encoder = present;
        }
        return present;
    }

    FecDecoder decoder(@Nullable FecConfig config, ShardPool pool) {
        FecDecoder present = decoder;
        if (present == null) {
            present = new FecDecoder(config, conv, pool);
            decoder = present;
        }
        return present;
    }

    /**
     * Tells the encoder now and then which share of the segments was sent again: what its parity did not repair in time, or
     * would have to.
     */
    void measureLoss(DefaultKcpChannel session, FecEncoder target, int nowMs) {
        if (nowMs - measuredAtMs < MEASURING_MS) {
            return;
        }
        measuredAtMs = nowMs;
        KcpStats stats = session.stats().counters();
        long segments = stats.segmentsOut() - measured.segmentsOut();
        if (segments >= MEASURING_SEGMENTS) {
            long again = stats.retransmissions() - measured.retransmissions();
            measured = stats;
            target.onLossMeasured((int) Math.min(PERMILLE, again * PERMILLE / segments));
        }
    }

    /** Whether a parity shard fits to what the session has heard. */
    boolean isNear(int seqid) {
        return decoder != null && decoder.isNear(seqid);
    }

    /** Whether data of the shard's group is missing. */
    boolean awaits(int seqid) {
        return decoder != null && decoder.awaits(seqid);
    }

    /** Returns {@code true} if {@link #trim} would give memory back. */
    boolean holdsSpareMemory() {
        return encoder != null && encoder.holdsGroup() || decoder != null && decoder.holdsSpareMemory();
    }

    /**
     * Gives back the memory of incomplete groups, for a session that has paused. The group that is being sent gets no parity, and
     * nothing more of the groups that are being received can be recovered.
     */
    void trim() {
        if (encoder != null) {
            encoder.abandonGroup();
        }
        if (decoder != null) {
            decoder.trim();
        }
    }

    FecStats stats() {
        return decoder == null ? FecStats.ZERO : decoder.stats();
    }

    void release() {
        if (encoder != null) {
            encoder.release();
        }
        if (decoder != null) {
            decoder.release();
        }
    }
}
