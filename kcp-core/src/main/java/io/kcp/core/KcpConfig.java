package io.kcp.core;

/**
 * The settings of a conversation. Immutable; sessions and threads may share one instance. {@link #normal()}, {@link #fast()},
 * {@link #fast2()} and {@link #fast3()} are kcptun's presets, {@link KcpConfigBuilder} has a setter for each setting. The two peers of a
 * conversation do not negotiate settings: each side has its own.
 *
 * <p>{@link KcpConfigBuilder} names the default of kcp-go wherever ours differs. {@link #kcpGoCompatible()} has the values and the
 * timing of kcp-go.
 */
public final class KcpConfig {

    /** Smallest UDP payload without FEC and cipher: one segment header and one byte of payload. */
    public static final int MIN_MTU_BYTES = SegmentHeader.LENGTH + 1;
    static final int MIN_BYTES_PER_SECOND = 1_000;
    /** Largest UDP payload. kcp-go reads datagrams into buffers of this size and discards the rest of larger ones. */
    public static final int MAX_MTU_BYTES = 1500;
    /** Largest window: the field {@code wnd} of a segment has 16 bits. */
    public static final int MAX_WINDOW_SEGMENTS = 65535;
    /** Largest number of fragments of one message that this side sends. */
    public static final int MAX_FRAGMENTS = 255;

    private static final int NODELAY_MIN_RTO_MS = 30;
    private static final int DEFAULT_MIN_RTO_MS = 100;

    private final ConfigValues values;

    /** Creates settings of values that are not changed any more. */
    KcpConfig(ConfigValues values) {
        this.values = values;
    }

    /**
     * Returns a builder with the default of every setting, which are those of {@link #fast()}.
     *
     * @return a new builder
     */
    public static KcpConfigBuilder builder() {
        return new KcpConfigBuilder(new ConfigValues());
    }

    /**
     * Returns kcptun's preset {@code normal}: nodelay 0, interval 40, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig normal() {
        return builder().noDelay(false, 40, 2, CongestionAlgorithm.NONE).build();
    }

    /**
     * Returns kcptun's preset {@code fast}, which is also our default: nodelay 0, interval 30, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig fast() {
        return builder().build();
    }

    /**
     * Returns kcptun's preset {@code fast2}: nodelay 1, interval 20, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig fast2() {
        return builder().noDelay(true, 20, 2, CongestionAlgorithm.NONE).build();
    }

    /**
     * Returns kcptun's preset {@code fast3}, the usual choice for games: nodelay 1, interval 10, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig fast3() {
        return builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).build();
    }

    /**
     * Returns the defaults and the timing of kcp-go, for comparisons: windows of 32 segments, interval 100, kcp-go's congestion
     * control, window probes up to 120 s apart, retransmission after one skipped acknowledgement, timeouts without an upper limit,
     * and no detection of dead peers.
     *
     * @return the settings
     */
    public static KcpConfig kcpGoCompatible() {
        return builder().noDelay(false, 100, 0, CongestionAlgorithm.KCP_GO).sendWindow(32).receiveWindow(32)
            .earlyRetransmit(EarlyRetransmit.FIRST_SKIP).fastResendLimit(1).adaptiveReordering(false).ackNoDelay(false)
            .probeLimitMs(120_000).backoffLimitMs(0).deadPeerTimeoutMs(0).zeroWindowTimeoutMs(0).build();
    }

    /**
     * Returns a builder that starts from these settings.
     *
     * @return a new builder
     */
    public KcpConfigBuilder toBuilder() {
        return new KcpConfigBuilder(values.clone());
    }

    /**
     * Returns how this side sends: as messages, or as a stream of bytes.
     *
     * @return the mode
     */
    public KcpMode mode() {
        return values.mode;
    }

    /**
     * Returns the largest UDP payload that this side sends, with the headers of KCP, FEC and cipher.
     *
     * @return bytes
     */
    public int mtuBytes() {
        return values.mtuBytes;
    }

    /**
     * Returns how many segments may be queued or in flight before the channel becomes unwritable.
     *
     * @return segments
     */
    public int sendWindow() {
        return values.sendWindow;
    }

    /**
     * Returns how many segments the peer may have in flight to this side.
     *
     * @return segments
     */
    public int receiveWindow() {
        return values.receiveWindow;
    }

    /**
     * Returns whether the retransmission timeout has a minimum of 30 ms instead of 100 ms, and grows by half of itself with each
     * timeout instead of doubling.
     *
     * @return {@code true} if {@code nodelay} is 1
     */
    public boolean noDelay() {
        return values.noDelay;
    }

    /**
     * Returns the minimum of the retransmission timeout.
     *
     * @return milliseconds
     */
    public int minRtoMs() {
        return values.minRtoMs != 0 ? values.minRtoMs : values.noDelay ? NODELAY_MIN_RTO_MS : DEFAULT_MIN_RTO_MS;
    }

    /**
     * Returns the interval of KCP: the smallest margin that the retransmission timeout adds to the smoothed round-trip time, and
     * the longest delay of a delayed write or acknowledgement. No timer runs at this interval.
     *
     * @return milliseconds
     */
    public int intervalMs() {
        return values.intervalMs;
    }

    /**
     * Returns how many acknowledgements of later segments cause the fast retransmission of a segment.
     *
     * @return acknowledgements, 0 if fast retransmission is off
     */
    public int fastResend() {
        return values.fastResend;
    }

    /**
     * Returns how often a segment may be retransmitted because of {@link #fastResend()} or {@link #earlyRetransmit()} between two
     * timeouts.
     *
     * @return retransmissions
     */
    public int fastResendLimit() {
        return values.fastResendLimit;
    }

    /**
     * Returns when a segment is retransmitted that fewer acknowledgements than {@link #fastResend()} have skipped.
     *
     * @return the rule
     */
    public EarlyRetransmit earlyRetransmit() {
        return values.earlyRetransmit;
    }

    /**
     * Returns whether acknowledgements of reordered segments lengthen the time before a skipped segment counts as lost.
     *
     * @return {@code true} if reordering is measured
     */
    public boolean adaptiveReordering() {
        return values.adaptiveReordering;
    }

    /**
     * Returns the congestion control, which limits the segments in flight in addition to the windows.
     *
     * @return the algorithm
     */
    public CongestionAlgorithm congestionControl() {
        return values.congestionControl;
    }

    /**
     * Returns whether acknowledgements are sent as soon as all datagrams of one read have been processed.
     *
     * @return {@code true} if they are; {@code false} if they wait for up to {@link #intervalMs()}
     */
    public boolean ackNoDelay() {
        return values.ackNoDelay;
    }

    /**
     * Returns whether a write may wait up to {@link #intervalMs()} to share a datagram with later ones.
     *
     * @return {@code true} if it may
     */
    public boolean writeDelay() {
        return values.writeDelay;
    }

    /**
     * Returns how long after the peer has closed its window the first window probe is sent.
     *
     * @return milliseconds
     */
    public int probeInitialMs() {
        return values.probeInitialMs;
    }

    /**
     * Returns the longest time between two window probes.
     *
     * @return milliseconds
     */
    public int probeLimitMs() {
        return values.probeLimitMs;
    }

    /**
     * Returns the upper limit of a retransmission timeout that repeated timeouts have increased. Where two round-trip times are
     * longer, they are the limit.
     *
     * @return milliseconds, 0 for no limit
     */
    public int backoffLimitMs() {
        return values.backoffLimitMs;
    }

    /**
     * Returns the time after which a peer counts as dead that sends no valid segment while data is unacknowledged or a probe is
     * unanswered.
     *
     * @return milliseconds, 0 if peers never count as dead
     */
    public int deadPeerTimeoutMs() {
        return values.deadPeerTimeoutMs;
    }

    /**
     * Returns how many transmissions of one segment without acknowledgement mean that the peer is dead.
     *
     * @return transmissions, 0 if their number does not matter
     */
    public int maxTransmissions() {
        return values.maxTransmissions;
    }

    /**
     * Returns the limit on the bytes of data segments sent per second, retransmissions and segment headers included, parity and
     * acknowledgements not. The conversation spreads them over the second.
     *
     * @return bytes per second, 0 for no limit
     */
    public int maxBytesPerSecond() {
        return values.maxBytesPerSecond;
    }

    /**
     * Returns how long the peer may advertise a window of 0 while data waits for it.
     *
     * @return milliseconds, 0 for any time
     */
    public int zeroWindowTimeoutMs() {
        return values.zeroWindowTimeoutMs;
    }

    /**
     * Returns the size of the largest message to send or receive in message mode.
     *
     * @return bytes
     */
    public int maxMessageBytes() {
        return values.maxMessageBytes;
    }

    @Override
    public String toString() {
        return "KcpConfig(" + values.mode + ", nodelay=" + (values.noDelay ? 1 : 0) + ',' + values.intervalMs + ',' + values.fastResend
            + ',' + values.congestionControl + ", windows=" + values.sendWindow + '/' + values.receiveWindow + ", mtu=" + values.mtuBytes
            + ')';
    }
}
