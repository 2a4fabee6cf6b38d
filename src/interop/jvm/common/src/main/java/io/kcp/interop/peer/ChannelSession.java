package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Last handler of a Netty channel's pipeline, which adapts the channel to {@link Session}. */
public final class ChannelSession extends ChannelInboundHandlerAdapter implements Session {

    /** Maximum number of writes between two flushes. */
    private static final int WRITES_PER_FLUSH = 64;

    private final SessionListener listener;
    private final long closeDelayMs;
    private Channel channel;
    private Supplier<ByteBuf> source;
    private boolean feeding;
    private volatile boolean closing;

    public ChannelSession(SessionListener listener) {
        this(listener, 0);
    }

    /**
     * Creates a session that closes its channel {@code closeDelayMs} after {@link #close()}, so that the channel can still acknowledge the
     * data received last.
     */
    public ChannelSession(SessionListener listener, long closeDelayMs) {
        this.listener = listener;
        this.closeDelayMs = closeDelayMs;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = ctx.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        listener.opened(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            listener.received(this, bytes);
        } finally {
            bytes.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        listener.receivedAll(this);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        pump();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!closing) {
            closing = true;
            listener.failed(cause);
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!closing) {
            closing = true;
            listener.failed(new IOException("closed by the peer"));
        }
    }

    @Override
    public ByteBufAllocator alloc() {
        return channel.alloc();
    }

    @Override
    public ScheduledExecutorService loop() {
        return channel.eventLoop();
    }

    @Override
    public void write(ByteBuf message) {
        channel.write(message, channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void feed(Supplier<ByteBuf> next) {
        channel.eventLoop().execute(() -> {
            source = next;
            pump();
        });
    }

    @Override
    public void resume() {
        if (channel.eventLoop().inEventLoop()) {
            pump();
        } else {
            channel.eventLoop().execute(this::pump);
        }
    }

    private void pump() {
        // Prevents recursion, because a flush may change the writability, and channelWritabilityChanged() then calls this method again.
        if (source == null || feeding) {
            return;
        }
        feeding = true;
        try {
            int unflushed = 0;
            while (channel.isWritable()) {
                ByteBuf next = source.get();
                if (next == null) {
                    break;
                }
                channel.write(next, channel.voidPromise());
                if (++unflushed == WRITES_PER_FLUSH) {
                    channel.flush();
                    unflushed = 0;
                }
                if (!channel.isWritable() && unflushed > 0) {
                    channel.flush();
                    unflushed = 0;
                }
            }
            if (unflushed > 0) {
                channel.flush();
            }
        } finally {
            feeding = false;
        }
    }

    @Override
    public void close() {
        closing = true;
        if (closeDelayMs == 0) {
            channel.close();
        } else {
            channel.eventLoop().schedule(() -> channel.close(), closeDelayMs, TimeUnit.MILLISECONDS);
        }
    }
}
