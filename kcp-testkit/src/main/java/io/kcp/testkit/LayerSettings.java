package io.kcp.testkit;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.ShardPool;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The FEC and the cipher of one endpoint of a {@link KcpPair}.
 *
 * @param fec        the settings for sending parity and for decoding, or null to send no parity and to decode the parity of the peer
 * @param crypto     the cipher, or null for none
 * @param matching   {@code true} if the peer has the same cipher, so that the conversation must accept every datagram
 * @param newEncoder creates the FEC encoder; the tests of this module use encoders that start at other seqids
 */
record LayerSettings(@Nullable FecConfig fec, @Nullable CryptoConfig crypto, boolean matching,
    BiFunction<FecConfig, ShardPool, FecEncoder> newEncoder) {

    static final LayerSettings NONE = new LayerSettings(null, null, true, FecEncoder::new);

    LayerSettings fec(@Nullable FecConfig config) {
        return new LayerSettings(config, crypto, matching, newEncoder);
    }

    LayerSettings crypto(@Nullable CryptoConfig config) {
        return new LayerSettings(fec, config, matching, newEncoder);
    }

    LayerSettings newEncoder(BiFunction<FecConfig, ShardPool, FecEncoder> factory) {
        return new LayerSettings(fec, crypto, matching, factory);
    }

    LayerSettings mismatched() {
        return new LayerSettings(fec, crypto, false, newEncoder);
    }
}
