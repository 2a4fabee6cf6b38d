package io.kcp.netty.internal.session;

import io.kcp.core.KcpStats;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecStats;
import io.kcp.core.fec.ShardPool;
import org.jspecify.annotations.Nullable;

/**
 * Holds the FEC encoder and decoder of one session. Each of them is created on first use, because one side may send parity while the other
 * side does not.
 */
public final class SessionFec {

    /** Minimum interval in milliseconds between two measurements for adaptive parity. */
    private static final int MEASURING_MS = 1_000;
    /** Minimum number of sent segments between two measurements for adaptive parity. */
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

    /** Returns the encoder, creating it on the first call. */
    public FecEncoder encoder(FecConfig config, ShardPool pool) {
        FecEncoder present = encoder;
        if (present == null) {
            present = new FecEncoder(config, pool);
            encoder = present;
        }
        return present;
    }

    /** Returns the decoder, creating it on the first call. */
    public FecDecoder decoder(@Nullable FecConfig config, ShardPool pool) {
        FecDecoder present = decoder;
        if (present == null) {
            present = new FecDecoder(config, conv, pool);
            decoder = present;
        }
        return present;
    }

    /** Reports to the encoder which share of the sent segments was retransmitted, at most once a second. */
    public void measureRetransmissions(Kcp conversation, FecEncoder target, int nowMs) {
        if (nowMs - measuredAtMs < MEASURING_MS) {
            return;
        }
        measuredAtMs = nowMs;
        KcpStats stats = conversation.stats();
        long segments = stats.segmentsOut() - measured.segmentsOut();
        if (segments >= MEASURING_SEGMENTS) {
            long again = stats.retransmissions() - measured.retransmissions();
            measured = stats;
            target.onRetransmissionsMeasured((int) Math.min(PERMILLE, again * PERMILLE / segments));
        }
    }

    /**
     * Returns {@code true} if the sequence number of a parity shard is near those of the data shards that the session received most
     * recently.
     */
    boolean isNear(int seqid) {
        return decoder != null && decoder.isNear(seqid);
    }

    /** Returns {@code true} if the FEC group of a parity shard lacks data shards. */
    boolean awaits(int seqid) {
        return decoder != null && decoder.awaits(seqid);
    }

    /** Returns {@code true} if the encoder or the decoder holds memory that an idle session does not need. */
    public boolean holdsSpareMemory() {
        return encoder != null && encoder.holdsGroup() || decoder != null && decoder.holdsSpareMemory();
    }

    /**
     * Frees the memory of incomplete FEC groups of an idle session. No parity is then sent for the incomplete outbound group, and lost data
     * of incomplete inbound groups can no longer be recovered.
     */
    void trim() {
        if (encoder != null) {
            encoder.abandonGroup();
        }
        if (decoder != null) {
            decoder.trim();
        }
    }

    /** Frees the samples from which the decoder detects how many data and parity shards per group the peer sends. */
    void discardSamples() {
        if (decoder != null) {
            decoder.discardSamples();
        }
    }

    /** Returns the statistics of the decoder, which are 0 before the decoder is created. */
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
