package io.kcp.core.crypto;

import java.security.Provider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The ciphers that {@link CryptoConfig} offers by name, recommended ones first. */
enum CipherSuite {

    AES_128_GCM("aes-128-gcm", KeyLengths.exactly(16), true, AeadCipher::aesGcm),
    AES_256_GCM("aes-256-gcm", KeyLengths.exactly(32), true, AeadCipher::aesGcm),
    CHACHA20_POLY1305("chacha20-poly1305", KeyLengths.exactly(32), true, AeadCipher::chaCha20Poly1305),
    AES("aes", KeyLengths.exactly(32), AesTransform::new),
    AES_128("aes-128", KeyLengths.exactly(16), AesTransform::new),
    AES_192("aes-192", KeyLengths.exactly(24), AesTransform::new),
    SALSA20("salsa20", KeyLengths.exactly(32), Salsa20Transform::new),
    SM4("sm4", KeyLengths.exactly(16), key -> new FeedbackTransform(new Sm4(key))),
    TWOFISH("twofish", new KeyLengths(32, 16, 32, 8), key -> new FeedbackTransform(new Twofish(key))),
    BLOWFISH("blowfish", new KeyLengths(32, 1, 56, 1), key -> new FeedbackTransform(new Blowfish(key))),
    CAST5("cast5", KeyLengths.exactly(16), CipherSuite::cast5),
    TRIPLE_DES("3des", KeyLengths.exactly(24), key -> new FeedbackTransform(new TripleDes(key))),
    XTEA("xtea", KeyLengths.exactly(16), key -> new FeedbackTransform(new Xtea(key))),
    TEA("tea", KeyLengths.exactly(16), key -> new FeedbackTransform(new Tea(key))),
    XOR("xor", KeyLengths.atLeast(1), XorTransform::new),
    NONE("none", KeyLengths.atLeast(0), key -> new ClearTransform()),
    NULL("null", KeyLengths.atLeast(0), false, (key, nonces, provider) -> new BareCipher());

    /** The only library that a cipher needs besides the JDK. A test compares the version with that of the build. */
    private static final String BOUNCY_CASTLE = "org.bouncycastle:bcprov-jdk18on:1.86";

    /** Makes a thread's cipher. */
    private interface Maker {

        PacketCipher make(byte[] material, NonceSource nonces, @Nullable Provider provider);
    }

    private final String cipherName;
    @SuppressWarnings("ImmutableEnumChecker") // a record of numbers
    private final KeyLengths keyLengths;
    private final boolean authenticated;
    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final Maker maker;

    CipherSuite(String cipherName, KeyLengths keyLengths, Function<byte[], PacketTransform> transform) {
        this(cipherName, keyLengths, false, (key, nonces, provider) -> new ChecksummedCipher(transform.apply(key), nonces));
    }

    CipherSuite(String cipherName, KeyLengths keyLengths, boolean authenticated, Maker maker) {
        this.cipherName = cipherName;
        this.keyLengths = keyLengths;
        this.authenticated = authenticated;
        this.maker = maker;
    }

    static CipherSuite named(String cipherName) {
        for (CipherSuite suite : values()) {
            if (suite.cipherName.equals(cipherName)) {
                return suite;
            }
        }
        throw new IllegalArgumentException("cipherName: " + cipherName + " (expected: one of " + String.join(", ", names()) + ')');
    }

    static List<String> names() {
        return Arrays.stream(values()).map(suite -> suite.cipherName).collect(Collectors.toUnmodifiableList());
    }

    String cipherName() {
        return cipherName;
    }

    boolean isAuthenticated() {
        return authenticated;
    }

    /** Cuts what kcptun derived to what it gives this cipher. */
    byte[] cut(byte[] derived) {
        return Arrays.copyOf(derived, keyLengths.kcptun());
    }

    /** Checks a key and returns what {@link #make} is to be given: a copy of it, or what is computed from it once. */
    byte[] material(byte[] key) {
        if (!keyLengths.fits(key.length)) {
            throw new IllegalArgumentException("key: " + key.length + " bytes for " + cipherName + " (expected: " + keyLengths
                + hint(key.length) + ')');
        }
        return this == XOR ? XorTransform.table(key) : key.clone();
    }

    PacketCipher make(byte[] material, NonceSource nonces) {
        return make(material, nonces, null);
    }

    /** Only what is authenticated asks a provider. */
    PacketCipher make(byte[] material, NonceSource nonces, @Nullable Provider provider) {
        return maker.make(material, nonces, provider);
    }

    /** The only cipher that needs more than the JDK. Its class cannot even be linked without BouncyCastle. */
    private static PacketTransform cast5(byte[] key) {
        try {
            return new FeedbackTransform(new Cast5(key));
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException("the cipher cast5 needs an optional dependency that is missing from the class path, "
                + BOUNCY_CASTLE + " (property bouncycastle.version of kcp-parent)", e);
        }
    }

    private String hint(int keyBytes) {
        List<String> others = new ArrayList<>();
        for (CipherSuite suite : values()) {
            if (suite.keyLengths.min() > 1 && suite.keyLengths.fits(keyBytes)) {
                others.add(suite.cipherName);
            }
        }
        return others.isEmpty() ? "" : "; " + keyBytes + " fit " + String.join(", ", others);
    }
}
