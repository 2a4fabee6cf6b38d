package io.kcp.core.crypto;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Test vectors of one cipher, which are a key and datagrams of 15 sizes that kcp-go sealed with this key. */
record CipherVectors(String cipherName, byte[] key, List<Vector> vectors) {

    /** A datagram that kcp-go sealed. */
    record Vector(byte[] payload, byte[] nonce, byte[] datagram) {
    }

    private static final Pattern TEXT = Pattern.compile("\"(\\w+)\": \"([^\"]*)\"");

    /** Reads the vectors of all ciphers. Each value of the file is on a line of its own. */
    static List<CipherVectors> load() {
        List<CipherVectors> all = new ArrayList<>();
        try (InputStream in = CipherVectors.class.getResourceAsStream("crypt.json");
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            String name = "";
            byte[] payload = {};
            byte[] nonce = {};
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher field = TEXT.matcher(line);
                if (!field.find()) {
                    continue;
                }
                String value = field.group(2);
                switch (field.group(1)) {
                    case "Cipher" -> name = value;
                    case "Key" -> all.add(new CipherVectors(name, hex(value), new ArrayList<>()));
                    case "Payload" -> payload = hex(value);
                    case "Nonce" -> nonce = hex(value);
                    case "Datagram" -> all.get(all.size() - 1).vectors.add(new Vector(payload, nonce, hex(value)));
                    default -> { }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return all;
    }

    /** Returns a cipher that seals every datagram with the given nonce. */
    DatagramCipher cipher(byte[] nonce) {
        NamedCipher suite = NamedCipher.ofName(cipherName);
        return suite.newCipher(suite.keyMaterial(key), (target, length) -> System.arraycopy(nonce, 0, target, 0, length));
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    @Override
    public String toString() {
        return cipherName;
    }
}
