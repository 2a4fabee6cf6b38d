package io.kcp.bench.experiment;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * Options that a comparison of tunnels varies. In the text form, for example {@code aes+fec+comp+smux1}, only the cipher is required.
 *
 * @param cipher      the value of {@code --crypt}
 * @param parity      whether both sides send FEC 10+3
 * @param compression whether both sides compress
 * @param smuxVersion 1 or 2
 */
record TunnelSettings(String cipher, boolean parity, boolean compression, int smuxVersion) {

    private static final String AEAD_SUFFIX = "-gcm";

    /** Converts the text form for picocli. */
    static final class Converter implements CommandLine.ITypeConverter<TunnelSettings> {

        @Override
        public TunnelSettings convert(String text) {
            List<String> parts = new ArrayList<>(List.of(text.split("\\+")));
            String cipher = parts.remove(0);
            boolean parity = parts.remove("fec");
            boolean compression = parts.remove("comp");
            int smuxVersion = parts.remove("smux1") ? 1 : 2;
            if (!parts.isEmpty()) {
                throw new CommandLine.TypeConversionException(text + " (expected: CIPHER[+fec][+comp][+smux1])");
            }
            return new TunnelSettings(cipher, parity, compression, smuxVersion);
        }
    }

    boolean isAead() {
        return cipher.endsWith(AEAD_SUFFIX);
    }

    /** Returns the options of server and client. */
    List<String> options() {
        List<String> options = new ArrayList<>(List.of("--crypt", cipher, "--mode", "fast3", "--sndwnd", "1024", "--rcvwnd", "1024",
            "--smuxver", Integer.toString(smuxVersion), "--quiet"));
        if (!parity) {
            options.addAll(List.of("--datashard", "0", "--parityshard", "0"));
        }
        if (!compression) {
            options.add("--nocomp");
        }
        return options;
    }

    @Override
    public String toString() {
        return cipher + (parity ? "+fec" : "") + (compression ? "+comp" : "") + (smuxVersion == 1 ? "+smux1" : "");
    }
}
