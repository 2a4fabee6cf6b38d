package io.kcp.core;

import java.util.Objects;

/**
 * Settings of a conversation: immutable, free to share between sessions and threads. {@link #fast()} and its sisters are
 * kcptun's presets; every knob has a setter on {@link Builder}. Each side sets its own; nothing is negotiated.
 *
 * <p>What each default is in kcp-go stands beside it. {@link #kcpGoCompatible()} has kcp-go's own values and timing.
 */
public final class KcpConfig {

    /** Smallest UDP payload that a conversation without FEC and cipher works with: one header and one byte. */
    public static final int MIN_MTU_BYTES = SegmentHeader.LENGTH + 1;
    private static final int MIN_BYTES_PER_SECOND = 1_000;
    /** Largest UDP payload: kcp-go reads datagrams into buffers of this size and cuts off the rest. */
    public static final int MAX_MTU_BYTES = 1500;
    /** Largest window: the header has 16 bits for it. */
    public static final int MAX_WINDOW_SEGMENTS = 65535;
    /** Most fragments that one message may have. */
    public static final int MAX_FRAGMENTS = 255;

    private static final int NODELAY_MIN_RTO_MS = 30;
    private static final int DEFAULT_MIN_RTO_MS = 100;

    private final KcpMode mode;
    private final int mtuBytes;
    private final int sendWindow;
    private final int receiveWindow;
    private final boolean noDelay;
    private final int minRtoMs;
    private final int intervalMs;
    private final int fastResend;
    private final int fastResendLimit;
    private final EarlyRetransmit earlyRetransmit;
    private final boolean adaptiveReordering;
    private final CongestionAlgorithm congestionControl;
    private final boolean ackNoDelay;
    private final boolean writeDelay;
    private final int probeInitialMs;
    private final int probeLimitMs;
    private final int backoffLimitMs;
    private final int deadPeerTimeoutMs;
    private final int maxTransmissions;
    private final int zeroWindowTimeoutMs;
    private final int maxMessageBytes;
    private final int maxBytesPerSecond;

    private KcpConfig(Builder builder) {
        mode = builder.mode;
        mtuBytes = builder.mtuBytes;
        sendWindow = builder.sendWindow;
        receiveWindow = builder.receiveWindow;
        noDelay = builder.noDelay;
        minRtoMs = builder.minRtoMs;
        intervalMs = builder.intervalMs;
        fastResend = builder.fastResend;
        fastResendLimit = builder.fastResendLimit;
        earlyRetransmit = builder.earlyRetransmit;
        adaptiveReordering = builder.adaptiveReordering;
        congestionControl = builder.congestionControl;
        ackNoDelay = builder.ackNoDelay;
        writeDelay = builder.writeDelay;
        probeInitialMs = builder.probeInitialMs;
        probeLimitMs = builder.probeLimitMs;
        backoffLimitMs = builder.backoffLimitMs;
        deadPeerTimeoutMs = builder.deadPeerTimeoutMs;
        maxTransmissions = builder.maxTransmissions;
        zeroWindowTimeoutMs = builder.zeroWindowTimeoutMs;
        maxMessageBytes = builder.maxMessageBytes;
        maxBytesPerSecond = builder.maxBytesPerSecond;
    }

    /**
     * Starts from the defaults: the values of {@link #fast()}.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * kcptun's preset {@code normal}: nodelay 0, interval 40, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig normal() {
        return builder().noDelay(false, 40, 2, CongestionAlgorithm.NONE).build();
    }

    /**
     * kcptun's preset {@code fast}, and our default: nodelay 0, interval 30, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig fast() {
        return builder().build();
    }

    /**
     * kcptun's preset {@code fast2}: nodelay 1, interval 20, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig fast2() {
        return builder().noDelay(true, 20, 2, CongestionAlgorithm.NONE).build();
    }

    /**
     * kcptun's preset {@code fast3}, what games use: nodelay 1, interval 10, resend 2, nc 1.
     *
     * @return the settings
     */
    public static KcpConfig fast3() {
        return builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).build();
    }

    /**
     * kcp-go's defaults and timing where ours are better: windows 32, interval 100, its congestion control, window
     * probes that back off to 120 s, retransmission after one skipped acknowledgement, back-off without a limit, no
     * dead-peer rule. For comparisons.
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
    public Builder toBuilder() {
        return new Builder(this);
    }

    /**
     * What this side sends.
     *
     * @return the mode
     */
    public KcpMode mode() {
        return mode;
    }

    /**
     * Largest UDP payload, everything included.
     *
     * @return bytes
     */
    public int mtuBytes() {
        return mtuBytes;
    }

    /**
     * How many segments may be in flight or waiting before a writer is held back.
     *
     * @return segments
     */
    public int sendWindow() {
        return sendWindow;
    }

    /**
     * How many segments the peer may have on the way to us.
     *
     * @return segments
     */
    public int receiveWindow() {
        return receiveWindow;
    }

    /**
     * Whether the retransmission timeout may go down to 30 ms and grows by half of itself, not by all of it.
     *
     * @return whether
     */
    public boolean noDelay() {
        return noDelay;
    }

    /**
     * Least retransmission timeout.
     *
     * @return milliseconds
     */
    public int minRtoMs() {
        return minRtoMs != 0 ? minRtoMs : noDelay ? NODELAY_MIN_RTO_MS : DEFAULT_MIN_RTO_MS;
    }

    /**
     * KCP's clock tick: added to the smoothed round trip as the least margin of the timeout, and the longest that a
     * delayed write or acknowledgement waits. Nothing here ticks.
     *
     * @return milliseconds
     */
    public int intervalMs() {
        return intervalMs;
    }

    /**
     * After how many acknowledgements of later segments one is sent again at once; 0 is never.
     *
     * @return acknowledgements
     */
    public int fastResend() {
        return fastResend;
    }

    /**
     * How often one segment may be sent again by {@link #fastResend()} or {@link #earlyRetransmit()} between timeouts.
     *
     * @return times
     */
    public int fastResendLimit() {
        return fastResendLimit;
    }

    /**
     * When a segment that was skipped less often is sent again.
     *
     * @return the rule
     */
    public EarlyRetransmit earlyRetransmit() {
        return earlyRetransmit;
    }

    /**
     * Whether acknowledgements that come late teach the conversation to wait longer before it takes a segment for lost.
     *
     * @return whether
     */
    public boolean adaptiveReordering() {
        return adaptiveReordering;
    }

    /**
     * What limits the data in flight beside the windows.
     *
     * @return the algorithm
     */
    public CongestionAlgorithm congestionControl() {
        return congestionControl;
    }

    /**
     * Whether acknowledgements leave as soon as the datagrams that arrived together were read.
     *
     * @return whether
     */
    public boolean ackNoDelay() {
        return ackNoDelay;
    }

    /**
     * Whether a write may wait up to {@link #intervalMs()} for company.
     *
     * @return whether
     */
    public boolean writeDelay() {
        return writeDelay;
    }

    /**
     * How long after the peer's window closed it is asked for the first time.
     *
     * @return milliseconds
     */
    public int probeInitialMs() {
        return probeInitialMs;
    }

    /**
     * Longest time between two such questions.
     *
     * @return milliseconds
     */
    public int probeLimitMs() {
        return probeLimitMs;
    }

    /**
     * What a segment's timeout grows to at most (or to two round trips if they are longer); 0 is no limit.
     *
     * @return milliseconds
     */
    public int backoffLimitMs() {
        return backoffLimitMs;
    }

    /**
     * After how long without any valid segment, while something was outstanding, the peer counts as gone; 0 is never.
     *
     * @return milliseconds
     */
    public int deadPeerTimeoutMs() {
        return deadPeerTimeoutMs;
    }

    /**
     * After how many transmissions of one segment the peer counts as gone; 0 is never.
     *
     * @return transmissions
     */
    public int maxTransmissions() {
        return maxTransmissions;
    }

    /**
     * How many bytes of segments may be sent in a second, repetitions and headers of KCP included, parity and
     * acknowledgements not; 0 is no limit. What may go is spread over the second.
     *
     * @return bytes per second
     */
    public int maxBytesPerSecond() {
        return maxBytesPerSecond;
    }

    /**
     * How long the peer may keep its window at 0 while data waits for it; 0 is for ever.
     *
     * @return milliseconds
     */
    public int zeroWindowTimeoutMs() {
        return zeroWindowTimeoutMs;
    }

    /**
     * Largest message to send or to receive in message mode.
     *
     * @return bytes
     */
    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    @Override
    public String toString() {
        return "KcpConfig(" + mode + ", nodelay=" + (noDelay ? 1 : 0) + ',' + intervalMs + ',' + fastResend + ','
            + congestionControl + ", windows=" + sendWindow + '/' + receiveWindow + ", mtu=" + mtuBytes + ')';
    }

    /** Collects settings; each setter has the name of the property and refuses a value out of range at once. */
    public static final class Builder {

        private KcpMode mode = KcpMode.MESSAGE;
        private int mtuBytes = 1400;
        private int sendWindow = 128;
        private int receiveWindow = 128;
        private boolean noDelay;
        private int minRtoMs;
        private int intervalMs = 30;
        private int fastResend = 2;
        private int fastResendLimit = 5;
        private EarlyRetransmit earlyRetransmit = EarlyRetransmit.AFTER_REORDER_WINDOW;
        private boolean adaptiveReordering = true;
        private CongestionAlgorithm congestionControl = CongestionAlgorithm.NONE;
        private boolean ackNoDelay = true;
        private boolean writeDelay;
        private int probeInitialMs = 500;
        private int probeLimitMs = 5_000;
        private int backoffLimitMs = 2_000;
        private int deadPeerTimeoutMs = 30_000;
        private int maxTransmissions;
        private int zeroWindowTimeoutMs = 60_000;
        private int maxBytesPerSecond;
        private int maxMessageBytes = MAX_FRAGMENTS * (MAX_MTU_BYTES - SegmentHeader.LENGTH);

        private Builder() {
        }

        private Builder(KcpConfig config) {
            mode = config.mode;
            mtuBytes = config.mtuBytes;
            sendWindow = config.sendWindow;
            receiveWindow = config.receiveWindow;
            noDelay = config.noDelay;
            minRtoMs = config.minRtoMs;
            intervalMs = config.intervalMs;
            fastResend = config.fastResend;
            fastResendLimit = config.fastResendLimit;
            earlyRetransmit = config.earlyRetransmit;
            adaptiveReordering = config.adaptiveReordering;
            congestionControl = config.congestionControl;
            ackNoDelay = config.ackNoDelay;
            writeDelay = config.writeDelay;
            probeInitialMs = config.probeInitialMs;
            probeLimitMs = config.probeLimitMs;
            backoffLimitMs = config.backoffLimitMs;
            deadPeerTimeoutMs = config.deadPeerTimeoutMs;
            maxTransmissions = config.maxTransmissions;
            zeroWindowTimeoutMs = config.zeroWindowTimeoutMs;
            maxMessageBytes = config.maxMessageBytes;
            maxBytesPerSecond = config.maxBytesPerSecond;
        }

        /**
         * Sets the four arguments of the classic {@code nodelay} call at once.
         *
         * @param noDelay           see {@link KcpConfig#noDelay()}
         * @param intervalMs        see {@link KcpConfig#intervalMs()}
         * @param fastResend        see {@link KcpConfig#fastResend()}
         * @param congestionControl see {@link KcpConfig#congestionControl()}; {@code nc = 1} is
         *                          {@link CongestionAlgorithm#NONE}
         * @return this
         */
        public Builder noDelay(boolean noDelay, int intervalMs, int fastResend, CongestionAlgorithm congestionControl) {
            return noDelay(noDelay).intervalMs(intervalMs).fastResend(fastResend).congestionControl(congestionControl);
        }

        /**
         * Sets what this side sends. The default is {@link KcpMode#MESSAGE}, as in kcp-go.
         *
         * @param mode the mode
         * @return this
         */
        public Builder mode(KcpMode mode) {
            this.mode = Objects.requireNonNull(mode, "mode");
            return this;
        }

        /**
         * Sets the largest UDP payload. The default is 1400, as in kcp-go; 1200 to 1350 is wise on the Internet.
         *
         * @param mtuBytes bytes, {@value #MIN_MTU_BYTES} to {@value #MAX_MTU_BYTES}
         * @return this
         */
        public Builder mtuBytes(int mtuBytes) {
            this.mtuBytes = inRange("mtuBytes", mtuBytes, MIN_MTU_BYTES, MAX_MTU_BYTES);
            return this;
        }

        /**
         * Sets the send window. The default is 128 (kcp-go: 32).
         *
         * @param segments 1 to {@value #MAX_WINDOW_SEGMENTS}
         * @return this
         */
        public Builder sendWindow(int segments) {
            this.sendWindow = inRange("sendWindow", segments, 1, MAX_WINDOW_SEGMENTS);
            return this;
        }

        /**
         * Sets the receive window. The default is 128 (kcp-go: 32).
         *
         * @param segments 1 to {@value #MAX_WINDOW_SEGMENTS}
         * @return this
         */
        public Builder receiveWindow(int segments) {
            this.receiveWindow = inRange("receiveWindow", segments, 1, MAX_WINDOW_SEGMENTS);
            return this;
        }

        /**
         * Sets both windows.
         *
         * @param segments 1 to {@value #MAX_WINDOW_SEGMENTS}
         * @return this
         */
        public Builder windows(int segments) {
            return sendWindow(segments).receiveWindow(segments);
        }

        /**
         * Sets the first {@code nodelay} argument: a least timeout of 30 ms (else 100 ms) and slower back-off. The
         * default is false, as in kcp-go.
         *
         * @param noDelay whether
         * @return this
         */
        public Builder noDelay(boolean noDelay) {
            this.noDelay = noDelay;
            return this;
        }

        /**
         * Sets the least timeout apart from {@link #noDelay(boolean)}. The default is 0: as {@code noDelay} has it.
         *
         * @param minRtoMs milliseconds, 0 to 60000
         * @return this
         */
        public Builder minRtoMs(int minRtoMs) {
            this.minRtoMs = inRange("minRtoMs", minRtoMs, 0, RttEstimator.MAX_RTO_MS);
            return this;
        }

        /**
         * Sets the tick. The default is 30 (kcp-go: 100; kcptun's presets: 40, 30, 20, 10).
         *
         * @param intervalMs milliseconds, 10 to 5000
         * @return this
         */
        public Builder intervalMs(int intervalMs) {
            this.intervalMs = inRange("intervalMs", intervalMs, 10, 5_000);
            return this;
        }

        /**
         * Sets the number of skipping acknowledgements for a fast retransmission. The default is 2 (kcp-go: 0, off).
         *
         * @param acknowledgements 0 to 64
         * @return this
         */
        public Builder fastResend(int acknowledgements) {
            this.fastResend = inRange("fastResend", acknowledgements, 0, 64);
            return this;
        }

        /**
         * Sets how often one segment may be retransmitted before its timeout. The default is 5 (kcp-go: 1).
         *
         * @param times 0 to 255
         * @return this
         */
        public Builder fastResendLimit(int times) {
            this.fastResendLimit = inRange("fastResendLimit", times, 0, 255);
            return this;
        }

        /**
         * Sets the early-retransmission rule. The default is {@link EarlyRetransmit#AFTER_REORDER_WINDOW} (kcp-go:
         * {@link EarlyRetransmit#FIRST_SKIP}).
         *
         * @param earlyRetransmit the rule
         * @return this
         */
        public Builder earlyRetransmit(EarlyRetransmit earlyRetransmit) {
            this.earlyRetransmit = Objects.requireNonNull(earlyRetransmit, "earlyRetransmit");
            return this;
        }

        /**
         * Sets whether reordering seen on the path delays fast and early retransmission. The default is true (kcp-go:
         * it does not).
         *
         * @param adaptiveReordering whether
         * @return this
         */
        public Builder adaptiveReordering(boolean adaptiveReordering) {
            this.adaptiveReordering = adaptiveReordering;
            return this;
        }

        /**
         * Sets the congestion control. The default is {@link CongestionAlgorithm#NONE}, as in all kcptun presets
         * (kcp-go's own default: {@link CongestionAlgorithm#KCP_GO}).
         *
         * @param congestionControl the algorithm
         * @return this
         */
        public Builder congestionControl(CongestionAlgorithm congestionControl) {
            this.congestionControl = Objects.requireNonNull(congestionControl, "congestionControl");
            return this;
        }

        /**
         * Sets whether acknowledgements leave when a read batch ends. The default is true (kcp-go: false, they wait for
         * the tick).
         *
         * @param ackNoDelay whether
         * @return this
         */
        public Builder ackNoDelay(boolean ackNoDelay) {
            this.ackNoDelay = ackNoDelay;
            return this;
        }

        /**
         * Sets whether writes wait for the tick. The default is false, as in kcp-go.
         *
         * @param writeDelay whether
         * @return this
         */
        public Builder writeDelay(boolean writeDelay) {
            this.writeDelay = writeDelay;
            return this;
        }

        /**
         * Sets when a closed window is first asked about. The default is 500, as in kcp-go.
         *
         * @param probeInitialMs milliseconds, 10 to 120000
         * @return this
         */
        public Builder probeInitialMs(int probeInitialMs) {
            this.probeInitialMs = inRange("probeInitialMs", probeInitialMs, 10, 120_000);
            return this;
        }

        /**
         * Sets the longest pause between such questions. The default is 5000 (kcp-go: 120000).
         *
         * @param probeLimitMs milliseconds, 10 to 120000
         * @return this
         */
        public Builder probeLimitMs(int probeLimitMs) {
            this.probeLimitMs = inRange("probeLimitMs", probeLimitMs, 10, 120_000);
            return this;
        }

        /**
         * Sets what a timeout grows to at most. The default is 2000 (kcp-go: no limit).
         *
         * @param backoffLimitMs milliseconds, 0 (no limit) to 60000
         * @return this
         */
        public Builder backoffLimitMs(int backoffLimitMs) {
            this.backoffLimitMs = inRange("backoffLimitMs", backoffLimitMs, 0, RttEstimator.MAX_RTO_MS);
            return this;
        }

        /**
         * Sets the dead-peer timeout. The default is 30000 (kcp-go: never).
         *
         * @param deadPeerTimeoutMs milliseconds, 0 (never) to 86400000
         * @return this
         */
        public Builder deadPeerTimeoutMs(int deadPeerTimeoutMs) {
            this.deadPeerTimeoutMs = inRange("deadPeerTimeoutMs", deadPeerTimeoutMs, 0, 86_400_000);
            return this;
        }

        /**
         * Sets the transmissions after which a peer counts as gone. The default is 0, never (kcp-go counts 20 and does
         * nothing).
         *
         * @param transmissions 0 (never) to 10000
         * @return this
         */
        public Builder maxTransmissions(int transmissions) {
            this.maxTransmissions = inRange("maxTransmissions", transmissions, 0, 10_000);
            return this;
        }

        /**
         * Sets how many bytes of segments may be sent in a second, repetitions and headers of KCP included, parity and
         * acknowledgements not; what 8 ms allow may go at once. The default is 0, no limit.
         *
         * @param maxBytesPerSecond 0 (no limit) or at least 1000
         * @return this
         */
        public Builder maxBytesPerSecond(int maxBytesPerSecond) {
            this.maxBytesPerSecond = maxBytesPerSecond == 0 ? 0
                : inRange("maxBytesPerSecond", maxBytesPerSecond, MIN_BYTES_PER_SECOND, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Sets how long a peer may refuse data. The default is 60000 (kcp-go: for ever).
         *
         * @param zeroWindowTimeoutMs milliseconds, 0 (for ever) to 86400000
         * @return this
         */
        public Builder zeroWindowTimeoutMs(int zeroWindowTimeoutMs) {
            this.zeroWindowTimeoutMs = inRange("zeroWindowTimeoutMs", zeroWindowTimeoutMs, 0, 86_400_000);
            return this;
        }

        /**
         * Sets the largest message. The default is 376380, 255 fragments of 1476 bytes.
         *
         * @param maxMessageBytes bytes, at least 1
         * @return this
         */
        public Builder maxMessageBytes(int maxMessageBytes) {
            this.maxMessageBytes = inRange("maxMessageBytes", maxMessageBytes, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Builds the settings.
         *
         * @return immutable settings
         */
        public KcpConfig build() {
            return new KcpConfig(this);
        }

        private static int inRange(String name, int value, int min, int max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ')');
            }
            return value;
        }
    }
}
