package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Last handler in the pipeline of a Netty channel, which adapts the channel to {@link Session}. */
public class ChannelSession extends ChannelInboundHandlerAdapter implements Session {

    /** Maximum number of flushes of one task of the event loop. */
    private static final int MAX_FLUSHES = 16;

    private final SessionListener listener;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Feeder feeder;
    private volatile boolean closing;

    /** Creates a session that passes its events to {@code listener}. */
    public ChannelSession(SessionListener listener) {
        this.listener = listener;
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the session has no channel yet");
    }

    /** Returns the channel of this session. */
    public Channel channel() {
        return context().channel();
    }

    /** Returns the delay of {@link #close()} in milliseconds. A channel that closes late can acknowledge the data received last. */
    protected long closeDelayMs() {
        return 0;
    }

    /** Returns the maximum number of writes between two flushes of {@link #feed}. */
    protected int maxWritesPerFlush() {
        return Integer.MAX_VALUE;
    }

    /** Returns the cause of a close that this side has not asked for. */
    protected Throwable closeCause() {
        return new IOException("closed by the peer");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        listener.opened(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        listener.received(this, (ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        listener.receivedAll(this);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        resume();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failing, Throwable cause) {
        fail(cause);
        failing.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        fail(closeCause());
    }

    private void fail(Throwable cause) {
        if (!closing) {
            closing = true;
            listener.failed(cause);
        }
    }

    @Override
    public ByteBufAllocator alloc() {
        return context().alloc();
    }

    @Override
    public ScheduledExecutorService loop() {
        return channel().eventLoop();
    }

    @Override
    public void write(ByteBuf message) {
        ChannelHandlerContext open = context();
        open.write(message, open.voidPromise());
    }

    @Override
    public void flush() {
        context().flush();
    }

    @Override
    public void feed(Source source) {
        channel().eventLoop().execute(() -> {
            feeder = new Feeder(source);
            feeder.pump();
        });
    }

    @Override
    public void resume() {
        if (!channel().eventLoop().inEventLoop()) {
            channel().eventLoop().execute(this::resume);
        } else if (feeder != null) {
            feeder.pump();
        }
    }

    @Override
    public void close() {
        closing = true;
        if (closeDelayMs() == 0) {
            context().close();
        } else {
            channel().eventLoop().schedule(() -> context().close(), closeDelayMs(), TimeUnit.MILLISECONDS);
        }
    }

    /** Writes the buffers of a source. A separate object, because only a few sessions have one. */
    private final class Feeder {

        private final Source source;
        /** Is also true while the rest of the work waits in the queue of the event loop. */
        private boolean pumping;

        Feeder(Source source) {
            this.source = source;
        }

        void pump() {
            // A flush may change the writability, and channelWritabilityChanged() then calls this method again.
            if (!pumping) {
                pumping = true;
                writeWhileWritable();
            }
        }

        private void writeWhileWritable() {
            boolean more = false;
            try {
                int flushes = 0;
                while (flushes < MAX_FLUSHES && channel().isWritable() && writeBatch() > 0) {
                    flush();
                    source.flushed();
                    flushes++;
                }
                more = flushes == MAX_FLUSHES;
            } finally {
                pumping = more;
            }
            // A socket that takes data as fast as it is written would otherwise keep the event loop from everything else.
            if (more) {
                channel().eventLoop().execute(this::writeWhileWritable);
            }
        }

        private int writeBatch() {
            Channel channel = channel();
            int writes = 0;
            while (writes < maxWritesPerFlush() && channel.isWritable()) {
                ByteBuf next = source.next();
                if (next == null) {
                    break;
                }
                write(next);
                writes++;
            }
            return writes;
        }
    }
}
