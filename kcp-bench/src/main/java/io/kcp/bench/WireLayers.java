package io.kcp.bench;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpServerBootstrap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Cipher and parity of both ends, as options that the live peer of {@code src/interop/go} understands in its own words. */
final class WireLayers {

    private static final String NO_CIPHER = "null";
    private static final String PASSWORD = "bench";

    @Option(names = "--crypt", defaultValue = NO_CIPHER, description = "cipher, by kcptun's names (${DEFAULT-VALUE})")
    String cipherName = NO_CIPHER;

    @Option(names = "--key", defaultValue = PASSWORD, description = "what the key is made of, as kcptun does (${DEFAULT-VALUE})")
    String password = PASSWORD;

    @Option(names = "--fec", description = "parity that both ends send, for instance 10:3 (none)")
    @Nullable String shape;

    /** A cipher by its name and a shape of FEC, or null for none. */
    static WireLayers of(String cipherName, @Nullable String shape) {
        WireLayers layers = new WireLayers();
        layers.cipherName = cipherName;
        layers.shape = shape;
        return layers;
    }

    /** Whether datagrams are bare. */
    boolean isNone() {
        return cipherName.equals(NO_CIPHER) && shape == null;
    }

    KcpServerBootstrap apply(KcpServerBootstrap server) {
        return server.crypto(crypto()).fec(fec());
    }

    KcpBootstrap apply(KcpBootstrap client) {
        return client.crypto(crypto()).fec(fec());
    }

    @Nullable CryptoConfig crypto() {
        return cipherName.equals(NO_CIPHER) ? null : CryptoConfig.kcptun(cipherName, password);
    }

    @Nullable FecConfig fec() {
        return shape == null ? null : FecConfig.of(FecShape.parse(shape));
    }

    /** The options of our own load programs. */
    List<String> ourOptions() {
        List<String> options = new ArrayList<>(List.of("--crypt", cipherName, "--key", password));
        if (shape != null) {
            options.addAll(List.of("--fec", shape));
        }
        return options;
    }

    /** The options of the kcp-go peer. */
    List<String> kcpGoOptions() {
        List<String> options = new ArrayList<>();
        if (!cipherName.equals(NO_CIPHER)) {
            options.addAll(List.of("--crypt", cipherName, "--key", password));
        }
        if (shape != null) {
            FecShape parsed = FecShape.parse(shape);
            options.addAll(List.of("--datashard", Integer.toString(parsed.dataShards()), "--parityshard",
                Integer.toString(parsed.parityShards())));
        }
        return options;
    }

    @Override
    public String toString() {
        return (cipherName.equals(NO_CIPHER) ? "no cipher" : cipherName) + (shape == null ? ", no FEC" : ", FEC " + shape);
    }
}
