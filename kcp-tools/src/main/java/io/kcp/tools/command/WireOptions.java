package io.kcp.tools.command;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options for encryption and FEC. Both sides need the same cipher and key, but each side decides whether it sends parity. */
public final class WireOptions {

    /** The name that stands for no cipher. */
    public static final String NO_CIPHER = "null";

    @Option(names = "--crypt", paramLabel = "NAME",
        description = "Cipher, as named by kcptun: aes-128-gcm, aes, salsa20, ... (default: ${DEFAULT-VALUE}, no cipher).")
    private String cipherName = NO_CIPHER;

    @Option(names = "--key", paramLabel = "PASSWORD", description = "Password from which the key is derived as in kcptun.")
    private @Nullable String password;

    @Option(names = "--fec", paramLabel = "DATA:PARITY",
        description = "Data and parity datagrams per FEC group, for example 10:3 (default: no FEC).")
    private @Nullable String shape;

    /** Creates options without cipher and FEC. */
    public WireOptions() {
    }

    /**
     * Returns the cipher and key.
     *
     * @return the cipher, or {@code null} if encryption is disabled
     */
    public @Nullable CryptoConfig crypto() {
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

    /**
     * Returns the settings of FEC.
     *
     * @return the settings, or {@code null} if this side sends no parity
     */
    public @Nullable FecConfig fec() {
        return shape == null ? null : FecConfig.of(FecShape.parse(shape));
    }

    /**
     * Sets cipher and FEC of a server.
     *
     * @param server is changed
     * @return the same bootstrap
     */
    public KcpServerBootstrap apply(KcpServerBootstrap server) {
        return server.crypto(crypto()).fec(fec());
    }

    /**
     * Sets cipher and FEC of a client.
     *
     * @param client is changed
     * @return the same bootstrap
     */
    public KcpBootstrap apply(KcpBootstrap client) {
        return client.crypto(crypto()).fec(fec());
    }
}
