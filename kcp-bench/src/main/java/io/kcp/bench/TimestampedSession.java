package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Client session whose messages begin with a timestamp, such as the time for which a message of a {@link FleetWorkload} was scheduled. */
final class TimestampedSession extends ClientSessionHandler {

    /** Timestamp of messages that are not measured, such as those sent during the warm-up. */
    static final long NOT_MEASURED = 0;

    private final int messageBytes;
    private final boolean sendsFirst;
    private @Nullable ChannelHandlerContext context;
    private LongConsumer onReturn = timestampNs -> { };

    /** Creates a session. If {@code sendsFirst} is true, the session sends a message without a timestamp as soon as it is open. */
    TimestampedSession(LoadContext load, int messageBytes, boolean sendsFirst) {
        super(load);
        this.messageBytes = Math.max(Long.BYTES, messageBytes);
        this.sendsFirst = sendsFirst;
    }

    /** Returns the event loop of the open session. */
    EventLoop eventLoop() {
        return context().channel().eventLoop();
    }

    ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "session is not open");
    }

    /** Sets the callback that receives the timestamp of each returned message. Must be called before that message is sent. */
    void onReturn(LongConsumer receiver) {
        onReturn = receiver;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        added.pipeline().addBefore(added.name(), null, new FixedLengthFrameDecoder(messageBytes));
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        if (sendsFirst) {
            send(NOT_MEASURED);
        }
    }

    /** Sends a message. Called on the event loop. */
    void send(long timestampNs) {
        load.meter.sent(messageBytes, 1);
        context().writeAndFlush(context().alloc().directBuffer(messageBytes).writeLong(timestampNs).writeZero(messageBytes - Long.BYTES),
            context().voidPromise());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext reading, ByteBuf message) {
        load.meter.received(messageBytes, 1);
        onReturn.accept(message.readLong());
    }
}
