package io.kcp.netty.internal.admission;

/**
 * Limits that keep a server usable during a flood of datagrams from unknown addresses, which are addresses without an open session.
 * Instances are immutable.
 *
 * @param datagramsPerSecond  sessions per second that a server under load opens for one IPv4 address or IPv6 /64, and datagrams per
 *                            second above which an unknown address yields to others while time for decryption is short; 0 for no limit
 * @param decryptionPercent   share of an event loop's time for decrypting datagrams from unknown addresses; 100 for no limit
 * @param retransmittedOnly   {@code true} if a server under load opens a session only when its first datagram is retransmitted
 * @param addressProof        {@code true} if a server under load opens a session only when the peer has responded to a probe
 * @param openingsPerSecond   sessions that a server under load opens per second, 0 for no limit, -1 to derive it from the
 *                            number of processors and, without address proofs, the limit on unvalidated sessions
 */
public record FloodLimits(int datagramsPerSecond, int decryptionPercent, boolean retransmittedOnly, boolean addressProof,
    int openingsPerSecond) {

    /** The default limits. */
    public static final FloodLimits DEFAULT = new FloodLimits(500, 20, true, true, -1);
    private static final int WHOLE_TIME_PERCENT = 100;
    /**
     * Default limit on opened sessions per second without address proofs, as a multiple of the limit on unvalidated sessions. With this
     * default, an unvalidated session is kept for about half a second during a flood, and for at least 300 ms at its beginning, so that a
     * client with a round-trip time of 200 ms can acknowledge the first response.
     */
    private static final int OPENINGS_PER_UNVALIDATED = 2;
    /**
     * Default limit on opened sessions per second for each processor. Opening and evicting a session takes tens of microseconds.
     */
    private static final int OPENINGS_PER_PROCESSOR = 4_096;

    /** Returns a copy with another limit on datagrams from one address. */
    public FloodLimits withDatagramsPerSecond(int datagrams) {
        return new FloodLimits(atLeastZero("unknownDatagramsPerSecond", datagrams), decryptionPercent, retransmittedOnly, addressProof,
            openingsPerSecond);
    }

    /** Returns a copy with another limit on the share of an event loop's time for decrypting datagrams from unknown addresses. */
    public FloodLimits withDecryptionPercent(int percent) {
        if (percent < 1 || percent > WHOLE_TIME_PERCENT) {
            throw new IllegalArgumentException("unknownDecryptionPercent: " + percent + " (expected: 1 to 100)");
        }
        return new FloodLimits(datagramsPerSecond, percent, retransmittedOnly, addressProof, openingsPerSecond);
    }

    /** Returns a copy that requires, or does not require, that the first datagram of a session is retransmitted. */
    public FloodLimits withRetransmittedOnly(boolean required) {
        return new FloodLimits(datagramsPerSecond, decryptionPercent, required, addressProof, openingsPerSecond);
    }

    /** Returns a copy that requires, or does not require, that a peer responds to a probe before its session opens. */
    public FloodLimits withAddressProof(boolean required) {
        return new FloodLimits(datagramsPerSecond, decryptionPercent, retransmittedOnly, required, openingsPerSecond);
    }

    /** Returns a copy with another limit on opened sessions per second. */
    public FloodLimits withOpeningsPerSecond(int sessions) {
        return new FloodLimits(datagramsPerSecond, decryptionPercent, retransmittedOnly, addressProof,
            atLeastZero("openingsPerSecondUnderLoad", sessions));
    }

    /** Returns {@code true} if the time for decrypting datagrams from unknown addresses is limited. */
    public boolean limitsDecryption() {
        return decryptionPercent < WHOLE_TIME_PERCENT;
    }

    /** Returns {@code true} if the sessions that a server under load opens are limited. */
    public boolean limitsOpenings() {
        return openingsPerSecond != 0;
    }

    /** Returns the limit on sessions that a server under load opens per second, or 0 for no limit. */
    int openingsPerSecond(int maxUnvalidated, int processors) {
        if (openingsPerSecond >= 0) {
            return openingsPerSecond;
        }
        int affordable = OPENINGS_PER_PROCESSOR * processors;
        return addressProof ? affordable : (int) Math.min((long) OPENINGS_PER_UNVALIDATED * maxUnvalidated, affordable);
    }

    private static int atLeastZero(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 0)");
        }
        return value;
    }
}
