package io.kcp.netty;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.netty.channel.ChannelOption;

/**
 * Options of a {@link KcpChannel}. All options may be set on an open channel. {@link KcpConfig} describes each KCP setting under the same
 * name. The suffix of an option's name is the unit of its value, {@code MS} for milliseconds and {@code BYTES} for bytes. Windows are
 * numbers of segments.
 *
 * @param <T> type of the value
 */
public final class KcpChannelOption<T> extends ChannelOption<T> {

    /** Sets all KCP settings of the session. */
    public static final ChannelOption<KcpConfig> KCP_CONFIG = valueOf(KcpChannelOption.class, "KCP_CONFIG");
    /** Selects message mode or stream mode. See {@link KcpConfig#mode()}. */
    public static final ChannelOption<KcpTransferMode> MODE = valueOf(KcpChannelOption.class, "MODE");
    /** Sets the maximum UDP payload that this side sends, including all headers. See {@link KcpConfig#mtuBytes()}. */
    public static final ChannelOption<Integer> MTU_BYTES = valueOf(KcpChannelOption.class, "MTU_BYTES");
    /**
     * Sets the number of segments that may be queued or in flight. Further writes wait in the outbound buffer of the channel. See
     * {@link KcpConfig#sendWindow()}.
     */
    public static final ChannelOption<Integer> SEND_WINDOW = valueOf(KcpChannelOption.class, "SEND_WINDOW");
    /** Sets the maximum number of segments that the peer may have in flight to this side. See {@link KcpConfig#receiveWindow()}. */
    public static final ChannelOption<Integer> RECEIVE_WINDOW = valueOf(KcpChannelOption.class, "RECEIVE_WINDOW");
    /** Sets the memory budget of windows that follow the path. See {@link KcpConfig#windowBudgetBytes()}. */
    public static final ChannelOption<Integer> WINDOW_BUDGET_BYTES = valueOf(KcpChannelOption.class, "WINDOW_BUDGET_BYTES");
    /** Enables a shorter retransmission timeout with slower backoff. See {@link KcpConfig#noDelay()}. */
    public static final ChannelOption<Boolean> NO_DELAY = valueOf(KcpChannelOption.class, "NO_DELAY");
    /** Sets the minimum retransmission timeout. See {@link KcpConfig#minRtoMs()}. */
    public static final ChannelOption<Integer> MIN_RTO_MS = valueOf(KcpChannelOption.class, "MIN_RTO_MS");
    /** Sets the KCP interval, the maximum time by which writes and acknowledgements are delayed. See {@link KcpConfig#intervalMs()}. */
    public static final ChannelOption<Integer> INTERVAL_MS = valueOf(KcpChannelOption.class, "INTERVAL_MS");
    /**
     * Sets the number of acknowledgements of later segments that trigger the fast retransmission of a segment. See
     * {@link KcpConfig#fastResend()}.
     */
    public static final ChannelOption<Integer> FAST_RESEND = valueOf(KcpChannelOption.class, "FAST_RESEND");
    /** Limits the fast and early retransmissions of a segment between two timeouts. See {@link KcpConfig#fastResendLimit()}. */
    public static final ChannelOption<Integer> FAST_RESEND_LIMIT = valueOf(KcpChannelOption.class, "FAST_RESEND_LIMIT");
    /**
     * Selects whether a segment may be retransmitted before {@link #FAST_RESEND} acknowledgements have skipped it. See
     * {@link KcpConfig#earlyRetransmit()}.
     */
    public static final ChannelOption<EarlyRetransmit> EARLY_RETRANSMIT =
        valueOf(KcpChannelOption.class, "EARLY_RETRANSMIT");
    /** Sets whether the MTU is reduced if the path loses large datagrams. See {@link KcpConfig#mtuFallback()}. */
    public static final ChannelOption<Boolean> MTU_FALLBACK = valueOf(KcpChannelOption.class, "MTU_FALLBACK");
    /** Sets the largest MTU for which the session searches with probes. See {@link KcpConfig#mtuSearchLimitBytes()}. */
    public static final ChannelOption<Integer> MTU_SEARCH_LIMIT_BYTES = valueOf(KcpChannelOption.class, "MTU_SEARCH_LIMIT_BYTES");
    /** Delays fast and early retransmission on a path that reorders datagrams. See {@link KcpConfig#adaptiveReordering()}. */
    public static final ChannelOption<Boolean> ADAPTIVE_REORDERING =
        valueOf(KcpChannelOption.class, "ADAPTIVE_REORDERING");
    /** Selects whether datagrams contain copies of earlier segments. See {@link KcpConfig#redundancy()}. */
    public static final ChannelOption<Redundancy> REDUNDANCY = valueOf(KcpChannelOption.class, "REDUNDANCY");
    /** Sets the time after which copies are sent in an additional datagram. See {@link KcpConfig#redundancyDelayMs()}. */
    public static final ChannelOption<Integer> REDUNDANCY_DELAY_MS = valueOf(KcpChannelOption.class, "REDUNDANCY_DELAY_MS");
    /** Selects the congestion control algorithm. See {@link KcpConfig#congestionControl()}. */
    public static final ChannelOption<CongestionAlgorithm> CONGESTION_CONTROL =
        valueOf(KcpChannelOption.class, "CONGESTION_CONTROL");
    /** Sends acknowledgements immediately after each read batch. See {@link KcpConfig#ackNoDelay()}. */
    public static final ChannelOption<Boolean> ACK_NO_DELAY = valueOf(KcpChannelOption.class, "ACK_NO_DELAY");
    /** Delays writes by up to one interval, so that several writes share datagrams. See {@link KcpConfig#writeDelay()}. */
    public static final ChannelOption<Boolean> WRITE_DELAY = valueOf(KcpChannelOption.class, "WRITE_DELAY");
    /**
     * Sets the time without a valid datagram after which an unresponsive peer is considered dead. See
     * {@link KcpConfig#deadPeerTimeoutMs()}.
     */
    public static final ChannelOption<Integer> DEAD_PEER_TIMEOUT_MS =
        valueOf(KcpChannelOption.class, "DEAD_PEER_TIMEOUT_MS");
    /**
     * Sets the number of transmissions of one segment after which the peer is considered dead. See {@link KcpConfig#maxTransmissions()}.
     */
    public static final ChannelOption<Integer> MAX_TRANSMISSIONS = valueOf(KcpChannelOption.class, "MAX_TRANSMISSIONS");
    /** Limits the send rate of data segments, in bytes per second. See {@link KcpConfig#maxBytesPerSecond()}. */
    public static final ChannelOption<Integer> MAX_BYTES_PER_SECOND =
        valueOf(KcpChannelOption.class, "MAX_BYTES_PER_SECOND");
    /** Sets the time for which the peer may advertise a window of 0 while data is queued. See {@link KcpConfig#zeroWindowTimeoutMs()}. */
    public static final ChannelOption<Integer> ZERO_WINDOW_TIMEOUT_MS =
        valueOf(KcpChannelOption.class, "ZERO_WINDOW_TIMEOUT_MS");
    /**
     * Sets the rate at which the peer must accept waiting data, in bytes per second. See {@link KcpConfig#minDrainBytesPerSecond()}.
     */
    public static final ChannelOption<Integer> MIN_DRAIN_BYTES_PER_SECOND =
        valueOf(KcpChannelOption.class, "MIN_DRAIN_BYTES_PER_SECOND");
    /** Sets the maximum message size in message mode. See {@link KcpConfig#maxMessageBytes()}. */
    public static final ChannelOption<Integer> MAX_MESSAGE_BYTES = valueOf(KcpChannelOption.class, "MAX_MESSAGE_BYTES");
    /**
     * Sets the number of inconsistent fragments after which a session with an authenticated cipher closes. See
     * {@link KcpConfig#maxRefusedSegments()}.
     */
    public static final ChannelOption<Integer> MAX_REFUSED_SEGMENTS = valueOf(KcpChannelOption.class, "MAX_REFUSED_SEGMENTS");
    /** Sets the time without a valid datagram after which the session is closed. See {@link KcpChannelConfig#setIdleTimeoutMs(int)}. */
    public static final ChannelOption<Integer> IDLE_TIMEOUT_MS = valueOf(KcpChannelOption.class, "IDLE_TIMEOUT_MS");
    /** Sets the time without a valid datagram after which a keepalive probe is sent. See {@link KcpChannelConfig#setKeepaliveMs(int)}. */
    public static final ChannelOption<Integer> KEEPALIVE_MS = valueOf(KcpChannelOption.class, "KEEPALIVE_MS");
    /** Sets the maximum time that a close waits for acknowledgements. See {@link KcpChannelConfig#setLingerMs(int)}. */
    public static final ChannelOption<Integer> LINGER_MS = valueOf(KcpChannelOption.class, "LINGER_MS");
    /**
     * Sets the time within which an accepted session must receive its first complete message. See
     * {@link KcpChannelConfig#setFirstMessageTimeoutMs(int)}.
     */
    public static final ChannelOption<Integer> FIRST_MESSAGE_TIMEOUT_MS = valueOf(KcpChannelOption.class, "FIRST_MESSAGE_TIMEOUT_MS");
    /**
     * Sets whether the session notifies its peer when it closes, and reads the notices of its peer. See
     * {@link KcpChannelConfig#setCloseNotice(boolean)}.
     */
    public static final ChannelOption<Boolean> CLOSE_NOTICE = valueOf(KcpChannelOption.class, "CLOSE_NOTICE");

    /**
     * Limits the messages that the session delivers in one event-loop iteration. See
     * {@link KcpChannelConfig#setMaxMessagesPerIteration(int)}.
     */
    public static final ChannelOption<Integer> MAX_MESSAGES_PER_ITERATION =
        valueOf(KcpChannelOption.class, "MAX_MESSAGES_PER_ITERATION");
    /**
     * Limits the bytes that the session delivers in one event-loop iteration. See {@link KcpChannelConfig#setMaxBytesPerIteration(int)}.
     */
    public static final ChannelOption<Integer> MAX_BYTES_PER_ITERATION = valueOf(KcpChannelOption.class, "MAX_BYTES_PER_ITERATION");

    @SuppressWarnings({"deprecation", "unused"})
    private KcpChannelOption() {
        super(null);
    }
}
