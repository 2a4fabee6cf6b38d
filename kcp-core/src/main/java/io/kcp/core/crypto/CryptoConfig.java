package io.kcp.core.crypto;

import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cipher and its key, as kcp-go and kcptun name them; both sides must have the same, nothing is negotiated. Immutable
 * and free to share between threads. Each thread makes itself a {@link PacketCipher} of it.
 *
 * <pre>{@code
 * CryptoConfig config = CryptoConfig.of("aes-128-gcm", key);          // a key of 16 random bytes
 * CryptoConfig config = CryptoConfig.kcptun("aes", "it's a secrect"); // as kcptun --crypt aes --key ...
 * PacketCipher cipher = config.newCipher(new SecureRandom()::nextBytes);
 * }</pre>
 *
 * <p>What each cipher is worth stands in the documentation of the package. To change a key without losing a datagram,
 * first let both sides open with the new one too, then seal with it, then drop the old one:
 * {@code old.alsoOpening(fresh)}, {@code fresh.alsoOpening(old)}, {@code fresh}.
 */
public final class CryptoConfig {

    /** Makes the cipher of one thread; one without a key of nonces recognises nothing as its own. */
    @FunctionalInterface
    private interface Maker {

        PacketCipher make(Entropy entropy, @Nullable NonceKey nonceKey);
    }

    private static final NonceSource NO_NONCES = (target, length) -> {
        throw new IllegalStateException("this cipher was made to be looked at");
    };

    private final String cipherName;
    private final boolean bare;
    private final boolean authenticated;
    private final int headBytes;
    private final int tailBytes;
    private final Maker maker;
    /** Makes the same with another provider; only ciphers that have one. */
    private final @Nullable Function<Provider, CryptoConfig> onProvider;
    /** By it all ciphers of this configuration recognise what any of them sealed; null if they do not. */
    private final @Nullable NonceKey nonceKey;
    /** What opens besides, each without such a list of its own. */
    private final List<CryptoConfig> previous;
    /** Always the same objects: who keeps a cipher for each finds it again. */
    private final List<CryptoConfig> openers;

    private CryptoConfig(String cipherName, boolean authenticated, int headBytes, int tailBytes, Maker maker,
        @Nullable Function<Provider, CryptoConfig> onProvider) {
        this.cipherName = cipherName;
        this.authenticated = authenticated;
        this.headBytes = headBytes;
        this.tailBytes = tailBytes;
        this.maker = maker;
        this.onProvider = onProvider;
        bare = cipherName.equals(CipherSuite.NULL.cipherName());
        nonceKey = null;
        previous = List.of();
        openers = List.of();
    }

    private CryptoConfig(CryptoConfig sealing, List<CryptoConfig> previous, @Nullable NonceKey nonceKey) {
        cipherName = sealing.cipherName;
        bare = sealing.bare;
        authenticated = sealing.authenticated;
        headBytes = sealing.headBytes;
        tailBytes = sealing.tailBytes;
        maker = sealing.maker;
        onProvider = sealing.onProvider;
        this.nonceKey = nonceKey;
        this.previous = previous.stream().map(other -> other.alone(nonceKey)).collect(Collectors.toUnmodifiableList());
        List<CryptoConfig> all = new ArrayList<>();
        if (!previous.isEmpty()) {
            all.add(sealing.alone(nonceKey));
            all.addAll(this.previous);
        }
        openers = List.copyOf(all);
    }

    /** Returns this cipher without those that it opens besides, and with that key of nonces. */
    private CryptoConfig alone(@Nullable NonceKey key) {
        return previous.isEmpty() && nonceKey == key ? this : new CryptoConfig(this, List.of(), key);
    }

    /**
     * Names a cipher and gives it a key.
     *
     * @param cipherName one of {@link #names()}
     * @param key        the key, copied; {@code none} and {@code null} ignore it
     * @return the configuration
     * @throws IllegalArgumentException if there is no such cipher, or it takes no key of that length
     * @throws IllegalStateException    if the cipher needs a library that is not there; the message names it
     */
    public static CryptoConfig of(String cipherName, byte[] key) {
        CipherSuite suite = CipherSuite.named(cipherName);
        return of(suite, suite.material(key), null);
    }

    private static CryptoConfig of(CipherSuite suite, byte[] material, @Nullable Provider provider) {
        // Made once to learn at once whether all that it needs is there.
        PacketCipher probe = suite.make(material, NO_NONCES, provider);
        return new CryptoConfig(suite.cipherName(), suite.isAuthenticated(), probe.headBytes(), probe.tailBytes(),
            (entropy, nonceKey) -> suite.make(material, suite == CipherSuite.NULL ? NO_NONCES : nonces(entropy, nonceKey), provider),
            suite.isAuthenticated() ? other -> of(suite, material, other) : null);
    }

    private static NonceSource nonces(Entropy entropy, @Nullable NonceKey nonceKey) {
        if (nonceKey != null) {
            return new CounterNonceSource(nonceKey, true, entropy);
        }
        long[] runs = new long[1];
        return new CounterNonceSource(new NonceKey(entropy, () -> runs[0]++), false, entropy);
    }

    /**
     * Does what kcptun does with its options {@code --crypt} and {@code --key}: derives a key from the password and cuts
     * it to what the cipher takes. An unknown cipher is refused, where kcptun would silently take {@code aes}. Takes
     * some tens of milliseconds: not for an event loop.
     *
     * @param cipherName one of {@link #names()}
     * @param password   the password
     * @return the configuration
     * @throws IllegalArgumentException if there is no such cipher, or the password is empty
     * @throws IllegalStateException    if the cipher needs a library that is not there; the message names it
     */
    public static CryptoConfig kcptun(String cipherName, String password) {
        CipherSuite suite = CipherSuite.named(cipherName);
        return of(cipherName, suite.cut(KcptunKey.derive(password)));
    }

    /**
     * Takes a cipher that is not among {@link #names()}, for example an AEAD of a hardware module.
     *
     * @param cipherName    its name, for people to read
     * @param authenticated whether nobody without the key can make a datagram that opens
     * @param headBytes     how many bytes its datagrams have before the payload
     * @param tailBytes     how many bytes its datagrams have after the payload
     * @param factory       makes the cipher of one thread; is called by any thread. The cipher has to recognise its own
     *                      datagrams itself if it is to refuse them ({@link PacketCipher#refusedReflection})
     * @return the configuration
     * @throws IllegalArgumentException if one of {@link #names()} has that name
     */
    public static CryptoConfig custom(String cipherName, boolean authenticated, int headBytes, int tailBytes,
        Function<? super Entropy, ? extends PacketCipher> factory) {
        if (names().contains(cipherName)) {
            throw new IllegalArgumentException("cipherName: " + cipherName + " (expected: none of " + names() + ')');
        }
        return new CryptoConfig(cipherName, authenticated, headBytes, tailBytes, (entropy, nonceKey) -> factory.apply(entropy), null);
    }

    /**
     * Returns a configuration that seals, and opens what it sealed, with another implementation of {@code javax.crypto}:
     * same bytes on the wire, other speed. The JDK's own is slow at small packets, above all Java 17's; those of native
     * code, such as Amazon Corretto's for AES-GCM and Conscrypt's for ChaCha20-Poly1305, are about as fast as kcp-go.
     *
     * @param provider where the cipher is to come from; need not be installed
     * @return the configuration; what it opens besides stays with the provider it has
     * @throws IllegalArgumentException if this is no AEAD of {@link #names()}, or the provider does not have it
     */
    public CryptoConfig withProvider(Provider provider) {
        if (onProvider == null) {
            throw new IllegalArgumentException("provider: " + provider.getName() + " for " + cipherName
                + " (expected: none; only AEADs use one)");
        }
        CryptoConfig moved = onProvider.apply(provider);
        return previous.isEmpty() && nonceKey == null ? moved : new CryptoConfig(moved, previous, nonceKey);
    }

    /**
     * Returns a configuration whose ciphers refuse datagrams that they themselves, or each other, sealed. Both directions of a
     * session use one key, so without this a datagram that somebody on the path sends back opens, and counts as the peer's.
     * The ciphers recognise their own nonces, under every key of {@link #openers()}; the wire format is the same. A datagram
     * of a peer is taken for an own one, and lost, once in 2<sup>32</sup> (AEAD) or 2<sup>64</sup> datagrams.
     *
     * <p>The bootstraps and {@code CryptoCodec} of kcp-netty call this. Call it yourself to share one guard among several of
     * them on the same side of a connection, for example many client bootstraps. <b>Client and server must not share a
     * guard</b>: each would refuse everything that the other sends.
     * <pre>{@code
     * config.withReflectionGuard(new SecureRandom()::nextBytes, new AtomicLong()::getAndIncrement)
     * }</pre>
     *
     * @param entropy    where the secret of the guard comes from, called once, before this returns
     * @param runNumbers returns 0, 1, 2 and so on, each number only once; called by the threads of all ciphers, once in 65,536
     *                   datagrams. If a number came twice, nonces would repeat
     * @return the configuration; this if it has a guard already, or is {@code null}
     */
    public CryptoConfig withReflectionGuard(Entropy entropy, LongSupplier runNumbers) {
        return bare || nonceKey != null ? this : new CryptoConfig(this, previous, new NonceKey(entropy, runNumbers));
    }

    /**
     * Returns the names of all ciphers.
     *
     * @return the names, immutable, what is recommended first
     */
    public static List<String> names() {
        return CipherSuite.names();
    }

    /**
     * Returns a configuration that seals as this one and opens datagrams of others as well, while keys are changed. Each
     * datagram that fails one cipher is tried with the next: what a forged one costs grows with their number. It counts
     * as authenticated only if all of them do. All are under the reflection guard of this configuration, if it has one.
     *
     * @param others what to open too; those that they open in turn are taken over
     * @return the configuration
     * @throws IllegalArgumentException if this or another is {@code null}, which would open everything
     */
    public CryptoConfig alsoOpening(CryptoConfig... others) {
        List<CryptoConfig> list = new ArrayList<>(previous);
        for (CryptoConfig other : others) {
            list.addAll(other.openers());
        }
        if (bare || list.stream().anyMatch(CryptoConfig::isNull)) {
            throw new IllegalArgumentException("others: the cipher null opens everything and cannot be one of several");
        }
        return new CryptoConfig(this, list, nonceKey);
    }

    /**
     * Returns all that opens datagrams, each by itself.
     *
     * @return immutable and always the same objects; first what also seals
     */
    public List<CryptoConfig> openers() {
        return openers.isEmpty() ? List.of(this) : openers;
    }

    /**
     * Makes a cipher for one thread, which opens what any of {@link #openers()} opens.
     *
     * @param entropy where nonces come from in the end, called by that thread
     * @return the cipher, with no state in common with others
     */
    public PacketCipher newCipher(Entropy entropy) {
        if (previous.isEmpty()) {
            return maker.make(entropy, nonceKey);
        }
        return new RotatingCipher(openers().stream().map(opener -> opener.newCipher(entropy)).toArray(PacketCipher[]::new));
    }

    /**
     * Returns the name of the cipher that seals.
     *
     * @return the name
     */
    public String cipherName() {
        return cipherName;
    }

    /**
     * Tells whether this is {@code null}: datagrams are as KCP made them, and no codec is needed.
     *
     * @return whether nothing is enciphered, added or checked
     */
    public boolean isNull() {
        return bare;
    }

    /**
     * Tells whether a datagram that opens was made by somebody who has a key: whether all {@link #openers()} are AEADs.
     *
     * @return whether nobody else can make one
     */
    public boolean isAuthenticated() {
        return authenticated && previous.stream().allMatch(CryptoConfig::isAuthenticated);
    }

    /**
     * Returns how many bytes a sealed datagram has before the payload.
     *
     * @return bytes
     */
    public int headBytes() {
        return headBytes;
    }

    /**
     * Returns how many bytes a sealed datagram has after the payload.
     *
     * @return bytes
     */
    public int tailBytes() {
        return tailBytes;
    }

    /** Tells the ciphers, and never the keys. */
    @Override
    public String toString() {
        return "CryptoConfig(" + openers().stream().map(CryptoConfig::cipherName).collect(Collectors.joining(", also opening "))
            + ')';
    }
}
