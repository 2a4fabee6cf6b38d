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
    private final ScratchBuffer counterScratch = new ScratchBuffer();
    private final ScratchBuffer streamScratch = new ScratchBuffer();
    /** The key stream of the current packet. */
    private byte[] stream = {};
    private long tagLow;
    private long tagHigh;

    ArrayAesGcm(byte[] key, NonceSource nonces) {
        super(nonces);
        ecb = JcaCiphers.getInstance("AES/ECB/NoPadding");
        try {
            ecb.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
            ghash = new Ghash(ecb.doFinal(new byte[BLOCK_BYTES]));
        } catch (GeneralSecurityException e) {
            throw JcaCiphers.unexpected(e);
        }
    }

    /** Computes the key stream. Its first block encrypts the tag. */
    @Override
    void start(byte[] packet, int end) {
        int length = BLOCK_BYTES + (end - NONCE_BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
        // A counter block is the nonce, followed by the number of the block.
        byte[] counters = counterScratch.forLength(length);
        stream = streamScratch.forLength(length);
        long first = Words.longLE(packet, 0);
        int last = Words.intLE(packet, Long.BYTES);
        for (int offset = 0; offset < length; offset += BLOCK_BYTES) {
            Words.putLongLE(counters, offset, first);
            Words.putIntLE(counters, offset + Long.BYTES, last);
            Words.putIntBE(counters, offset + NONCE_BYTES, 1 + offset / BLOCK_BYTES);
        }
        try {
            // The JDK would allocate a copy if both arrays were the same.
            ecb.doFinal(counters, 0, length, stream, 0);
        } catch (GeneralSecurityException e) {
            throw JcaCiphers.unexpected(e);
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
