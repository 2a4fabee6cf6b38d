package io.kcp.netty.smux;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.AttributeKey;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The validated settings of a {@link SmuxHandler}. */
record SmuxSettings(
    boolean isClient,
    SmuxVersion version,
    int keepAliveIntervalMs,
    int keepAliveTimeoutMs,
    int maxFrameBytes,
    int receiveBufferBytes,
    int streamBufferBytes,
    WriteBufferWaterMark writeBufferWaterMark,
    int maxStreams,
    int lingerMs,
    @Nullable SmuxTotals totals,
    @Nullable ChannelHandler childHandler,
    Map<ChannelOption<?>, Object> childOptions,
    Map<AttributeKey<?>, Object> childAttributes) {
}
