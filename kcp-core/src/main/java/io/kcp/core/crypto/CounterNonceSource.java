package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Nonces that cannot be told from random ones: AES-128 of a counter, many at a time. Under one key no two 16-byte nonces
 * are equal. Key and counter are drawn anew before they have served so often that the lack of repetitions would show.
 */
final class CounterNonceSource implements NonceSource {

    /** Nonces between two draws from the entropy. */
    static final int NONCES_PER_KEY = 1 << 20;

    private static final int KEY_BYTES = 16;
    private static final int NONCES_PER_BATCH = 64;

    private final Entropy entropy;
    private final Cipher aes;
    private final byte[] seed = new byte[KEY_BYTES + MAX_BYTES];
    private final byte[] counters = new byte[NONCES_PER_BATCH * MAX_BYTES];
    private final byte[] batch = new byte[NONCES_PER_BATCH * MAX_BYTES];
    private int position = batch.length;
    private int noncesLeft;
    private long counterHigh;
    private long counterLow;

    CounterNonceSource(Entropy entropy) {
        this.entropy = entropy;
        aes = JavaCiphers.named("AES/ECB/NoPadding");
        rekey();
    }

    @Override
    public void next(byte[] target, int length) {
        if (position == batch.length) {
            refill();
        }
        System.arraycopy(batch, position, target, 0, length);
        position += MAX_BYTES;
    }

    private void refill() {
        if (noncesLeft == 0) {
            rekey();
        }
        noncesLeft -= NONCES_PER_BATCH;
        for (int offset = 0; offset < counters.length; offset += MAX_BYTES) {
            Words.putLongBE(counters, offset, counterHigh);
            Words.putLongBE(counters, offset + Long.BYTES, counterLow++);
        }
        try {
            aes.doFinal(counters, 0, counters.length, batch, 0);
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.impossible(e);
        }
        position = 0;
    }

    private void rekey() {
        entropy.fill(seed);
        counterHigh = Words.longBE(seed, KEY_BYTES);
        counterLow = Words.longBE(seed, KEY_BYTES + Long.BYTES);
        try {
            aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(seed, 0, KEY_BYTES, "AES"));
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.impossible(e);
        }
        Arrays.fill(seed, (byte) 0);
        noncesLeft = NONCES_PER_KEY;
    }
}
