package io.kcp.netty;

import io.kcp.core.KcpConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The one implementation: hands changes on to the channel. */
final class DefaultKcpChannelConfig extends DefaultChannelConfig implements KcpChannelConfig {

    static final int DEFAULT_IDLE_TIMEOUT_MS = 60_000;
    static final int DEFAULT_KEEPALIVE_MS = 25_000;
    static final int DEFAULT_LINGER_MS = 5_000;

    private static final KcpConfig DEFAULT_KCP = KcpConfig.fast();
    private static final Map<ChannelOption<?>, Knob<?>> KNOBS = new HashMap<>();
    /** What each option makes of the settings of a conversation; that of all of them too. */
    private static final Map<ChannelOption<?>, BiFunction<KcpConfig, Object, KcpConfig>> CONVERSATION = new HashMap<>();

    static {
        conversation(KcpChannelOption.MODE, KcpConfig::mode, KcpConfig.Builder::mode);
        conversation(KcpChannelOption.MTU_BYTES, KcpConfig::mtuBytes, KcpConfig.Builder::mtuBytes);
        conversation(KcpChannelOption.SEND_WINDOW, KcpConfig::sendWindow, KcpConfig.Builder::sendWindow);
        conversation(KcpChannelOption.RECEIVE_WINDOW, KcpConfig::receiveWindow, KcpConfig.Builder::receiveWindow);
        conversation(KcpChannelOption.NO_DELAY, KcpConfig::noDelay, KcpConfig.Builder::noDelay);
        conversation(KcpChannelOption.MIN_RTO_MS, KcpConfig::minRtoMs, KcpConfig.Builder::minRtoMs);
        conversation(KcpChannelOption.INTERVAL_MS, KcpConfig::intervalMs, KcpConfig.Builder::intervalMs);
        conversation(KcpChannelOption.FAST_RESEND, KcpConfig::fastResend, KcpConfig.Builder::fastResend);
        conversation(KcpChannelOption.FAST_RESEND_LIMIT, KcpConfig::fastResendLimit, KcpConfig.Builder::fastResendLimit);
        conversation(KcpChannelOption.EARLY_RETRANSMIT, KcpConfig::earlyRetransmit, KcpConfig.Builder::earlyRetransmit);
        conversation(KcpChannelOption.ADAPTIVE_REORDERING, KcpConfig::adaptiveReordering,
            KcpConfig.Builder::adaptiveReordering);
        conversation(KcpChannelOption.CONGESTION_CONTROL, KcpConfig::congestionControl,
            KcpConfig.Builder::congestionControl);
        conversation(KcpChannelOption.ACK_NO_DELAY, KcpConfig::ackNoDelay, KcpConfig.Builder::ackNoDelay);
        conversation(KcpChannelOption.WRITE_DELAY, KcpConfig::writeDelay, KcpConfig.Builder::writeDelay);
        conversation(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, KcpConfig::deadPeerTimeoutMs,
            KcpConfig.Builder::deadPeerTimeoutMs);
        conversation(KcpChannelOption.MAX_TRANSMISSIONS, KcpConfig::maxTransmissions, KcpConfig.Builder::maxTransmissions);
        conversation(KcpChannelOption.MAX_BYTES_PER_SECOND, KcpConfig::maxBytesPerSecond,
            KcpConfig.Builder::maxBytesPerSecond);
        conversation(KcpChannelOption.ZERO_WINDOW_TIMEOUT_MS, KcpConfig::zeroWindowTimeoutMs,
            KcpConfig.Builder::zeroWindowTimeoutMs);
        conversation(KcpChannelOption.MAX_MESSAGE_BYTES, KcpConfig::maxMessageBytes, KcpConfig.Builder::maxMessageBytes);
        conversationKnob(KcpChannelOption.KCP_CONFIG, config -> config, (config, value) -> value);
        knob(KcpChannelOption.IDLE_TIMEOUT_MS, DefaultKcpChannelConfig::idleTimeoutMs,
            DefaultKcpChannelConfig::setIdleTimeoutMs);
        knob(KcpChannelOption.KEEPALIVE_MS, DefaultKcpChannelConfig::keepaliveMs, DefaultKcpChannelConfig::setKeepaliveMs);
        knob(KcpChannelOption.LINGER_MS, DefaultKcpChannelConfig::lingerMs, DefaultKcpChannelConfig::setLingerMs);
    }

    private final DefaultKcpChannel session;
    private volatile KcpConfig kcp = DEFAULT_KCP;
    private volatile int idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS;
    private volatile int keepaliveMs = DEFAULT_KEEPALIVE_MS;
    private volatile int lingerMs = DEFAULT_LINGER_MS;

    DefaultKcpChannelConfig(DefaultKcpChannel session) {
        super(session);
        this.session = session;
    }

    @Override
    public KcpConfig kcp() {
        return kcp;
    }

    @Override
    public KcpChannelConfig setKcp(KcpConfig config) {
        Objects.requireNonNull(config, "config");
        change(replaced -> config);
        return this;
    }

    /** Changes the settings in one step, because other threads may change other settings at the same time. */
    private void change(UnaryOperator<KcpConfig> change) {
        synchronized (this) {
            KcpConfig changed = change.apply(kcp);
            checkFits(changed, session.overheadBytes());
            kcp = changed;
        }
        session.onConfigChanged();
    }

    @Override
    public int idleTimeoutMs() {
        return idleTimeoutMs;
    }

    @Override
    public KcpChannelConfig setIdleTimeoutMs(int idleTimeoutMs) {
        this.idleTimeoutMs = notNegative("idleTimeoutMs", idleTimeoutMs);
        session.onConfigChanged();
        return this;
    }

    @Override
    public int keepaliveMs() {
        return keepaliveMs;
    }

    @Override
    public KcpChannelConfig setKeepaliveMs(int keepaliveMs) {
        this.keepaliveMs = notNegative("keepaliveMs", keepaliveMs);
        session.onConfigChanged();
        return this;
    }

    @Override
    public int lingerMs() {
        return lingerMs;
    }

    @Override
    public KcpChannelConfig setLingerMs(int lingerMs) {
        this.lingerMs = notNegative("lingerMs", lingerMs);
        return this;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), KNOBS.keySet().toArray(new ChannelOption<?>[0]));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        Knob<T> knob = (Knob<T>) KNOBS.get(option);
        return knob != null ? knob.get.apply(this) : super.getOption(option);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        Knob<T> knob = (Knob<T>) KNOBS.get(option);
        if (knob == null) {
            return super.setOption(option, value);
        }
        Objects.requireNonNull(value, option.name());
        knob.set.accept(this, value);
        return true;
    }

    @Override
    protected void autoReadCleared() {
        session.clearReadPending();
    }

    /** Returns the settings of the conversation that a session with these options would have. */
    static KcpConfig kcp(Map<ChannelOption<?>, Object> options) {
        KcpConfig config = (KcpConfig) options.getOrDefault(KcpChannelOption.KCP_CONFIG, DEFAULT_KCP);
        for (Map.Entry<ChannelOption<?>, Object> entry : options.entrySet()) {
            BiFunction<KcpConfig, Object, KcpConfig> change = CONVERSATION.get(entry.getKey());
            if (change != null && entry.getKey() != KcpChannelOption.KCP_CONFIG) {
                config = change.apply(config, entry.getValue());
            }
        }
        return config;
    }

    /**
     * Refuses options that no session could have.
     *
     * @param overheadBytes what cipher and FEC add to each datagram
     * @throws IllegalArgumentException naming the option and its value
     */
    static void check(Map<ChannelOption<?>, Object> options, int overheadBytes) {
        checkFits(kcp(options), overheadBytes);
        for (ChannelOption<Integer> option : List.of(KcpChannelOption.IDLE_TIMEOUT_MS, KcpChannelOption.KEEPALIVE_MS,
            KcpChannelOption.LINGER_MS)) {
            notNegative(option.name(), (Integer) options.getOrDefault(option, 0));
        }
    }

    private static void checkFits(KcpConfig settings, int overheadBytes) {
        if (settings.mtuBytes() - overheadBytes < KcpConfig.MIN_MTU_BYTES) {
            throw new IllegalArgumentException("mtuBytes: " + settings.mtuBytes() + " (expected: at least "
                + (KcpConfig.MIN_MTU_BYTES + overheadBytes) + ", " + overheadBytes + " of them for FEC and cipher)");
        }
    }

    /** Returns the receive window that a session with these options would have; asks nothing of the other options. */
    static int receiveWindow(Map<ChannelOption<?>, Object> options) {
        KcpConfig config = (KcpConfig) options.getOrDefault(KcpChannelOption.KCP_CONFIG, DEFAULT_KCP);
        return (Integer) options.getOrDefault(KcpChannelOption.RECEIVE_WINDOW, config.receiveWindow());
    }

    private static int notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 0)");
        }
        return value;
    }

    private static <T> void conversation(ChannelOption<T> option, Function<KcpConfig, T> get,
        BiFunction<KcpConfig.Builder, T, KcpConfig.Builder> set) {
        conversationKnob(option, get, (config, value) -> set.apply(config.toBuilder(), value).build());
    }

    @SuppressWarnings("unchecked")
    private static <T> void conversationKnob(ChannelOption<T> option, Function<KcpConfig, T> get,
        BiFunction<KcpConfig, T, KcpConfig> set) {
        knob(option, config -> get.apply(config.kcp), (config, value) -> config.change(kcp -> set.apply(kcp, value)));
        CONVERSATION.put(option, (config, value) -> set.apply(config, (T) value));
    }

    private static <T> void knob(ChannelOption<T> option, Function<DefaultKcpChannelConfig, T> get,
        BiConsumer<DefaultKcpChannelConfig, T> set) {
        KNOBS.put(option, new Knob<>(get, set));
    }

    private record Knob<T>(Function<DefaultKcpChannelConfig, T> get, BiConsumer<DefaultKcpChannelConfig, T> set) {
    }
}
