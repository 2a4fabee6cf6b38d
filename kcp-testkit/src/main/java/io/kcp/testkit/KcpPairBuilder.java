package io.kcp.testkit;

import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.ShardPool;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link KcpPair}. The seed determines the conversation id, and the clocks and timestamp bases unless they are set. They are
 * spread over the whole range of an {@code int}, so some runs include an overflow.
 */
public final class KcpPairBuilder {

    final long seed;
    LinkProfile linkFromA = LinkProfile.builder().build();
    LinkProfile linkFromB = LinkProfile.builder().build();
    boolean tracedBuffers;
    KcpFactory factory = KcpFactory::standard;
    ToLongFunction<Kcp> visitCounter = kcp -> 0;
    private final int conv;
    private KcpConfig configOfA = KcpConfig.fast();
    private KcpConfig configOfB = KcpConfig.fast();
    private int clockOfA;
    private int clockOfB;
    private int timestampBaseOfA;
    private int timestampBaseOfB;
    private int firstSnOfA;
    private int firstSnOfB;
    private int overheadBytes;
    private boolean limitedB;
    private LayerSettings layersOfA = LayerSettings.NONE;
    private LayerSettings layersOfB = LayerSettings.NONE;
    private PeerKind kindOfA = PeerKind.THIS_LIBRARY;
    private PeerKind kindOfB = PeerKind.THIS_LIBRARY;
    private final long seedOfA;
    private final long seedOfB;
    @Nullable SeededRun run;

    KcpPairBuilder(long seed) {
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(~seed);
        conv = random.nextInt();
        clockOfA = random.nextInt();
        clockOfB = random.nextInt();
        timestampBaseOfA = random.nextInt();
        timestampBaseOfB = random.nextInt();
        seedOfA = random.nextLong();
        seedOfB = random.nextLong();
    }

    /**
     * Sets the configuration of both endpoints. The default is {@link KcpConfig#fast()}.
     *
     * @param config the configuration
     * @return this
     */
    public KcpPairBuilder configs(KcpConfig config) {
        return configs(config, config);
    }

    /**
     * Sets the configuration of each endpoint.
     *
     * @param ofA the configuration of endpoint A
     * @param ofB the configuration of endpoint B
     * @return this
     */
    public KcpPairBuilder configs(KcpConfig ofA, KcpConfig ofB) {
        configOfA = ofA;
        configOfB = ofB;
        return this;
    }

    /**
     * Sets the kind of program that both endpoints simulate. The default is {@link PeerKind#THIS_LIBRARY}.
     *
     * @param kind the kind of both endpoints
     * @return this
     */
    public KcpPairBuilder peers(PeerKind kind) {
        return peers(kind, kind);
    }

    /**
     * Sets the kind of program that each endpoint simulates.
     *
     * @param ofA the kind of endpoint A
     * @param ofB the kind of endpoint B
     * @return this
     */
    public KcpPairBuilder peers(PeerKind ofA, PeerKind ofB) {
        kindOfA = ofA;
        kindOfB = ofB;
        return this;
    }

    /**
     * Sets the properties of the links in both directions. By default the links deliver every datagram without delay.
     *
     * @param link the properties of both links
     * @return this
     */
    public KcpPairBuilder links(LinkProfile link) {
        return links(link, link);
    }

    /**
     * Sets the properties of the link in each direction.
     *
     * @param fromA the properties of the link from A to B
     * @param fromB the properties of the link from B to A
     * @return this
     */
    public KcpPairBuilder links(LinkProfile fromA, LinkProfile fromB) {
        linkFromA = fromA;
        linkFromB = fromB;
        return this;
    }

    /**
     * Sets the clock of each endpoint at the start of the simulation.
     *
     * @param ofA the clock of endpoint A in milliseconds
     * @param ofB the clock of endpoint B in milliseconds
     * @return this
     */
    public KcpPairBuilder clocks(int ofA, int ofB) {
        clockOfA = ofA;
        clockOfB = ofB;
        return this;
    }

    /**
     * Sets the timestamp base of each endpoint. The {@code ts} field contains the sum of the clock and the timestamp base.
     *
     * @param ofA the timestamp base of endpoint A
     * @param ofB the timestamp base of endpoint B
     * @return this
     */
    public KcpPairBuilder timestampBases(int ofA, int ofB) {
        timestampBaseOfA = ofA;
        timestampBaseOfB = ofB;
        return this;
    }

    /** Sets the first sequence number of each endpoint. The factory must create conversations that start with these numbers. */
    KcpPairBuilder firstSns(int ofA, int ofB, KcpFactory kcpFactory) {
        factory = kcpFactory;
        firstSnOfA = ofA;
        firstSnOfB = ofB;
        return this;
    }

    /** Sets a function that returns the number of segments that a conversation has visited so far. */
    KcpPairBuilder visitCounter(ToLongFunction<Kcp> counter) {
        visitCounter = counter;
        return this;
    }

    /**
     * Sets the number of bytes to reserve for lower layers, such as a cipher, in front of each datagram. The default is 0.
     *
     * @param overheadBytes the number of bytes
     * @return this
     */
    public KcpPairBuilder overheadBytes(int overheadBytes) {
        this.overheadBytes = overheadBytes;
        return this;
    }

    /**
     * Makes both endpoints send parity, so that lost datagrams are recovered without a retransmission. By default, no parity is sent. An
     * endpoint decodes the parity of its peer even if it sends none itself.
     *
     * @param config the settings, or null to send no parity
     * @return this
     */
    public KcpPairBuilder fec(@Nullable FecConfig config) {
        return fec(config, config);
    }

    /**
     * Sets the parity that each endpoint sends.
     *
     * @param ofA the settings of endpoint A, or null to send no parity
     * @param ofB the settings of endpoint B, or null to send no parity
     * @return this
     */
    public KcpPairBuilder fec(@Nullable FecConfig ofA, @Nullable FecConfig ofB) {
        layersOfA = layersOfA.fec(ofA);
        layersOfB = layersOfB.fec(ofB);
        return this;
    }

    /**
     * Makes both endpoints encrypt their datagrams. The default is no cipher. The seed determines the nonces.
     *
     * @param config the cipher and the key, or null for no cipher
     * @return this
     */
    public KcpPairBuilder crypto(@Nullable CryptoConfig config) {
        return crypto(config, config);
    }

    /**
     * Sets the cipher of each endpoint.
     *
     * @param ofA the cipher and the key of endpoint A, or null for no cipher
     * @param ofB the cipher and the key of endpoint B, or null for no cipher
     * @return this
     */
    public KcpPairBuilder crypto(@Nullable CryptoConfig ofA, @Nullable CryptoConfig ofB) {
        layersOfA = layersOfA.crypto(ofA);
        layersOfB = layersOfB.crypto(ofB);
        return this;
    }

    /** Sets the function that creates the FEC encoders of both endpoints. */
    KcpPairBuilder fecEncoders(BiFunction<FecConfig, ShardPool, FecEncoder> newEncoder) {
        layersOfA = layersOfA.newEncoder(newEncoder);
        layersOfB = layersOfB.newEncoder(newEncoder);
        return this;
    }

    /** Permits datagrams that a conversation rejects, which otherwise make the pair fail. Used by tests whose endpoints do not match. */
    KcpPairBuilder mismatched() {
        layersOfA = layersOfA.mismatched();
        layersOfB = layersOfB.mismatched();
        return this;
    }

    /**
     * Makes the pair a part of a run of {@link SeededRuns}, which then collects its trace hash, and captures its datagrams if the run
     * repeats a failed one.
     *
     * @param seededRun the run
     * @return this
     */
    public KcpPairBuilder partOf(SeededRun seededRun) {
        run = seededRun;
        return this;
    }

    /**
     * Limits the bytes that endpoint B sends to three times the bytes that it has received, until endpoint A is validated. Servers apply
     * the same limit to their sessions ({@code KcpOutput.limitsAmplification}). By default, neither endpoint is limited.
     *
     * @return this
     */
    public KcpPairBuilder limitedB() {
        limitedB = true;
        return this;
    }

    /**
     * Tracks every buffer with Netty's leak detector, which is slow. A leak report then shows where the buffer was allocated.
     *
     * @return this
     */
    public KcpPairBuilder tracedBuffers() {
        tracedBuffers = true;
        return this;
    }

    /**
     * Builds the pair.
     *
     * @return the pair, at virtual time 0
     */
    public KcpPair build() {
        return new KcpPair(this);
    }

    EndpointSettings settingsOfA() {
        return new EndpointSettings(configOfA, conv, clockOfA, timestampBaseOfA, firstSnOfA, firstSnOfB, overheadBytes,
            false, layersOfA, seedOfA, kindOfA);
    }

    EndpointSettings settingsOfB() {
        return new EndpointSettings(configOfB, conv, clockOfB, timestampBaseOfB, firstSnOfB, firstSnOfA, overheadBytes,
            limitedB, layersOfB, seedOfB, kindOfB);
    }
}
