package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-GCM for small datagrams. The key stream comes from the AES of the JDK in ECB mode, which needs no initialization with the nonce, and
 * the tag from {@link Ghash}. In contrast, the GCM mode of the JDK allocates a kilobyte for each datagram, and throws an exception for each
 * forged one. For large datagrams, the JDK is faster, because it computes GHASH with instructions of the processor.
 */
final class ArrayAesGcm extends ArrayAead {

    private static final int BLOCK_BYTES = Ghash.BLOCK_BYTES;

    private final Cipher ecb;
    private final Ghash ghash;
    /** Counter blocks: the nonce, followed by the number of the block. */
    private byte[] counters = new byte[0];
    private byte[] stream = new byte[0];
    private long tagLow;
    private long tagHigh;

    ArrayAesGcm(byte[] key, NonceSource nonces) {
        super(nonces);
        ecb = JavaCiphers.getInstance("AES/ECB/NoPadding");
        try {
            ecb.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
            ghash = new Ghash(ecb.doFinal(new byte[BLOCK_BYTES]));
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.unexpected(e);
        }
    }

    /** Computes the key stream. Its first block encrypts the tag. */
    @Override
    void start(byte[] packet, int end) {
        int length = BLOCK_BYTES + (end - NONCE_BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
        if (stream.length < length) {
            int capacity = Integer.highestOneBit(length - 1) << 1;
            stream = new byte[capacity];
            counters = new byte[capacity];
            for (int block = 0; block < capacity / BLOCK_BYTES; block++) {
                Words.putIntBE(counters, block * BLOCK_BYTES + NONCE_BYTES, block + 1);
            }
        }
        long first = Words.longLE(packet, 0);
        int last = Words.intLE(packet, Long.BYTES);
        for (int offset = 0; offset < length; offset += BLOCK_BYTES) {
            Words.putLongLE(counters, offset, first);
            Words.putIntLE(counters, offset + Long.BYTES, last);
        }
        try {
            // The JDK would allocate a copy if both arrays were the same.
            ecb.doFinal(counters, 0, length, stream, 0);
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.unexpected(e);
        }
    }

    @Override
    void xorWithStream(byte[] packet, int end) {
        Words.xor(packet, NONCE_BYTES, stream, BLOCK_BYTES, end - NONCE_BYTES);
    }

    @Override
    void computeTag(byte[] packet, int end) {
        int length = end - NONCE_BYTES;
        Arrays.fill(packet, end, end + TAG_BYTES, (byte) 0);
        ghash.start();
        ghash.update(packet, NONCE_BYTES, length);
        // The length of the associated data is 0.
        ghash.update(0, (long) length * Byte.SIZE);
        tagLow = Long.reverseBytes(ghash.first()) ^ Words.longLE(stream, 0);
        tagHigh = Long.reverseBytes(ghash.last()) ^ Words.longLE(stream, Long.BYTES);
    }

    @Override
    long tagLow() {
        return tagLow;
    }

    @Override
    long tagHigh() {
        return tagHigh;
    }
}
