package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES in CFB mode with the constant initialisation vector, but not by the CFB of {@code javax.crypto}, which goes block by
 * block. With {@code E} the block cipher, the first block of key stream is {@code E(IV)}, the same for every packet of a
 * key; what follows is {@code E} of the ciphertext before it. When enciphering that is {@code E(plaintext ^ key stream)},
 * which is what CBC mode makes of the plaintext if started from {@code E(IV)}. When deciphering, all ciphertext is known,
 * and one call enciphers all of it, side by side. CFB is the xor with that.
 */
final class AesTransform implements PacketTransform {

    private static final int BLOCK_BYTES = 16;

    private final Cipher chained;
    private final Cipher parallel;
    /** The first block never changes. */
    private byte[] stream;

    AesTransform(byte[] key) {
        SecretKeySpec secret = new SecretKeySpec(key, "AES");
        chained = JavaCiphers.named("AES/CBC/NoPadding");
        parallel = JavaCiphers.named("AES/ECB/NoPadding");
        try {
            parallel.init(Cipher.ENCRYPT_MODE, secret);
            stream = parallel.doFinal(FeedbackVector.bytes(), 0, BLOCK_BYTES);
            chained.init(Cipher.ENCRYPT_MODE, secret, new IvParameterSpec(stream));
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.impossible(e);
        }
    }

    @Override
    public void encrypt(byte[] packet, int length) {
        // doFinal also takes CBC mode back to where it was started from.
        xorWithStream(chained, packet, length);
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        xorWithStream(parallel, packet, length);
    }

    private void xorWithStream(Cipher cipher, byte[] packet, int length) {
        // The last block of the packet, whole or not, needs key stream but is not fed back.
        int fedBack = (length - 1) / BLOCK_BYTES * BLOCK_BYTES;
        if (stream.length < BLOCK_BYTES + fedBack) {
            byte[] longer = new byte[BLOCK_BYTES + packet.length];
            System.arraycopy(stream, 0, longer, 0, BLOCK_BYTES);
            stream = longer;
        }
        try {
            cipher.doFinal(packet, 0, fedBack, stream, BLOCK_BYTES);
        } catch (GeneralSecurityException e) {
            throw JavaCiphers.impossible(e);
        }
        Words.xor(packet, stream, length);
    }
}
