package io.kcp.examples;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpServerBootstrap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options for encryption and FEC. Both sides need the same cipher and key, but each side decides whether it sends parity. */
final class WireOptions {

    static final String NO_CIPHER = "null";

    @Option(names = "--crypt", paramLabel = "NAME",
        description = "Cipher, as named by kcptun: aes-128-gcm, aes, salsa20, ... (default: ${DEFAULT-VALUE}, no cipher).")
    private String cipherName = NO_CIPHER;

    @Option(names = "--key", paramLabel = "PASSWORD", description = "Password from which the key is derived as in kcptun.")
    private @Nullable String password;

    @Option(names = "--fec", paramLabel = "DATA:PARITY",
        description = "Data and parity datagrams per FEC group, for example 10:3 (default: no FEC).")
    private @Nullable String shape;

    /** Returns the cipher and key, or {@code null} if encryption is disabled. */
    @Nullable CryptoConfig crypto() {
        if (cipherName.equals(NO_CIPHER)) {
            if (password != null) {
                throw new IllegalArgumentException("--key requires --crypt (for example --crypt aes-128-gcm)");
            }
            return null;
        }
        if (password == null) {
            throw new IllegalArgumentException("--crypt " + cipherName + " requires --key");
        }
        return CryptoConfig.kcptun(cipherName, password);
    }

    /** Returns the FEC configuration, or {@code null} if this side sends no parity. */
    @Nullable FecConfig fec() {
        return shape == null ? null : FecConfig.of(FecShape.parse(shape));
    }

    KcpServerBootstrap apply(KcpServerBootstrap server) {
        return server.crypto(crypto()).fec(fec());
    }

    KcpBootstrap apply(KcpBootstrap client) {
        return client.crypto(crypto()).fec(fec());
    }
}
