package io.kcp.core.crypto;

import java.security.Provider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The ciphers that {@link CryptoConfig} offers by name, with the recommended ciphers first. */
enum NamedCipher {

    AES_128_GCM("aes-128-gcm", KeyLengths.exactly(16), true, AeadCipher::aesGcm),
    AES_256_GCM("aes-256-gcm", KeyLengths.exactly(32), true, AeadCipher::aesGcm),
    CHACHA20_POLY1305("chacha20-poly1305", KeyLengths.exactly(32), true, AeadCipher::chaCha20Poly1305),
    AES("aes", KeyLengths.exactly(32), AesCfbTransform::new),
    AES_128("aes-128", KeyLengths.exactly(16), AesCfbTransform::new),
    AES_192("aes-192", KeyLengths.exactly(24), AesCfbTransform::new),
    SALSA20("salsa20", KeyLengths.exactly(32), Salsa20Transform::new),
    SM4("sm4", KeyLengths.exactly(16), key -> new CfbTransform(new Sm4(key))),
    TWOFISH("twofish", new KeyLengths(32, 16, 32, 8), key -> new CfbTransform(new Twofish(key))),
    BLOWFISH("blowfish", new KeyLengths(32, 1, 56, 1), key -> new CfbTransform(new Blowfish(key))),
    CAST5("cast5", KeyLengths.exactly(16), NamedCipher::cast5),
    TRIPLE_DES("3des", KeyLengths.exactly(24), key -> new CfbTransform(new TripleDes(key))),
    XTEA("xtea", KeyLengths.exactly(16), key -> new CfbTransform(new Xtea(key))),
    TEA("tea", KeyLengths.exactly(16), key -> new CfbTransform(new Tea(key))),
    XOR("xor", KeyLengths.atLeast(1), XorTransform::new),
    NONE("none", KeyLengths.atLeast(0), key -> new IdentityTransform()),
    NULL("null", KeyLengths.atLeast(0), false, (key, nonces, provider) -> new NullCipher());

    /** Maven coordinates of BouncyCastle, which only the cipher {@code cast5} needs. A test compares the version with the build. */
    private static final String BOUNCY_CASTLE = "org.bouncycastle:bcprov-jdk18on:1.86";

    /** Creates a cipher for one thread. */
    private interface CipherFactory {

        DatagramCipher newCipher(byte[] keyMaterial, NonceSource nonces, @Nullable Provider provider);
    }

    private final String cipherName;
    @SuppressWarnings("ImmutableEnumChecker") // a record of numbers
    private final KeyLengths keyLengths;
    private final boolean authenticated;
    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final CipherFactory factory;

    NamedCipher(String cipherName, KeyLengths keyLengths, Function<byte[], ArrayDatagramCipher> transform) {
        this(cipherName, keyLengths, false, (key, nonces, provider) -> new ChecksummedCipher(transform.apply(key), nonces));
    }

    NamedCipher(String cipherName, KeyLengths keyLengths, boolean authenticated, CipherFactory factory) {
        this.cipherName = cipherName;
        this.keyLengths = keyLengths;
        this.authenticated = authenticated;
        this.factory = factory;
    }

    static NamedCipher ofName(String cipherName) {
        for (NamedCipher cipher : values()) {
            if (cipher.cipherName.equals(cipherName)) {
                return cipher;
            }
        }
        throw new IllegalArgumentException("cipherName: " + cipherName + " (expected: one of " + String.join(", ", names()) + ')');
    }

    static List<String> names() {
        return Arrays.stream(values()).map(cipher -> cipher.cipherName).collect(Collectors.toUnmodifiableList());
    }

    String cipherName() {
        return cipherName;
    }

    boolean isAuthenticated() {
        return authenticated;
    }

    /** Truncates a key derived by kcptun to the length that kcptun uses for this cipher. */
    byte[] truncate(byte[] derived) {
        return Arrays.copyOf(derived, keyLengths.kcptun());
    }

    /**
     * Validates the length of a key and returns the key material that {@link #newCipher} expects: a copy of the key or a table derived from
     * the key.
     */
    byte[] keyMaterial(byte[] key) {
        if (!keyLengths.accept(key.length)) {
            throw new IllegalArgumentException("key: " + key.length + " bytes for " + cipherName + " (expected: " + keyLengths
                + otherCiphers(key.length) + ')');
        }
        return this == XOR ? XorTransform.table(key) : key.clone();
    }

    DatagramCipher newCipher(byte[] keyMaterial, NonceSource nonces) {
        return newCipher(keyMaterial, nonces, null);
    }

    /** Creates a cipher. Only AEAD ciphers use the provider. */
    DatagramCipher newCipher(byte[] keyMaterial, NonceSource nonces, @Nullable Provider provider) {
        return factory.newCipher(keyMaterial, nonces, provider);
    }

    /**
     * Creates the cipher {@code cast5}, the only one that needs BouncyCastle. If that library is missing, linking the class {@link Cast5}
     * fails.
     */
    private static ArrayDatagramCipher cast5(byte[] key) {
        try {
            return new CfbTransform(new Cast5(key));
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException("the cipher cast5 needs an optional dependency that is missing from the class path, "
                + BOUNCY_CASTLE + " (property bouncycastle.version of kcp-parent)", e);
        }
    }

    /** Returns the part of an error message that lists the ciphers with keys of the given length. */
    private String otherCiphers(int keyBytes) {
        List<String> others = new ArrayList<>();
        for (NamedCipher cipher : values()) {
            if (cipher.keyLengths.min() > 1 && cipher.keyLengths.accept(keyBytes)) {
                others.add(cipher.cipherName);
            }
        }
        return others.isEmpty() ? "" : "; keys of " + keyBytes + " bytes are for " + String.join(", ", others);
    }
}
