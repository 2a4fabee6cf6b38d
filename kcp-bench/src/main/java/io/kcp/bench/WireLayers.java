package io.kcp.bench;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options for the cipher and FEC. They can be converted to options of the kcp-go program in {@code src/interop/go}. */
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

    /** Returns {@code true} if both cipher and FEC are disabled. */
    boolean isNone() {
        return cipherName.equals(NO_CIPHER) && shape == null;
    }

    @Nullable CryptoConfig crypto() {
        return cipherName.equals(NO_CIPHER) ? null : CryptoConfig.kcptun(cipherName, password);
    }

    @Nullable FecConfig fec() {
        return shape == null ? null : FecConfig.of(FecShape.parse(shape));
    }

    /** Returns the options for {@link KcpLoad}. */
    List<String> loadOptions() {
        List<String> options = new ArrayList<>(List.of("--crypt", cipherName, "--key", password));
        if (shape != null) {
            options.addAll(List.of("--fec", shape));
        }
        return options;
    }

    /** Returns the options for the kcp-go program. */
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
