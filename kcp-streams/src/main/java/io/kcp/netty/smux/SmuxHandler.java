package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Multiplexes smux streams over one parent channel. The parent channel must transfer bytes reliably and in order, such as a KCP
 * session in stream mode or a TCP channel. Add the handler after any handlers for encryption or compression. It
 * consumes all received {@code ByteBuf}s.
 *
 * <pre>{@code
 * SmuxHandlerBuilder smux = SmuxHandler.server().version(SmuxVersion.V2)
 *     .childHandler(childHandler);               // usually a ChannelInitializer<SmuxStreamChannel>
 * channel.pipeline().addLast(smux.build());
 * }</pre>
 *
 * <p>Open streams with {@link SmuxStreamChannelBootstrap}. If the peer violates the protocol or is inactive, the handler closes the
 * parent channel, and {@link #closeCause()} returns the reason. An invalid UPD frame closes only its stream. When the parent channel
 * closes, its streams close with {@link SmuxError#PARENT_CLOSED}. A stream receives {@code exceptionCaught} only if the error discards
 * its flushed data, or if the peer sent an invalid UPD frame for it.
 */
public final class SmuxHandler extends ChannelDuplexHandler {

    private final SmuxSettings settings;
    private volatile @Nullable SmuxMultiplexer session;

    SmuxHandler(SmuxSettings settings) {
        this.settings = settings;
    }

    /**
     * Returns a builder for the client side, which opens streams with odd ids. This is usually the side that initiated the connection.
     *
     * @return a new builder
     */
    public static SmuxHandlerBuilder client() {
        return new SmuxHandlerBuilder(true);
    }

    /**
     * Returns a builder for the server side, which opens streams with even ids. This is usually the side that accepted the connection.
     *
     * @return a new builder
     */
    public static SmuxHandlerBuilder server() {
        return new SmuxHandlerBuilder(false);
    }

    /**
     * Returns the exception that describes why the streams of this handler were closed.
     *
     * @return the exception, or null if the streams have not been closed
     */
    public @Nullable SmuxException closeCause() {
        SmuxMultiplexer current = session;
        return current == null ? null : current.closeCause();
    }

    /**
     * Collects the statistics of this handler on the event loop of its channel.
     *
     * @return a future with the statistics; fails if the event loop has terminated
     * @throws IllegalStateException if the handler was not added to a pipeline
     */
    public Future<SmuxStats> collectStats() {
        SmuxMultiplexer current = session();
        Promise<SmuxStats> promise = current.parent().eventLoop().newPromise();
        run(current, promise, () -> promise.trySuccess(current.stats()));
        return promise;
    }

    /** Opens a stream on the event loop of the parent channel. */
    void open(ChannelHandler handler, Map<ChannelOption<?>, Object> options, Map<AttributeKey<?>, Object> attributes,
        Promise<SmuxStreamChannel> promise) {
        SmuxMultiplexer current = session();
        run(current, promise, () -> current.open(handler, options, attributes, promise));
    }

    private static void run(SmuxMultiplexer session, Promise<?> promise, Runnable task) {
        if (session.parent().eventLoop().inEventLoop()) {
            runOrFail(promise, task);
            return;
        }
        try {
            session.parent().eventLoop().execute(() -> runOrFail(promise, task));
        } catch (RejectedExecutionException terminated) {
            promise.tryFailure(new ClosedChannelException());
        }
    }

    /** Runs a task that completes the promise. Fails the promise if the task throws, also an error such as a shortage of memory. */
    private static void runOrFail(Promise<?> promise, Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            promise.tryFailure(failure);
            throw failure;
        }
    }

    /** Returns the session, for tests and for the callbacks of the pipeline. */
    SmuxMultiplexer session() {
        SmuxMultiplexer current = session;
        if (current == null) {
            throw new IllegalStateException("The SmuxHandler was not added to a pipeline");
        }
        return current;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        Channel channel = context.channel();
        if (session != null) {
            throw new IllegalStateException("Cannot add a SmuxHandler to the pipeline of " + channel
                + ", because it already serves another channel. Build a handler for each channel.");
        }
        if (!channel.eventLoop().inEventLoop() || context.executor() != channel.eventLoop()) {
            throw new IllegalStateException("A SmuxHandler must run on the event loop of " + channel + ", not on " + context.executor());
        }
        SmuxMultiplexer created = new SmuxMultiplexer(context, settings);
        session = created;
        if (channel.isActive()) {
            created.onActive();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        session().close(new SmuxException(SmuxError.HANDLER_REMOVED, context.channel().toString()));
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        session().onActive();
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        session().close(new SmuxException(SmuxError.PARENT_CLOSED, context.channel().toString()));
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            session().onRead(bytes);
        } else {
            context.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        session().onReadComplete();
        context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            session().onInputShutdown();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        session().onWritabilityChanged();
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (session().mayRead()) {
            context.read();
        }
    }
}
