package io.kcp.core.crypto;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Implements AES in CFB mode with the constant initialization vector of {@link CfbTransform}. It uses CBC and ECB mode because the CFB mode
 * of {@code javax.crypto} processes one block after another.
 *
 * <p>Let {@code E} be AES. The first block of the key stream is {@code E(IV)}, which is the same for all packets under one key. Each later
 * block is {@code E} of the ciphertext block before it.
 * <ul>
 * <li>Encryption: the ciphertext block is {@code plaintext ^ key stream}, so the key stream equals the output of CBC mode for the
 * plaintext, with {@code E(IV)} as initialization vector.
 * <li>Decryption: all ciphertext blocks are known, so a single call in ECB mode computes the whole key stream.
 * </ul>
 * The result is the input XORed with the key stream.
 */
final class AesCfbTransform implements ArrayDatagramCipher {

    private static final int BLOCK_BYTES = 16;

    private final Cipher cbc;
    private final Cipher ecb;
    /** The key stream. Its first block is the same for every packet. */
    private byte[] stream;

    AesCfbTransform(byte[] key) {
        SecretKeySpec secret = new SecretKeySpec(key, "AES");
        cbc = JcaCiphers.getInstance("AES/CBC/NoPadding");
        ecb = JcaCiphers.getInstance("AES/ECB/NoPadding");
        try {
            ecb.init(Cipher.ENCRYPT_MODE, secret);
            stream = ecb.doFinal(CfbTransform.initialisationVector(), 0, BLOCK_BYTES);
            cbc.init(Cipher.ENCRYPT_MODE, secret, new IvParameterSpec(stream));
        } catch (GeneralSecurityException e) {
            throw JcaCiphers.unexpected(e);
        }
    }

    @Override
    public void encrypt(byte[] packet, int length) {
        // xorWithStream() calls doFinal(), which also resets the cipher to its initialization vector for the next packet.
        xorWithStream(cbc, packet, length);
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        xorWithStream(ecb, packet, length);
    }

    private void xorWithStream(Cipher cipher, byte[] packet, int length) {
        // Excludes the last block, because it may be incomplete and no key stream is derived from it.
        int fedBack = (length - 1) / BLOCK_BYTES * BLOCK_BYTES;
        if (stream.length < BLOCK_BYTES + fedBack) {
            byte[] longer = new byte[BLOCK_BYTES + packet.length];
            System.arraycopy(stream, 0, longer, 0, BLOCK_BYTES);
            stream = longer;
        }
        try {
            cipher.doFinal(packet, 0, fedBack, stream, BLOCK_BYTES);
        } catch (GeneralSecurityException e) {
            throw JcaCiphers.unexpected(e);
        }
        Words.xor(packet, stream, length);
    }
}
