package io.kcp.bench.experiment;

import io.kcp.core.fec.FecShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cipher and FEC of both ends.
 *
 * @param cipher name of the cipher as in kcptun, or null
 * @param fec    shape such as {@code 10:3}, or null
 */
record Layers(@Nullable String cipher, @Nullable String fec) {

    static final Layers NONE = new Layers(null, null);

    private static final String PASSWORD = "bench";

    /** Returns the options of the load program of this library. */
    List<String> ownOptions() {
        List<String> options = cipherOptions();
        if (fec != null) {
            options.addAll(List.of("--fec", fec));
        }
        return options;
    }

    /** Returns the options of the kcp-go program. */
    List<String> kcpGoOptions() {
        List<String> options = cipherOptions();
        if (fec != null) {
            FecShape shape = FecShape.parse(fec);
            options.addAll(List.of("--datashard", Integer.toString(shape.dataShards()), "--parityshard",
                Integer.toString(shape.parityShards())));
        }
        return options;
    }

    private List<String> cipherOptions() {
        return new ArrayList<>(cipher == null ? List.of() : List.of("--crypt", cipher, "--key", PASSWORD));
    }

    /** Returns the settings as text for results, empty without FEC and cipher. */
    String text() {
        return cipher == null ? fec == null ? "" : "fec " + fec : fec == null ? cipher : cipher + " fec " + fec;
    }
}
