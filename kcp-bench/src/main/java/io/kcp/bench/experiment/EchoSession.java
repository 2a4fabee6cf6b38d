package io.kcp.bench.experiment;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Client session whose messages begin with a number, which the server returns. It sends {@link #FIRST} as soon as it is open. Failures are
 * ignored, because the messages of a session that closes count as lost.
 */
final class EchoSession extends SimpleChannelInboundHandler<ByteBuf> {

    static final int MESSAGE_BYTES = 64;
    /** Number in the first message. Other data that a server sends to a new session begins with smaller numbers. */
    static final long FIRST = 1;

    private final Runnable open;
    private @Nullable ChannelHandlerContext context;
    private LongConsumer onReturn = number -> { };
    private boolean returned;

    /**
     * Creates a session.
     *
     * @param open called on the event loop when the first message has returned
     */
    EchoSession(Runnable open) {
        this.open = open;
    }

    /** Sets the callback that receives the number of each returned message but the first one. Called on the event loop. */
    void onReturn(LongConsumer receiver) {
        onReturn = receiver;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        added.pipeline().addBefore(added.name(), null, new FixedLengthFrameDecoder(MESSAGE_BYTES));
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        send(FIRST);
    }

    /** Sends a message. Called on the event loop. */
    void send(long number) {
        ChannelHandlerContext added = Objects.requireNonNull(context, "the session is not open");
        added.writeAndFlush(added.alloc().directBuffer(MESSAGE_BYTES).writeLong(number).writeZero(MESSAGE_BYTES - Long.BYTES),
            added.voidPromise());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext reading, ByteBuf message) {
        long number = message.readLong();
        if (number > FIRST) {
            onReturn.accept(number);
        } else if (number == FIRST && !returned) {
            returned = true;
            open.run();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        failed.close();
    }
}
