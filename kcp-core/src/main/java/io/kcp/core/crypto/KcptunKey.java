package io.kcp.core.crypto;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that kcptun makes of its option {@code --key}: PBKDF2 with HMAC-SHA-1, a salt that all the world knows, 4,096
 * iterations. A password that can be guessed is found from one recorded datagram.
 */
public final class KcptunKey {

    /** Length of a derived key. */
    public static final int BYTES = 32;

    private static final String SALT = "kcp-go";
    private static final int ITERATIONS = 4096;
    private static final String MAC = "HmacSHA1";

    private KcptunKey() {
    }

    /**
     * Derives the key. Takes some tens of milliseconds: not for an event loop.
     *
     * @param password the password, as given to kcptun
     * @return {@value #BYTES} bytes, owned by the caller; ciphers with shorter keys use the first of them
     * @throws IllegalArgumentException if the password is empty
     */
    public static byte[] derive(String password) {
        if (password.isEmpty()) {
            throw new IllegalArgumentException("password: empty (expected: at least one character)");
        }
        return pbkdf2(password.getBytes(StandardCharsets.UTF_8), SALT, ITERATIONS, BYTES);
    }

    /** Not by {@code SecretKeyFactory}, whose passwords are characters and cannot be any bytes. */
    static byte[] pbkdf2(byte[] secret, String salt, int iterations, int length) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(secret, MAC));
            byte[] derived = new byte[length];
            byte[] blockNumber = new byte[Integer.BYTES];
            byte[] link = new byte[mac.getMacLength()];
            for (int offset = 0; offset < length; offset += link.length) {
                Words.putIntBE(blockNumber, 0, offset / link.length + 1);
                mac.update(salt.getBytes(StandardCharsets.US_ASCII));
                mac.update(blockNumber);
                mac.doFinal(link, 0);
                byte[] block = link.clone();
                for (int i = 1; i < iterations; i++) {
                    mac.update(link);
                    mac.doFinal(link, 0);
                    Words.xor(block, link, block.length);
                }
                System.arraycopy(block, 0, derived, offset, Math.min(block.length, length - offset));
                Arrays.fill(block, (byte) 0);
            }
            Arrays.fill(link, (byte) 0);
            return derived;
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.impossible(e);
        }
    }
}
