package io.kcp.netty.session;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecStats;
import io.kcp.core.fec.ShardPool;
import org.jspecify.annotations.Nullable;

/** The FEC encoder and decoder of one session. Each is created on first use, because either side may send parity without the other. */
public final class SessionFec {

    /** Minimum interval, and minimum number of segments, between two loss measurements for adaptive parity. */
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

    /** Returns the encoder; the first call creates it. */
    public FecEncoder encoder(FecConfig config, ShardPool pool) {
        FecEncoder present = encoder;
        if (present == null) {
            present = new FecEncoder(config, pool);
            encoder = present;
        }
        return present;
    }

    /** Returns the decoder; the first call creates it. */
    public FecDecoder decoder(@Nullable FecConfig config, ShardPool pool) {
        FecDecoder present = decoder;
        if (present == null) {
            present = new FecDecoder(config, conv, pool);
            decoder = present;
        }
        return present;
    }

    /**
     * Reports the share of retransmitted segments to the encoder, at most once a second. Retransmissions represent the losses that parity
     * did not recover in time, or would have to recover.
     */
    public void measureLoss(AbstractSession session, FecEncoder target, int nowMs) {
        if (nowMs - measuredAtMs < MEASURING_MS) {
            return;
        }
        measuredAtMs = nowMs;
        KcpStats stats = session.kcp().stats();
        long segments = stats.segmentsOut() - measured.segmentsOut();
        if (segments >= MEASURING_SEGMENTS) {
            long again = stats.retransmissions() - measured.retransmissions();
            measured = stats;
            target.onLossMeasured((int) Math.min(PERMILLE, again * PERMILLE / segments));
        }
    }

    /** Returns {@code true} if the seqid of a parity shard is near the data shards that the session received last. */
    boolean isNear(int seqid) {
        return decoder != null && decoder.isNear(seqid);
    }

    /** Returns {@code true} if the group of the shard lacks data. */
    boolean awaits(int seqid) {
        return decoder != null && decoder.awaits(seqid);
    }

    /** Returns {@code true} if {@link #trim} or {@link #discardSamples} would free memory. */
    public boolean holdsSpareMemory() {
        return encoder != null && encoder.holdsGroup() || decoder != null && decoder.holdsSpareMemory();
    }

    /**
     * Frees the memory of incomplete groups of a session that is idle. The group that is being sent then gets no parity, and data of the
     * groups that are being received can no longer be recovered.
     */
    void trim() {
        if (encoder != null) {
            encoder.abandonGroup();
        }
        if (decoder != null) {
            decoder.trim();
        }
    }

    /** Frees the samples for the detection of the peer's shape. */
    void discardSamples() {
        if (decoder != null) {
            decoder.discardSamples();
        }
    }

    /** Returns the statistics of the decoder, which are all 0 before it is created. */
    public FecStats stats() {
        return decoder == null ? FecStats.ZERO : decoder.stats();
    }

    /** Releases the memory of the encoder and the decoder. */
    public void release() {
        if (encoder != null) {
            encoder.release();
        }
        if (decoder != null) {
            decoder.release();
        }
    }
}
