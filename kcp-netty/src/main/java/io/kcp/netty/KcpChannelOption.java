package io.kcp.netty;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.netty.channel.ChannelOption;

/**
 * Options of a {@link KcpChannel}. All of them may be set on an open channel. {@link KcpConfig} describes each setting of the
 * conversation under the same name.
 *
 * @param <T> type of the value
 */
public final class KcpChannelOption<T> extends ChannelOption<T> {

    /** All settings of the conversation at once. */
    public static final ChannelOption<KcpConfig> KCP_CONFIG = valueOf(KcpChannelOption.class, "KCP_CONFIG");
    /** See {@link KcpConfig#mode()}. */
    public static final ChannelOption<KcpMode> MODE = valueOf(KcpChannelOption.class, "MODE");
    /** See {@link KcpConfig#mtuBytes()}. */
    public static final ChannelOption<Integer> MTU_BYTES = valueOf(KcpChannelOption.class, "MTU_BYTES");
    /** See {@link KcpConfig#sendWindow()}. */
    public static final ChannelOption<Integer> SEND_WINDOW = valueOf(KcpChannelOption.class, "SEND_WINDOW");
    /** See {@link KcpConfig#receiveWindow()}. */
    public static final ChannelOption<Integer> RECEIVE_WINDOW = valueOf(KcpChannelOption.class, "RECEIVE_WINDOW");
    /** See {@link KcpConfig#noDelay()}. */
    public static final ChannelOption<Boolean> NO_DELAY = valueOf(KcpChannelOption.class, "NO_DELAY");
    /** See {@link KcpConfig#minRtoMs()}. */
    public static final ChannelOption<Integer> MIN_RTO_MS = valueOf(KcpChannelOption.class, "MIN_RTO_MS");
    /** See {@link KcpConfig#intervalMs()}. */
    public static final ChannelOption<Integer> INTERVAL_MS = valueOf(KcpChannelOption.class, "INTERVAL_MS");
    /** See {@link KcpConfig#fastResend()}. */
    public static final ChannelOption<Integer> FAST_RESEND = valueOf(KcpChannelOption.class, "FAST_RESEND");
    /** See {@link KcpConfig#fastResendLimit()}. */
    public static final ChannelOption<Integer> FAST_RESEND_LIMIT = valueOf(KcpChannelOption.class, "FAST_RESEND_LIMIT");
    /** See {@link KcpConfig#earlyRetransmit()}. */
    public static final ChannelOption<EarlyRetransmit> EARLY_RETRANSMIT =
        valueOf(KcpChannelOption.class, "EARLY_RETRANSMIT");
    /** See {@link KcpConfig#adaptiveReordering()}. */
    public static final ChannelOption<Boolean> ADAPTIVE_REORDERING =
        valueOf(KcpChannelOption.class, "ADAPTIVE_REORDERING");
    /** See {@link KcpConfig#congestionControl()}. */
    public static final ChannelOption<CongestionAlgorithm> CONGESTION_CONTROL =
        valueOf(KcpChannelOption.class, "CONGESTION_CONTROL");
    /** See {@link KcpConfig#ackNoDelay()}. */
    public static final ChannelOption<Boolean> ACK_NO_DELAY = valueOf(KcpChannelOption.class, "ACK_NO_DELAY");
    /** See {@link KcpConfig#writeDelay()}. */
    public static final ChannelOption<Boolean> WRITE_DELAY = valueOf(KcpChannelOption.class, "WRITE_DELAY");
    /** See {@link KcpConfig#deadPeerTimeoutMs()}. */
    public static final ChannelOption<Integer> DEAD_PEER_TIMEOUT_MS =
        valueOf(KcpChannelOption.class, "DEAD_PEER_TIMEOUT_MS");
    /** See {@link KcpConfig#maxTransmissions()}. */
    public static final ChannelOption<Integer> MAX_TRANSMISSIONS = valueOf(KcpChannelOption.class, "MAX_TRANSMISSIONS");
    /** See {@link KcpConfig#maxBytesPerSecond()}. */
    public static final ChannelOption<Integer> MAX_BYTES_PER_SECOND =
        valueOf(KcpChannelOption.class, "MAX_BYTES_PER_SECOND");
    /** See {@link KcpConfig#zeroWindowTimeoutMs()}. */
    public static final ChannelOption<Integer> ZERO_WINDOW_TIMEOUT_MS =
        valueOf(KcpChannelOption.class, "ZERO_WINDOW_TIMEOUT_MS");
    /** See {@link KcpConfig#maxMessageBytes()}. */
    public static final ChannelOption<Integer> MAX_MESSAGE_BYTES = valueOf(KcpChannelOption.class, "MAX_MESSAGE_BYTES");
    /** See {@link KcpChannelConfig#setIdleTimeoutMs(int)}. */
    public static final ChannelOption<Integer> IDLE_TIMEOUT_MS = valueOf(KcpChannelOption.class, "IDLE_TIMEOUT_MS");
    /** See {@link KcpChannelConfig#setKeepaliveMs(int)}. */
    public static final ChannelOption<Integer> KEEPALIVE_MS = valueOf(KcpChannelOption.class, "KEEPALIVE_MS");
    /** See {@link KcpChannelConfig#setLingerMs(int)}. */
    public static final ChannelOption<Integer> LINGER_MS = valueOf(KcpChannelOption.class, "LINGER_MS");

    @SuppressWarnings({"deprecation", "unused"})
    private KcpChannelOption() {
        super(null);
    }
}
