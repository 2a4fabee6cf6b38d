package io.kcp.netty.smux;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannelConfig;
import io.netty.util.AttributeKey;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The configuration of a stream. */
final class SmuxStreamConfig extends DefaultChannelConfig implements DuplexChannelConfig {

    @SuppressWarnings("deprecation")
    private static final Set<ChannelOption<?>> SUPPORTED = Set.of(ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.ALLOCATOR,
        ChannelOption.AUTO_READ, ChannelOption.AUTO_CLOSE, ChannelOption.RECVBUF_ALLOCATOR, ChannelOption.WRITE_BUFFER_WATER_MARK,
        ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK, ChannelOption.WRITE_BUFFER_LOW_WATER_MARK, ChannelOption.MESSAGE_SIZE_ESTIMATOR,
        ChannelOption.MAX_MESSAGES_PER_READ, ChannelOption.SINGLE_EVENTEXECUTOR_PER_GROUP);

    private final AbstractSmuxStream stream;
    private volatile boolean allowHalfClosure;

    SmuxStreamConfig(AbstractSmuxStream stream) {
        // Streams allocate no buffers for reads, so they do not need the estimate of the read size that Netty's default allocator keeps.
        super(stream, new FixedRecvByteBufAllocator(FrameFormat.MAX_PAYLOAD_BYTES));
        this.stream = stream;
    }

    /** Throws an {@link IllegalArgumentException} if smux streams do not support the option. */
    static void checkSupported(ChannelOption<?> option) {
        if (!SUPPORTED.contains(Objects.requireNonNull(option, "option"))) {
            throw new IllegalArgumentException("option: " + option + " (expected: an option of smux streams, one of " + SUPPORTED + ")");
        }
    }

    /** Sets the options and attributes of a new stream. */
    @SuppressWarnings("unchecked")
    static void configure(AbstractSmuxStream stream, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes) {
        options.forEach((option, value) -> stream.config().setOption((ChannelOption<Object>) option, value));
        attributes.forEach((key, value) -> stream.attr((AttributeKey<Object>) key).set(value));
    }

    @Override
    @SuppressWarnings("deprecation")
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.ALLOW_HALF_CLOSURE);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        return option == ChannelOption.ALLOW_HALF_CLOSURE ? (T) Boolean.valueOf(allowHalfClosure) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            validate(option, value);
            allowHalfClosure = (Boolean) value;
            return true;
        }
        return super.setOption(option, value);
    }

    @Override
    protected void autoReadCleared() {
        stream.clearReadPending();
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public DuplexChannelConfig setAllowHalfClosure(boolean allowHalfClosure) {
        this.allowHalfClosure = allowHalfClosure;
        return this;
    }

    @Override
    @Deprecated
    public DuplexChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public DuplexChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public DuplexChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public DuplexChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public DuplexChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public DuplexChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public DuplexChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public DuplexChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark waterMark) {
        super.setWriteBufferWaterMark(waterMark);
        return this;
    }
}
