package io.kcp.netty.smux;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.AttributeKey;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds {@link SmuxHandler}s. Create a builder with {@link SmuxHandler#client()} or {@link SmuxHandler#server()}. The defaults are those
 * of the Go library; {@link #kcptun()} selects those of kcptun. Not thread safe.
 */
public final class SmuxHandlerBuilder {

    private static final int KCPTUN_FRAME_BYTES = 8_192;
    private static final int KCPTUN_STREAM_BUFFER_BYTES = 2 << 20;

    private final boolean isClient;
    private SmuxVersion version = SmuxVersion.V1;
    private int keepAliveIntervalMs = 10_000;
    private int keepAliveTimeoutMs = 30_000;
    private int maxFrameBytes = 32_768;
    private int receiveBufferBytes = 4 << 20;
    private int streamBufferBytes = 65_536;
    private WriteBufferWaterMark writeBufferWaterMark = new WriteBufferWaterMark(2 << 20, 4 << 20);
    private int maxStreams = 8_192;
    private int lingerMs = 30_000;
    private @Nullable SmuxTotals totals;
    private @Nullable ChannelHandler childHandler;
    private final Map<ChannelOption<?>, Object> childOptions = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> childAttributes = new LinkedHashMap<>();

    SmuxHandlerBuilder(boolean isClient) {
        this.isClient = isClient;
    }

    /**
     * Selects the defaults of kcptun, which are version 2, frames of 8,192 bytes and a stream buffer of 2 MiB.
     *
     * @return this
     */
    public SmuxHandlerBuilder kcptun() {
        return version(SmuxVersion.V2).maxFrameBytes(KCPTUN_FRAME_BYTES).streamBufferBytes(KCPTUN_STREAM_BUFFER_BYTES);
    }

    /**
     * Sets the protocol version, which must be that of the peer. The default is version 1.
     *
     * @param version the version
     * @return this
     */
    public SmuxHandlerBuilder version(SmuxVersion version) {
        this.version = Objects.requireNonNull(version, "version");
        return this;
    }

    /**
     * Sets the interval at which a NOP frame is sent, so that the peer does not time out. The default is 10,000.
     *
     * @param keepAliveIntervalMs milliseconds, 0 to send no NOP frames
     * @return this
     */
    public SmuxHandlerBuilder keepAliveIntervalMs(int keepAliveIntervalMs) {
        this.keepAliveIntervalMs = range("keepAliveIntervalMs", keepAliveIntervalMs, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the keepalive timeout. Once per timeout, the handler closes the parent channel if it has received nothing since the previous
     * check, unless the receive buffer is full. The default is 30,000. The timeout must exceed the keepalive interval of the peer. While
     * the receive buffer is full, no frames are read, so only the parent channel can detect that the peer is gone.
     *
     * @param keepAliveTimeoutMs milliseconds, 0 for no timeout
     * @return this
     */
    public SmuxHandlerBuilder keepAliveTimeoutMs(int keepAliveTimeoutMs) {
        this.keepAliveTimeoutMs = range("keepAliveTimeoutMs", keepAliveTimeoutMs, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the maximum payload of a frame that this side sends. With smaller frames, the streams share the parent channel more evenly. The
     * default is 32,768.
     *
     * @param maxFrameBytes bytes, from 1 to 65,535
     * @return this
     */
    public SmuxHandlerBuilder maxFrameBytes(int maxFrameBytes) {
        this.maxFrameBytes = range("maxFrameBytes", maxFrameBytes, 1, FrameFormat.MAX_PAYLOAD_BYTES);
        return this;
    }

    /**
     * Sets how many received bytes all streams of a parent channel may queue together before the handler stops reading from that channel.
     * The default is 4 MiB.
     *
     * @param receiveBufferBytes bytes, at least 1
     * @return this
     */
    public SmuxHandlerBuilder receiveBufferBytes(int receiveBufferBytes) {
        this.receiveBufferBytes = range("receiveBufferBytes", receiveBufferBytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the window, in bytes, that this side advertises for each stream in version 2. Until the first advertisement, the peer assumes
     * 262,144 bytes. Version 1 does not use this setting. The default is 65,536.
     *
     * @param streamBufferBytes bytes, from 1 to {@code receiveBufferBytes}
     * @return this
     */
    public SmuxHandlerBuilder streamBufferBytes(int streamBufferBytes) {
        this.streamBufferBytes = range("streamBufferBytes", streamBufferBytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the water marks of the outbound bytes that all streams of a parent channel store together, in addition to the water marks of
     * each stream. While the sum exceeds the high-water mark, a stream becomes unwritable if it stores more than its share, which is the
     * difference between twice that mark and the sum, divided by the number of streams. The streams are writable again when the sum falls
     * below the low-water mark. A stream that has sent all its bytes is always writable. The default is 2 MiB (low) and 4 MiB (high). Marks
     * of {@link Integer#MAX_VALUE} disable the limit.
     *
     * @param writeBufferWaterMark the low-water and the high-water mark, in bytes
     * @return this
     */
    public SmuxHandlerBuilder writeBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        this.writeBufferWaterMark = Objects.requireNonNull(writeBufferWaterMark, "writeBufferWaterMark");
        return this;
    }

    /**
     * Sets the maximum number of open streams that the peer has opened. Further streams are refused with a FIN. The default is 8,192.
     *
     * @param maxStreams streams, at least 0
     * @return this
     */
    public SmuxHandlerBuilder maxStreams(int maxStreams) {
        this.maxStreams = range("maxStreams", maxStreams, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets how long {@code close()} waits for the flushed data of a stream to be sent. The default is 30,000. After that time, the rest of
     * the data is discarded and the stream ends with a FIN. Because smux has no reset, the peer cannot distinguish the truncated data from
     * complete data.
     *
     * @param lingerMs milliseconds, 0 to discard data that has not been sent
     * @return this
     */
    public SmuxHandlerBuilder lingerMs(int lingerMs) {
        this.lingerMs = range("lingerMs", lingerMs, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the counters that count the streams of all handlers of this builder. The same counters may be passed to several builders.
     * By default, streams are counted only by {@link SmuxHandler#collectStats()}.
     *
     * @param totals the counters
     * @return this
     */
    public SmuxHandlerBuilder totals(SmuxTotals totals) {
        this.totals = Objects.requireNonNull(totals, "totals");
        return this;
    }

    /**
     * Sets the handler of the streams that the peer opens, usually a {@link io.netty.channel.ChannelInitializer}. Without a handler,
     * streams of the peer are refused.
     *
     * @param childHandler the handler, which must be sharable
     * @return this
     */
    public SmuxHandlerBuilder childHandler(ChannelHandler childHandler) {
        this.childHandler = Objects.requireNonNull(childHandler, "childHandler");
        return this;
    }

    /**
     * Sets a channel option of the streams that the peer opens.
     *
     * @param option the option
     * @param value  the value
     * @param <T>    type of the value
     * @return this
     * @throws IllegalArgumentException if smux streams do not support the option
     */
    public <T> SmuxHandlerBuilder childOption(ChannelOption<T> option, T value) {
        SmuxStreamConfig.checkSupported(option);
        childOptions.put(option, Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets an attribute of the streams that the peer opens.
     *
     * @param key   the key
     * @param value the value
     * @param <T>   type of the value
     * @return this
     */
    public <T> SmuxHandlerBuilder childAttr(AttributeKey<T> key, T value) {
        childAttributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Builds a handler for one parent channel. The builder may be reused for further channels.
     *
     * @return a new handler
     * @throws IllegalArgumentException if the stream buffer is larger than the receive buffer, or the keepalive timeout is shorter than the
     *                                  keepalive interval
     */
    public SmuxHandler build() {
        if (streamBufferBytes > receiveBufferBytes) {
            throw new IllegalArgumentException("streamBufferBytes: " + streamBufferBytes + " (expected: at most receiveBufferBytes, "
                + receiveBufferBytes + ")");
        }
        if (keepAliveTimeoutMs > 0 && keepAliveTimeoutMs < keepAliveIntervalMs) {
            throw new IllegalArgumentException("keepAliveTimeoutMs: " + keepAliveTimeoutMs + " (expected: 0 or at least"
                + " keepAliveIntervalMs, " + keepAliveIntervalMs + ")");
        }
        return new SmuxHandler(new SmuxSettings(isClient, version, keepAliveIntervalMs, keepAliveTimeoutMs, maxFrameBytes,
            receiveBufferBytes, streamBufferBytes, writeBufferWaterMark, maxStreams, lingerMs, totals, childHandler,
            Collections.unmodifiableMap(new LinkedHashMap<>(childOptions)), Map.copyOf(childAttributes)));
    }

    private static int range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min
                + (max == Integer.MAX_VALUE ? " or more)" : " to " + max + ")"));
        }
        return value;
    }
}
