package io.kcp.core.crypto;

import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cipher and its key. Ciphers have the names of kcp-go and kcptun. Both sides of a connection must use the same cipher and key, because
 * nothing is negotiated. Instances are immutable and may be shared by threads; each thread creates a {@link DatagramCipher} of its own.
 *
 * <pre>{@code
 * CryptoConfig config = CryptoConfig.of("aes-128-gcm", key);          // a key of 16 random bytes
 * CryptoConfig kcptun = CryptoConfig.kcptun("aes", "it's a secrect"); // as kcptun --crypt aes --key ...
 * DatagramCipher cipher = config.newCipher(new SecureRandom()::nextBytes);
 * }</pre>
 *
 * <p>The {@linkplain io.kcp.core.crypto package documentation} compares the ciphers. To rotate a key without losing datagrams,
 * configure both sides in three steps: accept the new key as well ({@code old.alsoOpening(fresh)}), then seal with the new key
 * ({@code fresh.alsoOpening(old)}), then remove the old key ({@code fresh}).
 */
public final class CryptoConfig {

    /** Creates a cipher for one thread. Without a nonce key, the cipher does not reject reflections. */
    @FunctionalInterface
    private interface CipherFactory {

        DatagramCipher newCipher(Entropy entropy, @Nullable NonceKey nonceKey);
    }

    /**
     * Nonce source for ciphers that never seal a datagram, namely the cipher {@code null} and ciphers created only to validate a
     * configuration.
     */
    private static final NonceSource NO_NONCES = (target, length) -> {
        throw new IllegalStateException("this cipher cannot seal datagrams");
    };

    private final String cipherName;
    private final boolean isNull;
    private final boolean authenticated;
    private final int headBytes;
    private final int tailBytes;
    private final CipherFactory factory;
    /** Function that creates the same configuration for another provider, or null if the cipher does not use a provider. */
    private final @Nullable Function<Provider, CryptoConfig> providerChange;
    /**
     * The key with which all ciphers of this configuration recognize each other's nonces, or null if the configuration does not reject
     * reflected datagrams.
     */
    private final @Nullable NonceKey nonceKey;
    /** Additional configurations whose datagrams this configuration opens. None of them has additional openers itself. */
    private final List<CryptoConfig> additional;
    /**
     * This configuration and the additional ones, or an empty list if there are no additional ones. Callers use the elements as map keys.
     */
    private final List<CryptoConfig> openers;

    private CryptoConfig(String cipherName, boolean authenticated, int headBytes, int tailBytes, CipherFactory factory,
        @Nullable Function<Provider, CryptoConfig> providerChange) {
        this.cipherName = cipherName;
        this.authenticated = authenticated;
        this.headBytes = headBytes;
        this.tailBytes = tailBytes;
        this.factory = factory;
        this.providerChange = providerChange;
        isNull = cipherName.equals(NamedCipher.NULL.cipherName());
        nonceKey = null;
        additional = List.of();
        openers = List.of();
    }

    private CryptoConfig(CryptoConfig sealing, List<CryptoConfig> additional, @Nullable NonceKey nonceKey) {
        cipherName = sealing.cipherName;
        isNull = sealing.isNull;
        authenticated = sealing.authenticated;
        headBytes = sealing.headBytes;
        tailBytes = sealing.tailBytes;
        factory = sealing.factory;
        providerChange = sealing.providerChange;
        this.nonceKey = nonceKey;
        this.additional = additional.stream().map(other -> other.alone(nonceKey)).collect(Collectors.toUnmodifiableList());
        List<CryptoConfig> all = new ArrayList<>();
        if (!additional.isEmpty()) {
            all.add(sealing.alone(nonceKey));
            all.addAll(this.additional);
        }
        openers = List.copyOf(all);
    }

    /** Returns a copy of this configuration with the given nonce key and no additional openers. */
    private CryptoConfig alone(@Nullable NonceKey key) {
        return additional.isEmpty() && nonceKey == key ? this : new CryptoConfig(this, List.of(), key);
    }

    /**
     * Returns a configuration for a cipher and a key.
     *
     * @param cipherName one of {@link #names()}
     * @param key        the key, which is copied; {@code none} and {@code null} ignore it
     * @return the configuration
     * @throws IllegalArgumentException if the cipher is unknown or does not accept a key of that length
     * @throws IllegalStateException    if the cipher needs a library that is missing from the class path; the message names it
     */
    public static CryptoConfig of(String cipherName, byte[] key) {
        NamedCipher cipher = NamedCipher.ofName(cipherName);
        return of(cipher, cipher.keyMaterial(key), null);
    }

    private static CryptoConfig of(NamedCipher cipher, byte[] keyMaterial, @Nullable Provider provider) {
        // Creates a first cipher immediately, so that this method can report a missing library or algorithm to its caller.
        DatagramCipher probe = cipher.newCipher(keyMaterial, NO_NONCES, provider);
        return new CryptoConfig(cipher.cipherName(), cipher.isAuthenticated(), probe.headBytes(), probe.tailBytes(),
            (entropy, nonceKey) -> cipher.newCipher(keyMaterial, cipher == NamedCipher.NULL ? NO_NONCES : nonces(entropy, nonceKey),
                provider),
            cipher.isAuthenticated() ? other -> of(cipher, keyMaterial, other) : null);
    }

    private static NonceSource nonces(Entropy entropy, @Nullable NonceKey nonceKey) {
        if (nonceKey != null) {
            return new CounterNonceSource(nonceKey, true, entropy);
        }
        long[] ranges = new long[1];
        return new CounterNonceSource(new NonceKey(entropy, () -> ranges[0]++), false, entropy);
    }

    /**
     * Returns the configuration that kcptun uses if the same cipher and password are passed as {@code --crypt} and {@code --key}. The key
     * is derived from the password and truncated to the key length of the cipher. Unlike kcptun, which falls back to {@code aes}, this
     * method rejects unknown ciphers. It takes some tens of milliseconds, so it should not be called on an event loop.
     *
     * @param cipherName one of {@link #names()}
     * @param password   the password
     * @return the configuration
     * @throws IllegalArgumentException if the cipher is unknown or the password is empty
     * @throws IllegalStateException    if the cipher needs a library that is missing from the class path; the message names it
     */
    public static CryptoConfig kcptun(String cipherName, String password) {
        NamedCipher cipher = NamedCipher.ofName(cipherName);
        return of(cipherName, cipher.truncate(KcptunKey.derive(password)));
    }

    /**
     * Returns a configuration for a cipher that is not one of {@link #names()}, such as an AEAD cipher implemented by a hardware module.
     *
     * @param cipherName    the name, for messages and logs
     * @param authenticated {@code true} if only a party with the key can create valid datagrams
     * @param headBytes     number of bytes before the payload in a sealed datagram
     * @param tailBytes     number of bytes after the payload in a sealed datagram
     * @param factory       creates the cipher of one thread and may be called by any thread. Reflections are rejected only if the cipher
     *                      recognizes them itself ({@link DatagramCipher#refusedReflection})
     * @return the configuration
     * @throws IllegalArgumentException if {@code cipherName} is one of {@link #names()}
     */
    public static CryptoConfig custom(String cipherName, boolean authenticated, int headBytes, int tailBytes,
        Function<? super Entropy, ? extends DatagramCipher> factory) {
        if (names().contains(cipherName)) {
            throw new IllegalArgumentException("cipherName: " + cipherName + " (expected: none of " + names() + ')');
        }
        return new CryptoConfig(cipherName, authenticated, headBytes, tailBytes, (entropy, nonceKey) -> factory.apply(entropy), null);
    }

    /**
     * Returns a configuration that equals this one but uses another provider of {@code javax.crypto}. The wire format stays the same; only
     * the speed differs. The JDK's provider is slow for small packets, above all in Java 17. With native code, the AES-GCM of Amazon
     * Corretto is about as fast as that of kcp-go, and the ChaCha20-Poly1305 of Conscrypt takes less than half the time of the default.
     *
     * @param provider the provider of the cipher; it does not have to be installed
     * @return the configuration; additional openers keep their provider
     * @throws IllegalArgumentException if the cipher is not an AEAD cipher of {@link #names()}, or the provider does not offer it
     */
    public CryptoConfig withProvider(Provider provider) {
        if (providerChange == null) {
            throw new IllegalArgumentException("provider: " + provider.getName() + " for " + cipherName
                + " (expected: none; only AEAD ciphers use a provider)");
        }
        CryptoConfig changed = providerChange.apply(provider);
        return additional.isEmpty() && nonceKey == null ? changed : new CryptoConfig(changed, additional, nonceKey);
    }

    /**
     * Returns a configuration whose ciphers reject reflected datagrams, that is, datagrams that this side has sealed itself. Because both
     * directions of a session use one key, a datagram that an attacker sends back to its sender would otherwise open as if it came from the
     * peer. The ciphers of the configuration recognize each other's nonces under every key of {@link #openers()}. The wire format stays the
     * same. One in 2<sup>32</sup> (AEAD ciphers) or 2<sup>64</sup> datagrams of the peer is mistaken for a reflection and discarded.
     *
     * <p>The bootstraps and {@code CryptoCodec} of kcp-netty call this method. Call it yourself to share one guard among several
     * bootstraps on the same side, for example many client bootstraps. <b>A client and a server must not share a guard</b>,
     * because each would reject every datagram of the other.
     * <pre>{@code
     * config = config.withReflectionGuard(new SecureRandom()::nextBytes, new AtomicLong()::getAndIncrement);
     * }</pre>
     *
     * @param entropy      the source of the guard's secret, called once before this method returns
     * @param rangeNumbers returns 0, 1, 2 and so on, each number only once, because a repeated number would repeat nonces. The threads of
     *                     all ciphers call this supplier once per 65,536 datagrams
     * @return the configuration; this configuration if it already has a guard or its cipher is {@code null}
     */
    public CryptoConfig withReflectionGuard(Entropy entropy, LongSupplier rangeNumbers) {
        return isNull || nonceKey != null ? this : new CryptoConfig(this, additional, new NonceKey(entropy, rangeNumbers));
    }

    /**
     * Returns the names of all ciphers.
     *
     * @return the names, immutable, recommended ciphers first
     */
    public static List<String> names() {
        return NamedCipher.names();
    }

    /**
     * Returns a configuration that seals like this one and also opens datagrams of other configurations, which is needed to rotate a key.
     * If a datagram does not open with one cipher, the next one is tried, so the cost of a forged datagram grows with the number of
     * openers. The result is {@linkplain #isAuthenticated() authenticated} only if all openers are. The reflection guard of this
     * configuration, if any, covers all openers.
     *
     * @param others the configurations whose datagrams are opened as well, including the datagrams of their own openers
     * @return the configuration
     * @throws IllegalArgumentException if the cipher of this or another configuration is {@code null}, because that cipher would open every
     *                                  datagram
     */
    public CryptoConfig alsoOpening(CryptoConfig... others) {
        List<CryptoConfig> list = new ArrayList<>(additional);
        for (CryptoConfig other : others) {
            list.addAll(other.openers());
        }
        if (isNull || list.stream().anyMatch(CryptoConfig::isNull)) {
            throw new IllegalArgumentException(
                "others: the cipher \"null\" accepts every datagram, so it cannot be combined with other ciphers");
        }
        return new CryptoConfig(this, list, nonceKey);
    }

    /**
     * Returns the configurations whose datagrams this configuration opens. Each of them has no additional openers.
     *
     * @return an immutable list of the same objects at each call; the first element is the configuration that also seals
     */
    public List<CryptoConfig> openers() {
        return openers.isEmpty() ? List.of(this) : openers;
    }

    /**
     * Creates a cipher for one thread. The cipher opens the datagrams of all {@link #openers()}.
     *
     * @param entropy the source of randomness for nonces, called by that thread
     * @return a new cipher with buffers and nonces of its own
     */
    public DatagramCipher newCipher(Entropy entropy) {
        if (additional.isEmpty()) {
            return factory.newCipher(entropy, nonceKey);
        }
        return new MultiKeyCipher(openers().stream().map(opener -> opener.newCipher(entropy)).toArray(DatagramCipher[]::new));
    }

    /**
     * Returns the name of the cipher that seals outbound datagrams.
     *
     * @return the name
     */
    public String cipherName() {
        return cipherName;
    }

    /**
     * Returns {@code true} if the cipher is {@code null}, which does not change datagrams and needs no codec.
     *
     * @return {@code true} if nothing is encrypted, added or checked
     */
    public boolean isNull() {
        return isNull;
    }

    /**
     * Returns {@code true} if all {@link #openers()} are AEAD ciphers, so that only a party with the key can create a valid datagram.
     *
     * @return {@code true} if every datagram that opens is authentic
     */
    public boolean isAuthenticated() {
        return authenticated && additional.stream().allMatch(CryptoConfig::isAuthenticated);
    }

    /**
     * Returns the number of bytes before the payload in a sealed datagram.
     *
     * @return bytes
     */
    public int headBytes() {
        return headBytes;
    }

    /**
     * Returns the number of bytes after the payload in a sealed datagram.
     *
     * @return bytes
     */
    public int tailBytes() {
        return tailBytes;
    }

    /** Returns the names of the ciphers, without any part of a key. */
    @Override
    public String toString() {
        return "CryptoConfig(" + openers().stream().map(CryptoConfig::cipherName).collect(Collectors.joining(", also opening "))
            + ')';
    }
}
