package io.kcp.netty.internal.channel;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.netty.KcpChannelOption;
import io.netty.channel.ChannelOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A channel option for a single setting of {@link KcpConfig}.
 *
 * @param get reads the setting
 * @param set changes the setting
 */
public record ConversationOption<T>(Function<KcpConfig, T> get, BiConsumer<KcpConfigBuilder, T> set) {

    private static final Map<ChannelOption<?>, ConversationOption<?>> ALL = new HashMap<>();

    static {
        add(KcpChannelOption.MODE, KcpConfig::mode, KcpConfigBuilder::mode);
        add(KcpChannelOption.MTU_BYTES, KcpConfig::mtuBytes, KcpConfigBuilder::mtuBytes);
        add(KcpChannelOption.MTU_FALLBACK, KcpConfig::mtuFallback, KcpConfigBuilder::mtuFallback);
        add(KcpChannelOption.MTU_SEARCH_LIMIT_BYTES, KcpConfig::mtuSearchLimitBytes, KcpConfigBuilder::mtuSearchLimitBytes);
        add(KcpChannelOption.SEND_WINDOW, KcpConfig::sendWindow, KcpConfigBuilder::sendWindow);
        add(KcpChannelOption.RECEIVE_WINDOW, KcpConfig::receiveWindow, KcpConfigBuilder::receiveWindow);
        add(KcpChannelOption.WINDOW_BUDGET_BYTES, KcpConfig::windowBudgetBytes, KcpConfigBuilder::windowBudgetBytes);
        add(KcpChannelOption.NO_DELAY, KcpConfig::noDelay, KcpConfigBuilder::noDelay);
        add(KcpChannelOption.MIN_RTO_MS, KcpConfig::minRtoMs, KcpConfigBuilder::minRtoMs);
        add(KcpChannelOption.INTERVAL_MS, KcpConfig::intervalMs, KcpConfigBuilder::intervalMs);
        add(KcpChannelOption.FAST_RESEND, KcpConfig::fastResend, KcpConfigBuilder::fastResend);
        add(KcpChannelOption.FAST_RESEND_LIMIT, KcpConfig::fastResendLimit, KcpConfigBuilder::fastResendLimit);
        add(KcpChannelOption.EARLY_RETRANSMIT, KcpConfig::earlyRetransmit, KcpConfigBuilder::earlyRetransmit);
        add(KcpChannelOption.ADAPTIVE_REORDERING, KcpConfig::adaptiveReordering, KcpConfigBuilder::adaptiveReordering);
        add(KcpChannelOption.REDUNDANCY, KcpConfig::redundancy, KcpConfigBuilder::redundancy);
        add(KcpChannelOption.REDUNDANCY_DELAY_MS, KcpConfig::redundancyDelayMs, KcpConfigBuilder::redundancyDelayMs);
        add(KcpChannelOption.CONGESTION_CONTROL, KcpConfig::congestionControl, KcpConfigBuilder::congestionControl);
        add(KcpChannelOption.ACK_NO_DELAY, KcpConfig::ackNoDelay, KcpConfigBuilder::ackNoDelay);
        add(KcpChannelOption.WRITE_DELAY, KcpConfig::writeDelay, KcpConfigBuilder::writeDelay);
        add(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, KcpConfig::deadPeerTimeoutMs, KcpConfigBuilder::deadPeerTimeoutMs);
        add(KcpChannelOption.MAX_TRANSMISSIONS, KcpConfig::maxTransmissions, KcpConfigBuilder::maxTransmissions);
        add(KcpChannelOption.MAX_BYTES_PER_SECOND, KcpConfig::maxBytesPerSecond, KcpConfigBuilder::maxBytesPerSecond);
        add(KcpChannelOption.ZERO_WINDOW_TIMEOUT_MS, KcpConfig::zeroWindowTimeoutMs, KcpConfigBuilder::zeroWindowTimeoutMs);
        add(KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND, KcpConfig::minDrainBytesPerSecond, KcpConfigBuilder::minDrainBytesPerSecond);
        add(KcpChannelOption.MAX_REFUSED_SEGMENTS, KcpConfig::maxRefusedSegments, KcpConfigBuilder::maxRefusedSegments);
        add(KcpChannelOption.MAX_MESSAGE_BYTES, KcpConfig::maxMessageBytes, KcpConfigBuilder::maxMessageBytes);
    }

    private static <T> void add(ChannelOption<T> option, Function<KcpConfig, T> get, BiConsumer<KcpConfigBuilder, T> set) {
        ALL.put(option, new ConversationOption<>(get, set));
    }

    static Set<ChannelOption<?>> all() {
        return ALL.keySet();
    }

    /** Returns the {@link KcpConfig} setting that a channel option changes, or null if the option is not part of {@link KcpConfig}. */
    @SuppressWarnings("unchecked")
    static <T> @Nullable ConversationOption<T> find(ChannelOption<T> option) {
        return (ConversationOption<T>) ALL.get(option);
    }

    /** Returns a copy of {@code config} in which this setting has the given value. */
    KcpConfig applyTo(KcpConfig config, T value) {
        KcpConfigBuilder builder = config.toBuilder();
        set.accept(builder, value);
        return builder.build();
    }

    /** Returns the KCP settings that channel options specify: {@code KCP_CONFIG}, overridden by the options for single settings. */
    public static KcpConfig config(Map<ChannelOption<?>, Object> options) {
        KcpConfig config = (KcpConfig) options.getOrDefault(KcpChannelOption.KCP_CONFIG, DefaultKcpChannelConfig.DEFAULT_KCP);
        KcpConfigBuilder builder = config.toBuilder();
        options.forEach((option, value) -> set(builder, option, value));
        return builder.build();
    }

    @SuppressWarnings("unchecked")
    private static <T> void set(KcpConfigBuilder builder, ChannelOption<T> option, Object value) {
        ConversationOption<T> setting = find(option);
        if (setting != null) {
            setting.set.accept(builder, (T) Objects.requireNonNull(value, option.name()));
        }
    }
}
