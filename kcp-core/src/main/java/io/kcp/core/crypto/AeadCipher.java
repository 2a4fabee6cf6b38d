package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals datagrams as {@code nonce (12) | ciphertext | tag (16)} with an AEAD cipher of {@code javax.crypto}. With the JDK's provider,
 * initializing the cipher with a nonce takes about a third of the time of encrypting a full datagram and allocates a kilobyte. Only another
 * provider avoids this cost.
 */
final class AeadCipher implements DatagramCipher {

    static final int NONCE_BYTES = ArrayAead.NONCE_BYTES;
    static final int TAG_BYTES = ArrayAead.TAG_BYTES;

    /**
     * First Java version with a fast implementation of ChaCha20-Poly1305. Earlier versions also reject a nonce that equals the previous
     * one, so they would not open a datagram that the network has duplicated.
     */
    private static final int FIRST_WITH_FAST_CHACHA = 21;

    /** Name of the JDK's provider, which allocates memory for each datagram. */
    private static final String DEFAULT_PROVIDER = "SunJCE";

    /**
     * Size in bytes of the largest payload that {@link ArrayAesGcm} seals and opens, unless another provider is installed or chosen. Up to
     * this size, it takes at most 100 ns longer than the implementation of the JDK, and the JDK allocates a kilobyte for each datagram.
     */
    private static final int MAX_SMALL_BYTES = 128;

    private final Cipher cipher;
    private final SecretKey key;
    private final boolean gcm;
    private final NonceSource nonces;
    private final byte[] nonce = new byte[NONCE_BYTES];
    private final ScratchBuffer input = new ScratchBuffer();
    private final ScratchBuffer output = new ScratchBuffer();
    private boolean refusedReflection;

    private AeadCipher(String transformation, @Nullable Provider provider, SecretKey key, boolean gcm, NonceSource nonces) {
        cipher = JcaCiphers.getInstance(transformation, provider);
        this.key = key;
        this.gcm = gcm;
        this.nonces = nonces;
    }

    static DatagramCipher aesGcm(byte[] key, NonceSource nonces, @Nullable Provider provider) {
        AeadCipher cipher = new AeadCipher("AES/GCM/NoPadding", provider, new SecretKeySpec(key, "AES"), true, nonces);
        boolean isDefault = provider == null && cipher.cipher.getProvider().getName().equals(DEFAULT_PROVIDER);
        return isDefault ? new CipherBySize(new ArrayAesGcm(key, nonces), cipher, MAX_SMALL_BYTES) : cipher;
    }

    static DatagramCipher chaCha20Poly1305(byte[] key, NonceSource nonces, @Nullable Provider provider) {
        return provider == null && Runtime.version().feature() < FIRST_WITH_FAST_CHACHA
            ? new ChaCha20Poly1305Cipher(key, nonces)
            : new AeadCipher("ChaCha20-Poly1305", provider, new SecretKeySpec(key, "ChaCha20"), false, nonces);
    }

    @Override
    public int headBytes() {
        return NONCE_BYTES;
    }

    @Override
    public int tailBytes() {
        return TAG_BYTES;
    }

    @Override
    public void seal(ByteBuf datagram) {
        ScratchBuffer.requireRoom(datagram, NONCE_BYTES, TAG_BYTES);
        int payload = datagram.readableBytes();
        int length = NONCE_BYTES + payload + TAG_BYTES;
        byte[] plain = input.forLength(length);
        byte[] sealed = output.forLength(length);
        ScratchBuffer.copyReadable(datagram, plain, 0);
        nonces.next(nonce, NONCE_BYTES);
        System.arraycopy(nonce, 0, sealed, 0, NONCE_BYTES);
        try {
            cipher.init(Cipher.ENCRYPT_MODE, key, parameters());
            cipher.doFinal(plain, 0, payload, sealed, NONCE_BYTES);
        } catch (GeneralSecurityException e) {
            throw JcaCiphers.unexpected(e);
        }
        int start = datagram.readerIndex() - NONCE_BYTES;
        datagram.setBytes(start, sealed, 0, length);
        datagram.setIndex(start, start + length);
    }

    @Override
    public boolean open(ByteBuf datagram) {
        int length = datagram.readableBytes();
        int payload = length - NONCE_BYTES - TAG_BYTES;
        refusedReflection = false;
        if (payload < 0 || length > ScratchBuffer.MAX_DATAGRAM_BYTES) {
            return false;
        }
        byte[] sealed = input.forLength(length);
        byte[] plain = output.forLength(length);
        ScratchBuffer.copyReadable(datagram, sealed, 0);
        if (nonces.isOwn(sealed, 0, NONCE_BYTES)) {
            refusedReflection = true;
            return false;
        }
        System.arraycopy(sealed, 0, nonce, 0, NONCE_BYTES);
        try {
            cipher.init(Cipher.DECRYPT_MODE, key, parameters());
            cipher.doFinal(sealed, NONCE_BYTES, payload + TAG_BYTES, plain, 0);
        } catch (BadPaddingException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw JcaCiphers.unexpected(e);
        }
        int start = datagram.readerIndex() + NONCE_BYTES;
        datagram.setBytes(start, plain, 0, payload);
        datagram.setIndex(start, start + payload);
        return true;
    }

    @Override
    public boolean refusedReflection() {
        return refusedReflection;
    }

    private AlgorithmParameterSpec parameters() {
        return gcm ? new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce) : new IvParameterSpec(nonce);
    }
}
