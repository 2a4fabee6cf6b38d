package io.kcp.netty;

import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecStats;
import io.kcp.core.fec.ShardPool;
import org.jspecify.annotations.Nullable;

/** The encoder and the decoder of one session, made when they are needed first: the directions are independent. */
final class SessionFec {

    private final int conv;
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

    /** Whether a parity shard fits to what the session has heard. */
    boolean isNear(int seqid) {
        return decoder != null && decoder.isNear(seqid);
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
