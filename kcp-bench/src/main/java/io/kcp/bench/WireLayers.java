package io.kcp.bench;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options for the cipher and FEC. */
final class WireLayers {

    private static final String NO_CIPHER = "null";
    private static final String PASSWORD = "bench";

    @Option(names = "--crypt", defaultValue = NO_CIPHER, description = "cipher, as named by kcptun (${DEFAULT-VALUE}: none)")
    String cipherName = NO_CIPHER;

    @Option(names = "--key", defaultValue = PASSWORD,
        description = "password from which the key is derived as in kcptun (${DEFAULT-VALUE})")
    String password = PASSWORD;

    @Option(names = "--fec", description = "data and parity shards that both sides send, for example 10:3 (no FEC)")
    @Nullable String shape;

    static WireLayers of(String cipherName, @Nullable String shape) {
        WireLayers layers = new WireLayers();
        layers.cipherName = cipherName;
        layers.shape = shape;
        return layers;
    }

    @Nullable CryptoConfig crypto() {
        return cipherName.equals(NO_CIPHER) ? null : CryptoConfig.kcptun(cipherName, password);
    }

    @Nullable FecConfig fec() {
        return shape == null ? null : FecConfig.of(FecShape.parse(shape));
    }

    @Override
    public String toString() {
        return (cipherName.equals(NO_CIPHER) ? "no cipher" : cipherName) + (shape == null ? ", no FEC" : ", FEC " + shape);
    }
}
