package io.kcp.core;

import io.kcp.core.internal.base.ProtocolConstants;

/**
 * The settings of a conversation. Instances are immutable and may be shared by sessions and threads. {@link #auto()} adapts to the path.
 * {@link #normal()}, {@link #fast()}, {@link #fast2()} and {@link #fast3()} are kcptun's presets, and {@link KcpConfigBuilder} has a setter
 * for each setting. The two peers of a conversation do not negotiate settings; each side has its own.
 *
 * <p>The Javadoc of {@link KcpConfigBuilder} names the default of kcp-go wherever it differs. {@link #kcpGoCompatible()} has the values and
 * the timing of kcp-go.
 */
public final class KcpConfig {

    /** Minimum UDP payload in bytes with neither FEC nor a cipher: one segment header and one byte of payload. */
    public static final int MIN_MTU_BYTES = SegmentHeader.LENGTH + 1;
    static final int MIN_BYTES_PER_SECOND = 1_000;
    /** Maximum UDP payload in bytes. kcp-go reads datagrams into buffers of this size and truncates larger ones. */
    public static final int MAX_MTU_BYTES = ProtocolConstants.MAX_MTU_BYTES;

    /** The MTU, {@value}, to which {@link #mtuFallback()} reduces a larger MTU. Almost every path on the Internet supports this MTU. */
    public static final int FALLBACK_MTU_BYTES = 1200;
    /** Maximum window in segments, which is the maximum of the 16-bit header field {@code wnd}. */
    public static final int MAX_WINDOW_SEGMENTS = 65535;
    /** Minimum budget in bytes of windows that grow, see {@link #windowBudgetBytes()}. */
    public static final int MIN_WINDOW_BUDGET_BYTES = 1 << 16;
    /** Maximum number of fragments of an outbound message. */
    public static final int MAX_FRAGMENTS = 255;

    private static final int NODELAY_MIN_RTO_MS = 30;
    private static final int DEFAULT_MIN_RTO_MS = 100;

    /** Memory budget of {@link #auto()}. The receive window may use three quarters of it. */
    private static final int AUTO_BUDGET_BYTES = 32 << 20;
    /** Send window of {@link #auto()} before the bandwidth is known. A link of 1 Mbit/s transmits it within half a second. */
    private static final int AUTO_SEND_SEGMENTS = 32;
    /** Receive window of {@link #auto()} before the application has read data. It is enough for 20 Mbit/s and 250 ms. */
    private static final int AUTO_RECEIVE_SEGMENTS = 512;

    private final ConfigValues values;

    /** Creates settings from the given values, which the caller must not change afterwards. */
    KcpConfig(ConfigValues values) {
        this.values = values;
    }

    /**
     * Returns a builder with the default settings, which are those of {@link #fast()}.
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
     * Returns kcptun's preset {@code fast}, which is also the default of this library: nodelay 0, interval 30, resend 2, nc 1.
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
     * Returns settings that adapt to the path: the timing of {@link #fast3()}, {@link CongestionAlgorithm#BBR},
     * {@link Redundancy#ON}, and windows that grow within a {@link #windowBudgetBytes() budget} of 32 MiB per conversation. Copies of small
     * segments cause no additional datagrams, but additional bytes; {@link Redundancy#ADAPTIVE} saves these bytes on paths without loss.
     *
     * @return the settings
     */
    public static KcpConfig auto() {
        return builder().noDelay(true, 10, 2, CongestionAlgorithm.BBR).redundancy(Redundancy.ON)
            .sendWindow(AUTO_SEND_SEGMENTS).receiveWindow(AUTO_RECEIVE_SEGMENTS).windowBudgetBytes(AUTO_BUDGET_BYTES).build();
    }

    /**
     * Returns settings that reproduce the defaults and the timing of kcp-go and are intended for comparisons. The settings are windows of
     * 32 segments, an interval of 100 ms, kcp-go's congestion control, window probes up to 120 s apart, retransmission after one
     * acknowledgement of a later segment, timeouts without an upper limit, and no detection of dead peers.
     *
     * @return the settings
     */
    public static KcpConfig kcpGoCompatible() {
        return builder().noDelay(false, 100, 0, CongestionAlgorithm.KCP_GO).sendWindow(32).receiveWindow(32)
            .earlyRetransmit(EarlyRetransmit.FIRST_SKIP).fastResendLimit(1).adaptiveReordering(false).ackNoDelay(false)
            .probeLimitMs(120_000).backoffLimitMs(0).deadPeerTimeoutMs(0).zeroWindowTimeoutMs(0).build();
    }

    /**
     * Returns a builder that is initialized with these settings.
     *
     * @return a new builder
     */
    public KcpConfigBuilder toBuilder() {
        return new KcpConfigBuilder(values.clone());
    }

    /**
     * Returns the mode, which determines whether this side sends messages or a stream of bytes.
     *
     * @return the mode
     */
    public KcpTransferMode mode() {
        return values.mode;
    }

    /**
     * Returns the maximum UDP payload of outbound datagrams, including the headers of KCP, FEC and the cipher.
     *
     * @return bytes
     */
    public int mtuBytes() {
        return values.mtuBytes;
    }

    /**
     * Returns the send window: the number of segments that may be queued or in flight. While the window is full, the conversation accepts
     * no further data ({@link io.kcp.core.conversation.Kcp#canSend() Kcp.canSend()}). With a {@link #windowBudgetBytes() budget}, the
     * window may grow, but is never smaller.
     *
     * @return segments
     */
    public int sendWindow() {
        return values.sendWindow;
    }

    /**
     * Returns the receive window: the number of segments that the peer may have in flight to this side. With a
     * {@link #windowBudgetBytes() budget}, the window may grow, but is never smaller.
     *
     * @return segments
     */
    public int receiveWindow() {
        return values.receiveWindow;
    }

    /**
     * Returns the memory budget of windows that grow, as described at {@link KcpConfigBuilder#windowBudgetBytes(int)}.
     *
     * @return bytes, or 0 if the windows do not grow
     */
    public int windowBudgetBytes() {
        return values.windowBudgetBytes;
    }

    /**
     * Returns the number of segments that may be in flight if congestion control and the memory budget permit it.
     *
     * @return {@link #sendWindow()}, or {@value #MAX_WINDOW_SEGMENTS} with a {@link #windowBudgetBytes() budget}
     */
    public int maxSendWindow() {
        return values.windowBudgetBytes == 0 ? values.sendWindow : MAX_WINDOW_SEGMENTS;
    }

    /**
     * Returns the size to which the receive window may grow: three quarters of the {@link #windowBudgetBytes() budget}.
     *
     * @return segments, at least {@link #receiveWindow()}
     */
    public int maxReceiveWindow() {
        int segments = (values.windowBudgetBytes - (values.windowBudgetBytes >> 2)) / ProtocolConstants.MAX_SEGMENT_COST_BYTES;
        return Math.max(values.receiveWindow, Math.min(segments, MAX_WINDOW_SEGMENTS));
    }

    /**
     * Returns {@code true} if the minimum retransmission timeout is 30 ms instead of 100 ms, and each backoff step adds half the timeout
     * instead of the whole timeout.
     *
     * @return {@code true} if {@code nodelay} is 1
     */
    public boolean noDelay() {
        return values.noDelay;
    }

    /**
     * Returns the minimum retransmission timeout.
     *
     * @return milliseconds
     */
    public int minRtoMs() {
        return values.minRtoMs != 0 ? values.minRtoMs : values.noDelay ? NODELAY_MIN_RTO_MS : DEFAULT_MIN_RTO_MS;
    }

    /**
     * Returns the KCP interval, which is the minimum margin between the smoothed round-trip time and the retransmission timeout. It is also
     * the maximum delay of a delayed write or acknowledgement. No timer runs at this interval.
     *
     * @return milliseconds
     */
    public int intervalMs() {
        return values.intervalMs;
    }

    /**
     * Returns how many acknowledgements of later segments trigger the fast retransmission of a segment.
     *
     * @return acknowledgements, or 0 if fast retransmission is disabled
     */
    public int fastResend() {
        return values.fastResend;
    }

    /**
     * Returns the maximum number of fast and early retransmissions of a segment between two timeouts.
     *
     * @return retransmissions
     */
    public int fastResendLimit() {
        return values.fastResendLimit;
    }

    /**
     * Returns the rule for early retransmission, which requires fewer acknowledgements of later segments than {@link #fastResend()}.
     *
     * @return the rule
     */
    public EarlyRetransmit earlyRetransmit() {
        return values.earlyRetransmit;
    }

    /**
     * Returns {@code true} if reordering measured on the path delays the retransmission of skipped segments.
     *
     * @return {@code true} if reordering is measured
     */
    public boolean adaptiveReordering() {
        return values.adaptiveReordering;
    }

    /**
     * Returns the rule that determines whether copies of unacknowledged segments are appended to datagrams that have room for them.
     *
     * @return the rule
     */
    public Redundancy redundancy() {
        return values.redundancy;
    }

    /**
     * Returns the time after which a segment is copied in an additional datagram if no other datagram has contained a copy of it.
     *
     * @return milliseconds, or 0 if copies are sent only in datagrams that have room for them
     */
    public int redundancyDelayMs() {
        return values.redundancyDelayMs;
    }

    /**
     * Returns {@code true} if the MTU is reduced to {@link #FALLBACK_MTU_BYTES} when large datagrams are lost but small ones arrive. Queued
     * bytes of a stream are then split again. Segments in flight and queued messages keep their size, so IP may have to fragment them.
     *
     * @return {@code true} if the MTU is reduced when necessary
     */
    public boolean mtuFallback() {
        return values.mtuFallback;
    }

    /**
     * Returns the largest MTU for which the conversation searches with probes. If the path delivers a probe, the MTU grows to the size of
     * the probe. Segments that are already queued keep their size.
     *
     * @return bytes, or 0 if the MTU never exceeds {@link #mtuBytes()}
     */
    public int mtuSearchLimitBytes() {
        return values.mtuSearchLimitBytes;
    }

    /**
     * Returns the congestion control algorithm, which, like the windows, limits the number of segments in flight.
     *
     * @return the algorithm
     */
    public CongestionAlgorithm congestionControl() {
        return values.congestionControl;
    }

    /**
     * Returns {@code true} if acknowledgements are sent as soon as all datagrams of one socket read have been processed.
     *
     * @return {@code true} to send immediately, {@code false} to delay acknowledgements for up to {@link #intervalMs()}
     */
    public boolean ackNoDelay() {
        return values.ackNoDelay;
    }

    /**
     * Returns {@code true} if a write may be delayed for up to {@link #intervalMs()} to share a datagram with later writes.
     *
     * @return {@code true} if writes are delayed
     */
    public boolean writeDelay() {
        return values.writeDelay;
    }

    /**
     * Returns the delay of the first window probe after the peer has closed its window.
     *
     * @return milliseconds
     */
    public int probeInitialMs() {
        return values.probeInitialMs;
    }

    /**
     * Returns the maximum time between two window probes.
     *
     * @return milliseconds
     */
    public int probeLimitMs() {
        return values.probeLimitMs;
    }

    /**
     * Returns the maximum retransmission timeout that the backoff can reach. The maximum is two round-trip times if they are longer.
     *
     * @return milliseconds, or 0 for no limit
     */
    public int backoffLimitMs() {
        return values.backoffLimitMs;
    }

    /**
     * Returns the dead-peer timeout: the maximum time without a verified datagram while data or a probe is unacknowledged. It also limits
     * the time for which an active peer may fail to acknowledge the oldest segment, see {@link LinkState#PEER_TIMEOUT}.
     *
     * @return milliseconds, or 0 for no limit
     */
    public int deadPeerTimeoutMs() {
        return values.deadPeerTimeoutMs;
    }

    /**
     * Returns the number of unacknowledged transmissions of one segment after which the peer is considered dead.
     *
     * @return transmissions, or 0 for no limit
     */
    public int maxTransmissions() {
        return values.maxTransmissions;
    }

    /**
     * Returns the maximum send rate of data segments, including their headers and retransmissions. Parity and acknowledgements do not
     * count. The transmissions are spread over each second.
     *
     * @return bytes per second, or 0 for no limit
     */
    public int maxBytesPerSecond() {
        return values.maxBytesPerSecond;
    }

    /**
     * Returns the zero-window timeout: how long the peer may advertise a window of 0 and accept none of the waiting data.
     *
     * @return milliseconds, or 0 for no limit
     */
    public int zeroWindowTimeoutMs() {
        return values.zeroWindowTimeoutMs;
    }

    /**
     * Returns the minimum drain rate, which is the rate at which the peer must accept waiting data. The rate is measured over ten seconds.
     *
     * @return bytes per second, or 0 for no minimum
     */
    public int minDrainBytesPerSecond() {
        return values.minDrainBytesPerSecond;
    }

    /**
     * Returns the maximum size of a message to send or receive in message mode.
     *
     * @return bytes
     */
    public int maxMessageBytes() {
        return values.maxMessageBytes;
    }

    /**
     * Returns the number of segments with inconsistent fragments or with a message above {@link #maxMessageBytes()} after which the
     * conversation fails with {@link LinkState#PROTOCOL_ERROR}, if its datagrams are authenticated.
     *
     * @return segments, or 0 for no limit
     */
    public int maxRefusedSegments() {
        return values.maxRefusedSegments;
    }

    @Override
    public String toString() {
        return "KcpConfig(" + values.mode + ", nodelay=" + (values.noDelay ? 1 : 0) + ',' + values.intervalMs + ',' + values.fastResend
            + ',' + values.congestionControl + ", windows=" + values.sendWindow + '/' + values.receiveWindow
            + (values.windowBudgetBytes == 0 ? "" : " up to " + values.windowBudgetBytes + " bytes") + ", mtu=" + values.mtuBytes + ')';
    }
}
