package io.kcp.core.crypto;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Derives keys from passwords as kcptun does for its option {@code --key}: PBKDF2 with HMAC-SHA-1, a publicly known salt and
 * 4,096 iterations. One recorded datagram is enough to find a weak password by trial.
 */
public final class KcptunKey {

    /** Length of a derived key in bytes. */
    public static final int BYTES = 32;

    private static final String SALT = "kcp-go";
    private static final int ITERATIONS = 4096;
    private static final String MAC = "HmacSHA1";

    private KcptunKey() {
    }

    /**
     * Derives a key from a password. This takes some tens of milliseconds, so the method should not be called on an event loop.
     *
     * @param password the password that is passed to kcptun
     * @return {@value #BYTES} bytes, owned by the caller; ciphers with shorter keys use only the first of these bytes
     * @throws IllegalArgumentException if the password is empty
     */
    public static byte[] derive(String password) {
        if (password.isEmpty()) {
            throw new IllegalArgumentException("password: empty (expected: at least one character)");
        }
        return pbkdf2(password.getBytes(StandardCharsets.UTF_8), SALT, ITERATIONS, BYTES);
    }

    /** Computes PBKDF2 of arbitrary bytes. {@code SecretKeyFactory} cannot replace this method because it accepts only characters. */
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
            throw JcaCiphers.unexpected(e);
        }
    }
}
