package io.kcp.core;

import java.util.SplittableRandom;

/**
 * Sets up a {@link KcpPair}. Conversation id, clocks and timestamp bases are random numbers from the seed unless they are
 * set, so every run starts somewhere else in their range and many meet a wrap.
 */
public final class KcpPairBuilder {

    final long seed;
    LinkProfile linkFromA = LinkProfile.builder().build();
    LinkProfile linkFromB = LinkProfile.builder().build();
    boolean tracedBuffers;
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

    KcpPairBuilder(long seed) {
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(~seed);
        conv = random.nextInt();
        clockOfA = random.nextInt();
        clockOfB = random.nextInt();
        timestampBaseOfA = random.nextInt();
        timestampBaseOfB = random.nextInt();
    }

    /**
     * Sets what both sides are configured with.
     *
     * @param config the settings
     * @return this
     */
    public KcpPairBuilder configs(KcpConfig config) {
        return configs(config, config);
    }

    /**
     * Sets what each side is configured with.
     *
     * @param ofA settings of A
     * @param ofB settings of B
     * @return this
     */
    public KcpPairBuilder configs(KcpConfig ofA, KcpConfig ofB) {
        configOfA = ofA;
        configOfB = ofB;
        return this;
    }

    /**
     * Sets the links of both directions.
     *
     * @param link the profile
     * @return this
     */
    public KcpPairBuilder links(LinkProfile link) {
        return links(link, link);
    }

    /**
     * Sets the link of each direction.
     *
     * @param fromA from A to B
     * @param fromB from B to A
     * @return this
     */
    public KcpPairBuilder links(LinkProfile fromA, LinkProfile fromB) {
        linkFromA = fromA;
        linkFromB = fromB;
        return this;
    }

    /**
     * Sets what the clocks show at the start.
     *
     * @param ofA milliseconds
     * @param ofB milliseconds
     * @return this
     */
    public KcpPairBuilder clocks(int ofA, int ofB) {
        clockOfA = ofA;
        clockOfB = ofB;
        return this;
    }

    /**
     * Sets the timestamp bases.
     *
     * @param ofA base of A
     * @param ofB base of B
     * @return this
     */
    public KcpPairBuilder timestampBases(int ofA, int ofB) {
        timestampBaseOfA = ofA;
        timestampBaseOfB = ofB;
        return this;
    }

    /**
     * Sets the numbers of the first segments.
     *
     * @param ofA first number that A sends
     * @param ofB first number that B sends
     * @return this
     */
    public KcpPairBuilder firstSns(int ofA, int ofB) {
        firstSnOfA = ofA;
        firstSnOfB = ofB;
        return this;
    }

    /**
     * Sets what layers below would add to each datagram, all of it in front.
     *
     * @param overheadBytes bytes
     * @return this
     */
    public KcpPairBuilder overheadBytes(int overheadBytes) {
        this.overheadBytes = overheadBytes;
        return this;
    }

    /**
     * Lets Netty's leak detector follow every buffer; slow.
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
     * @return the pair, at time 0
     */
    public KcpPair build() {
        return new KcpPair(this);
    }

    EndpointSettings settingsOfA() {
        return new EndpointSettings(configOfA, conv, clockOfA, timestampBaseOfA, firstSnOfA, firstSnOfB, overheadBytes);
    }

    EndpointSettings settingsOfB() {
        return new EndpointSettings(configOfB, conv, clockOfB, timestampBaseOfB, firstSnOfB, firstSnOfA, overheadBytes);
    }
}
