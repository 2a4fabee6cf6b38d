package io.kcp.netty.internal.channel;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.MessageDelivery;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The configuration of a session. Each change is applied to the session on its event loop. */
public final class DefaultKcpChannelConfig extends DefaultChannelConfig implements KcpChannelConfig {

    static final int DEFAULT_IDLE_TIMEOUT_MS = 60_000;
    static final int DEFAULT_KEEPALIVE_MS = 25_000;
    static final int DEFAULT_LINGER_MS = 5_000;
    static final int DEFAULT_FIRST_MESSAGE_TIMEOUT_MS = 10_000;

    public static final KcpConfig DEFAULT_KCP = KcpConfig.fast();

    private static final ChannelOption<?>[] OPTIONS = Stream.concat(ConversationOption.all().stream(),
        Stream.of(KcpChannelOption.KCP_CONFIG, KcpChannelOption.IDLE_TIMEOUT_MS, KcpChannelOption.KEEPALIVE_MS, KcpChannelOption.LINGER_MS,
            KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, KcpChannelOption.CLOSE_NOTICE, KcpChannelOption.MAX_MESSAGES_PER_ITERATION,
            KcpChannelOption.MAX_BYTES_PER_ITERATION))
        .toArray(ChannelOption<?>[]::new);

    private final AbstractSession session;
    private volatile KcpConfig kcp = DEFAULT_KCP;
    private volatile int idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS;
    private volatile int keepaliveMs = DEFAULT_KEEPALIVE_MS;
    private volatile int lingerMs = DEFAULT_LINGER_MS;
    private volatile int firstMessageTimeoutMs = DEFAULT_FIRST_MESSAGE_TIMEOUT_MS;
    private volatile boolean closeNotice = true;
    private volatile int maxMessagesPerIteration = MessageDelivery.MAX_MESSAGES;
    private volatile int maxBytesPerIteration = MessageDelivery.MAX_BYTES;

    DefaultKcpChannelConfig(AbstractSession session) {
        // Sessions allocate no buffers for reads, so they do not need the estimate of the read size that Netty's default allocator keeps.
        super(session, new FixedRecvByteBufAllocator(DEFAULT_KCP.mtuBytes()));
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

    /** Changes the settings atomically, because other threads may change other settings at the same time. */
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
    public int firstMessageTimeoutMs() {
        return firstMessageTimeoutMs;
    }

    @Override
    public KcpChannelConfig setFirstMessageTimeoutMs(int firstMessageTimeoutMs) {
        this.firstMessageTimeoutMs = notNegative("firstMessageTimeoutMs", firstMessageTimeoutMs);
        session.onConfigChanged();
        return this;
    }

    @Override
    public boolean closeNotice() {
        return closeNotice;
    }

    @Override
    public KcpChannelConfig setCloseNotice(boolean closeNotice) {
        this.closeNotice = closeNotice;
        session.onConfigChanged();
        return this;
    }

    @Override
    public int maxMessagesPerIteration() {
        return maxMessagesPerIteration;
    }

    @Override
    public KcpChannelConfig setMaxMessagesPerIteration(int maxMessagesPerIteration) {
        this.maxMessagesPerIteration = notNegative("maxMessagesPerIteration", maxMessagesPerIteration);
        session.onConfigChanged();
        return this;
    }

    @Override
    public int maxBytesPerIteration() {
        return maxBytesPerIteration;
    }

    @Override
    public KcpChannelConfig setMaxBytesPerIteration(int maxBytesPerIteration) {
        this.maxBytesPerIteration = notNegative("maxBytesPerIteration", maxBytesPerIteration);
        session.onConfigChanged();
        return this;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), OPTIONS);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        if (option == KcpChannelOption.KCP_CONFIG) {
            return (T) kcp;
        }
        if (option == KcpChannelOption.IDLE_TIMEOUT_MS) {
            return (T) Integer.valueOf(idleTimeoutMs);
        }
        if (option == KcpChannelOption.KEEPALIVE_MS) {
            return (T) Integer.valueOf(keepaliveMs);
        }
        if (option == KcpChannelOption.LINGER_MS) {
            return (T) Integer.valueOf(lingerMs);
        }
        if (option == KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS) {
            return (T) Integer.valueOf(firstMessageTimeoutMs);
        }
        if (option == KcpChannelOption.CLOSE_NOTICE) {
            return (T) Boolean.valueOf(closeNotice);
        }
        if (option == KcpChannelOption.MAX_MESSAGES_PER_ITERATION) {
            return (T) Integer.valueOf(maxMessagesPerIteration);
        }
        if (option == KcpChannelOption.MAX_BYTES_PER_ITERATION) {
            return (T) Integer.valueOf(maxBytesPerIteration);
        }
        ConversationOption<T> setting = ConversationOption.find(option);
        return setting != null ? setting.get().apply(kcp) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        Objects.requireNonNull(value, option.name());
        ConversationOption<T> setting = ConversationOption.find(option);
        if (setting != null) {
            change(config -> setting.applyTo(config, value));
        } else if (option == KcpChannelOption.KCP_CONFIG) {
            setKcp((KcpConfig) value);
        } else if (option == KcpChannelOption.IDLE_TIMEOUT_MS) {
            setIdleTimeoutMs((Integer) value);
        } else if (option == KcpChannelOption.KEEPALIVE_MS) {
            setKeepaliveMs((Integer) value);
        } else if (option == KcpChannelOption.LINGER_MS) {
            setLingerMs((Integer) value);
        } else if (option == KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS) {
            setFirstMessageTimeoutMs((Integer) value);
        } else if (option == KcpChannelOption.CLOSE_NOTICE) {
            setCloseNotice((Boolean) value);
        } else if (option == KcpChannelOption.MAX_MESSAGES_PER_ITERATION) {
            setMaxMessagesPerIteration((Integer) value);
        } else if (option == KcpChannelOption.MAX_BYTES_PER_ITERATION) {
            setMaxBytesPerIteration((Integer) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    protected void autoReadCleared() {
        session.onAutoReadCleared();
    }

    /**
     * Validates channel options before any session is opened with them.
     *
     * @param overheadBytes bytes that the cipher and FEC add to each datagram
     * @throws IllegalArgumentException if an option is out of range; the message names the option and its value
     */
    public static void check(Map<ChannelOption<?>, Object> options, int overheadBytes) {
        checkFits(ConversationOption.config(options), overheadBytes);
        for (ChannelOption<Integer> option : List.of(KcpChannelOption.IDLE_TIMEOUT_MS, KcpChannelOption.KEEPALIVE_MS,
            KcpChannelOption.LINGER_MS, KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, KcpChannelOption.MAX_MESSAGES_PER_ITERATION,
            KcpChannelOption.MAX_BYTES_PER_ITERATION)) {
            notNegative(option.name(), (Integer) options.getOrDefault(option, 0));
        }
    }

    private static void checkFits(KcpConfig settings, int overheadBytes) {
        if (settings.mtuBytes() - overheadBytes < KcpConfig.MIN_MTU_BYTES) {
            throw new IllegalArgumentException("mtuBytes: " + settings.mtuBytes() + " (expected: at least "
                + (KcpConfig.MIN_MTU_BYTES + overheadBytes) + ", of which FEC and the cipher use " + overheadBytes + ")");
        }
    }

    /** Returns the receive window, in segments, that channel options specify, without validating the other options. */
    public static int receiveWindow(Map<ChannelOption<?>, Object> options) {
        KcpConfig config = (KcpConfig) options.getOrDefault(KcpChannelOption.KCP_CONFIG, DEFAULT_KCP);
        return (Integer) options.getOrDefault(KcpChannelOption.RECEIVE_WINDOW, config.receiveWindow());
    }

    private static int notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 0)");
        }
        return value;
    }
}
