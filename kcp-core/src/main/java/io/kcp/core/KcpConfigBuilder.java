package io.kcp.core;

import io.kcp.core.internal.base.ProtocolConstants;
import java.util.Objects;

/**
 * Builds an immutable {@link KcpConfig}. Each setter immediately throws an {@link IllegalArgumentException} if its value is out of range.
 */
public final class KcpConfigBuilder {

    private final ConfigValues values;

    KcpConfigBuilder(ConfigValues values) {
        this.values = values;
    }

    /**
     * Sets the four parameters of the function {@code ikcp_nodelay} of the C original.
     *
     * @param noDelay           see {@link KcpConfig#noDelay()}
     * @param intervalMs        see {@link KcpConfig#intervalMs()}
     * @param fastResend        see {@link KcpConfig#fastResend()}
     * @param congestionControl see {@link KcpConfig#congestionControl()}; {@code nc = 1} is
     *                          {@link CongestionAlgorithm#NONE}
     * @return this builder
     */
    public KcpConfigBuilder noDelay(boolean noDelay, int intervalMs, int fastResend, CongestionAlgorithm congestionControl) {
        return noDelay(noDelay).intervalMs(intervalMs).fastResend(fastResend).congestionControl(congestionControl);
    }

    /**
     * Sets whether this side sends messages or a stream of bytes. The default is {@link KcpTransferMode#MESSAGE}, as in kcp-go.
     *
     * @param mode the mode
     * @return this builder
     */
    public KcpConfigBuilder mode(KcpTransferMode mode) {
        values.mode = Objects.requireNonNull(mode, "mode");
        return this;
    }

    /**
     * Sets the maximum UDP payload of outbound datagrams. The default is 1400, as in kcp-go. Values of 1200 to 1350 suit most Internet
     * paths.
     *
     * @param mtuBytes bytes, {@value KcpConfig#MIN_MTU_BYTES} to {@value KcpConfig#MAX_MTU_BYTES}
     * @return this builder
     */
    public KcpConfigBuilder mtuBytes(int mtuBytes) {
        values.mtuBytes = inRange("mtuBytes", mtuBytes, KcpConfig.MIN_MTU_BYTES, KcpConfig.MAX_MTU_BYTES);
        return this;
    }

    /**
     * Sets the send window. The default is 128 (kcp-go: 32).
     *
     * @param segments 1 to {@value KcpConfig#MAX_WINDOW_SEGMENTS}
     * @return this builder
     */
    public KcpConfigBuilder sendWindow(int segments) {
        values.sendWindow = inRange("sendWindow", segments, 1, KcpConfig.MAX_WINDOW_SEGMENTS);
        return this;
    }

    /**
     * Sets the receive window. The default is 128 (kcp-go: 32).
     *
     * @param segments 1 to {@value KcpConfig#MAX_WINDOW_SEGMENTS}
     * @return this builder
     */
    public KcpConfigBuilder receiveWindow(int segments) {
        values.receiveWindow = inRange("receiveWindow", segments, 1, KcpConfig.MAX_WINDOW_SEGMENTS);
        return this;
    }

    /**
     * Sets both windows.
     *
     * @param segments 1 to {@value KcpConfig#MAX_WINDOW_SEGMENTS}
     * @return this builder
     */
    public KcpConfigBuilder windows(int segments) {
        return sendWindow(segments).receiveWindow(segments);
    }

    /**
     * Sets the memory budget of windows that follow the bandwidth and the round trip of the path. With a budget, {@link #sendWindow(int)}
     * and {@link #receiveWindow(int)} are only the windows at the start:
     * <ul>
     * <li>The send window grows with the amount of data that {@link #congestionControl(CongestionAlgorithm)} permits in flight. It has
     * room for as much queued data, and for segments that arrived after a lost one.</li>
     * <li>The receive window grows to four times the amount of data that the application reads per round trip. Half of it is for the
     * growth of the rate, and the other half for segments that arrive after a lost one.</li>
     * </ul>
     * Both windows together hold at most the budget, and less while the sessions of the event loop hold most of their memory limit.
     * Without congestion control, the send window is as large as the budget. The default is 0, which means that the windows do not change.
     *
     * @param windowBudgetBytes bytes of payload and of the objects that store it, 0 (constant windows) or at least
     *                          {@value KcpConfig#MIN_WINDOW_BUDGET_BYTES}
     * @return this builder
     */
    public KcpConfigBuilder windowBudgetBytes(int windowBudgetBytes) {
        values.windowBudgetBytes = windowBudgetBytes == 0 ? 0
            : inRange("windowBudgetBytes", windowBudgetBytes, KcpConfig.MIN_WINDOW_BUDGET_BYTES, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets whether the minimum retransmission timeout is 30 ms instead of 100 ms and the timeout backs off more slowly. The default is
     * {@code false}, as in kcp-go.
     *
     * @param noDelay {@code true} for the shorter minimum and the slower backoff
     * @return this builder
     */
    public KcpConfigBuilder noDelay(boolean noDelay) {
        values.noDelay = noDelay;
        return this;
    }

    /**
     * Sets the minimum retransmission timeout. The default is 0, which stands for the minimum that {@link #noDelay(boolean)} selects.
     *
     * @param minRtoMs milliseconds, 0 to 60000
     * @return this builder
     */
    public KcpConfigBuilder minRtoMs(int minRtoMs) {
        values.minRtoMs = inRange("minRtoMs", minRtoMs, 0, ProtocolConstants.MAX_RTO_MS);
        return this;
    }

    /**
     * Sets the KCP interval, which is described at {@link KcpConfig#intervalMs()}. The default is 30 (kcp-go: 100; kcptun's presets: 40,
     * 30, 20, 10).
     *
     * @param intervalMs milliseconds, 10 to 5000
     * @return this builder
     */
    public KcpConfigBuilder intervalMs(int intervalMs) {
        values.intervalMs = inRange("intervalMs", intervalMs, 10, 5_000);
        return this;
    }

    /**
     * Sets how many acknowledgements of later segments trigger the fast retransmission of a segment. The default is 2 (kcp-go: 0).
     *
     * @param acknowledgements 0 (no fast retransmission) to 64
     * @return this builder
     */
    public KcpConfigBuilder fastResend(int acknowledgements) {
        values.fastResend = inRange("fastResend", acknowledgements, 0, 64);
        return this;
    }

    /**
     * Sets the maximum number of fast and early retransmissions of a segment between two timeouts. The default is 5 (kcp-go: 1).
     *
     * @param times retransmissions, 0 (only timeouts) to 255
     * @return this builder
     */
    public KcpConfigBuilder fastResendLimit(int times) {
        values.fastResendLimit = inRange("fastResendLimit", times, 0, 255);
        return this;
    }

    /**
     * Sets the rule for early retransmission, which requires fewer acknowledgements of later segments than {@link #fastResend(int)}. The
     * default is {@link EarlyRetransmit#AFTER_REORDER_WINDOW} (kcp-go: {@link EarlyRetransmit#FIRST_SKIP}).
     *
     * @param earlyRetransmit the rule
     * @return this builder
     */
    public KcpConfigBuilder earlyRetransmit(EarlyRetransmit earlyRetransmit) {
        values.earlyRetransmit = Objects.requireNonNull(earlyRetransmit, "earlyRetransmit");
        return this;
    }

    /**
     * Sets whether reordering measured on the path delays fast and early retransmissions. The default is {@code true} (kcp-go does not
     * measure reordering).
     *
     * @param adaptiveReordering {@code true} to measure reordering
     * @return this builder
     */
    public KcpConfigBuilder adaptiveReordering(boolean adaptiveReordering) {
        values.adaptiveReordering = adaptiveReordering;
        return this;
    }

    /**
     * Sets whether copies of unacknowledged segments are appended to datagrams that have room for them. The copies shorten the delay of
     * messages that are lost. They cause no additional datagrams unless {@link #redundancyDelayMs(int)} is set. The default is
     * {@link Redundancy#OFF} (kcp-go and the C original send no copies).
     *
     * @param redundancy the rule
     * @return this builder
     */
    public KcpConfigBuilder redundancy(Redundancy redundancy) {
        values.redundancy = Objects.requireNonNull(redundancy, "redundancy");
        return this;
    }

    /**
     * Sets the time after which an additional datagram with copies is sent. It helps sessions that send so rarely that the next datagram
     * would deliver the copies too late. The time starts when the latest new segment is sent. The datagram contains as many of the latest
     * segments that have not been copied yet as fit, and is also a data shard of FEC. The setting has an effect only while
     * {@link #redundancy(Redundancy)} sends copies. The default is 0, which means that no additional datagrams are sent.
     *
     * @param redundancyDelayMs 0 to 1000 milliseconds; 0 for no additional datagrams
     * @return this builder
     */
    public KcpConfigBuilder redundancyDelayMs(int redundancyDelayMs) {
        values.redundancyDelayMs = inRange("redundancyDelayMs", redundancyDelayMs, 0, 1_000);
        return this;
    }

    /**
     * Sets whether the MTU is reduced to {@link KcpConfig#FALLBACK_MTU_BYTES} when the path loses all larger datagrams. The default is
     * {@code true} (kcp-go and the C original have no such rule).
     *
     * @param mtuFallback {@code true} to reduce the MTU if necessary
     * @return this builder
     */
    public KcpConfigBuilder mtuFallback(boolean mtuFallback) {
        values.mtuFallback = mtuFallback;
        return this;
    }

    /**
     * Sets the largest MTU for which the conversation searches with probes. A search requires a limit above {@link #mtuBytes(int)},
     * {@link #mtuFallback(boolean)}, and an owner that can send datagrams which routers must not fragment
     * ({@link KcpOutput#mtuProbes()}). A UDP payload of 1472 bytes fills an Ethernet frame with IPv4. The default is 0, which means that
     * the conversation does not search (kcp-go and the C original never search).
     *
     * @param mtuSearchLimitBytes bytes, 0 (no search) to {@value KcpConfig#MAX_MTU_BYTES}
     * @return this builder
     */
    public KcpConfigBuilder mtuSearchLimitBytes(int mtuSearchLimitBytes) {
        values.mtuSearchLimitBytes = inRange("mtuSearchLimitBytes", mtuSearchLimitBytes, 0, KcpConfig.MAX_MTU_BYTES);
        return this;
    }

    /**
     * Sets the congestion control algorithm. The default is {@link CongestionAlgorithm#NONE}, as in all of kcptun's presets (kcp-go:
     * {@link CongestionAlgorithm#KCP_GO}).
     *
     * @param congestionControl the algorithm
     * @return this builder
     */
    public KcpConfigBuilder congestionControl(CongestionAlgorithm congestionControl) {
        values.congestionControl = Objects.requireNonNull(congestionControl, "congestionControl");
        return this;
    }

    /**
     * Sets whether acknowledgements are sent as soon as all datagrams of one socket read have been processed. The default is {@code true}
     * (kcp-go: {@code false}, which delays acknowledgements by up to the interval). The acknowledgements of a bulk transfer from a peer
     * that uses this library wait for each other for up to 4 ms, so that they limit the transfer less if their path is slow.
     *
     * @param ackNoDelay {@code true} to send acknowledgements immediately
     * @return this builder
     */
    public KcpConfigBuilder ackNoDelay(boolean ackNoDelay) {
        values.ackNoDelay = ackNoDelay;
        return this;
    }

    /**
     * Sets whether a write may be delayed for up to the interval to share a datagram with later writes. The default is {@code false}, as in
     * kcp-go.
     *
     * @param writeDelay {@code true} to delay writes
     * @return this builder
     */
    public KcpConfigBuilder writeDelay(boolean writeDelay) {
        values.writeDelay = writeDelay;
        return this;
    }

    /**
     * Sets the delay of the first window probe after the peer has closed its window. The default is 500, as in kcp-go.
     *
     * @param probeInitialMs milliseconds, 10 to 120000
     * @return this builder
     */
    public KcpConfigBuilder probeInitialMs(int probeInitialMs) {
        values.probeInitialMs = inRange("probeInitialMs", probeInitialMs, 10, 120_000);
        return this;
    }

    /**
     * Sets the maximum time between two window probes. The default is 5000 (kcp-go: 120000).
     *
     * @param probeLimitMs milliseconds, 10 to 120000
     * @return this builder
     */
    public KcpConfigBuilder probeLimitMs(int probeLimitMs) {
        values.probeLimitMs = inRange("probeLimitMs", probeLimitMs, 10, 120_000);
        return this;
    }

    /**
     * Sets the maximum retransmission timeout that the backoff can reach. If two round-trip times are longer, they are the maximum instead.
     * The default is 2000 (kcp-go: no limit).
     *
     * @param backoffLimitMs milliseconds, 0 (no limit) to 60000
     * @return this builder
     */
    public KcpConfigBuilder backoffLimitMs(int backoffLimitMs) {
        values.backoffLimitMs = inRange("backoffLimitMs", backoffLimitMs, 0, ProtocolConstants.MAX_RTO_MS);
        return this;
    }

    /**
     * Sets the dead-peer timeout: the maximum time without a verified datagram while data or a probe is unacknowledged. It also limits the
     * time for which an active peer may fail to acknowledge the oldest segment, see {@link LinkState#PEER_TIMEOUT}. The default is 30000
     * (kcp-go: never).
     *
     * @param deadPeerTimeoutMs milliseconds, 0 (never) to 86400000
     * @return this builder
     */
    public KcpConfigBuilder deadPeerTimeoutMs(int deadPeerTimeoutMs) {
        values.deadPeerTimeoutMs = inRange("deadPeerTimeoutMs", deadPeerTimeoutMs, 0, 86_400_000);
        return this;
    }

    /**
     * Sets the number of unacknowledged transmissions of one segment after which the peer is considered dead. The default is 0, which means
     * never (kcp-go counts to 20 and does nothing).
     *
     * @param transmissions 0 (never) to 10000
     * @return this builder
     */
    public KcpConfigBuilder maxTransmissions(int transmissions) {
        values.maxTransmissions = inRange("maxTransmissions", transmissions, 0, 10_000);
        return this;
    }

    /**
     * Sets the maximum send rate of data segments, including their headers and retransmissions. Parity and acknowledgements do not count. A
     * burst may contain as many bytes as 8 ms of this rate allow, but at least one datagram. The default is 0, which means no limit.
     *
     * @param maxBytesPerSecond bytes per second, 0 (no limit) or at least 1000
     * @return this builder
     */
    public KcpConfigBuilder maxBytesPerSecond(int maxBytesPerSecond) {
        values.maxBytesPerSecond = maxBytesPerSecond == 0 ? 0
            : inRange("maxBytesPerSecond", maxBytesPerSecond, KcpConfig.MIN_BYTES_PER_SECOND, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the zero-window timeout: how long the peer may advertise a window of 0 and accept none of the waiting data. The default is 60000
     * (kcp-go: no limit).
     *
     * @param zeroWindowTimeoutMs milliseconds, 0 (no limit) to 86400000
     * @return this builder
     */
    public KcpConfigBuilder zeroWindowTimeoutMs(int zeroWindowTimeoutMs) {
        values.zeroWindowTimeoutMs = inRange("zeroWindowTimeoutMs", zeroWindowTimeoutMs, 0, 86_400_000);
        return this;
    }

    /**
     * Sets the minimum drain rate. A conversation fails with {@link LinkState#PEER_TOO_SLOW} if data waits for ten seconds without
     * interruption although the peer is active, and if the peer acknowledges less data in this time than the rate requires and less than
     * was waiting at its start. The rate must be well below the rate of the slowest legitimate link. The default is 0, which means no
     * minimum.
     *
     * @param minDrainBytesPerSecond bytes per second, 0 (no minimum) or more
     * @return this builder
     */
    public KcpConfigBuilder minDrainBytesPerSecond(int minDrainBytesPerSecond) {
        values.minDrainBytesPerSecond = inRange("minDrainBytesPerSecond", minDrainBytesPerSecond, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the maximum size of a message to send or receive in message mode. The default is 376380, which is 255 fragments of 1476 bytes.
     *
     * @param maxMessageBytes bytes, at least 1
     * @return this builder
     */
    public KcpConfigBuilder maxMessageBytes(int maxMessageBytes) {
        values.maxMessageBytes = inRange("maxMessageBytes", maxMessageBytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the number of segments with inconsistent fragments or with a message above {@link #maxMessageBytes(int)} after which the
     * conversation fails with {@link LinkState#PROTOCOL_ERROR}. Such segments are never stored or acknowledged. The limit applies only if
     * the datagrams are authenticated, because an attacker could otherwise forge such segments. The default is 256 (kcp-go: no limit).
     *
     * @param maxRefusedSegments segments, 0 (no limit) or more
     * @return this builder
     */
    public KcpConfigBuilder maxRefusedSegments(int maxRefusedSegments) {
        values.maxRefusedSegments = inRange("maxRefusedSegments", maxRefusedSegments, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Creates the settings. This builder may be used again.
     *
     * @return immutable settings
     */
    public KcpConfig build() {
        return new KcpConfig(values.clone());
    }

    private static int inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ')');
        }
        return value;
    }
}
