package io.kcp.spring.handler;

import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpServerCloseEvent;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches the events of one session to the controllers of its server, either directly on the event loop or through a {@link Mailbox}
 * queue.
 */
final class ControllerHandler extends ChannelDuplexHandler {

    /** Size up to which a message is copied before it is queued, because a queued slice would keep its whole read buffer alive. */
    private static final int MAX_COPIED_BYTES = 32 * 1024;

    private final ServerControllers controllers;
    private final @Nullable BlockingThreads threads;
    private final int maxPending;
    private @Nullable ReadGate gate;
    private @Nullable SessionEvents events;
    private @Nullable Mailbox mailbox;
    private @Nullable SessionDrain drain;
    private boolean opened;

    /**
     * Creates the handler of a session.
     *
     * @param threads    the blocking threads that run the methods; null for the event loop
     * @param maxPending maximum number of messages in flight
     */
    ControllerHandler(ServerControllers controllers, @Nullable BlockingThreads threads, int maxPending) {
        this.controllers = controllers;
        this.threads = threads;
        this.maxPending = maxPending;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ReadGate reads = new ReadGate(context, maxPending);
        SessionEvents handled =
            new SessionEvents(ControllerChannel.of(context.channel()), controllers, reads, failed -> postFromAnyThread(context, failed));
        gate = reads;
        events = handled;
        mailbox = threads == null ? null : new Mailbox(threads, handled, reads);
    }

    /** Dispatches an event. Called on the event loop. <b>Takes</b> the event. */
    private void post(Object event) {
        if (mailbox != null) {
            mailbox.put(event);
        } else if (events != null) {
            events.handle(event);
        }
    }

    private void postFromAnyThread(ChannelHandlerContext context, SessionEvents.Failure failed) {
        if (mailbox != null) {
            mailbox.put(failed);
            return;
        }
        try {
            context.executor().execute(() -> post(failed));
        } catch (RejectedExecutionException ended) {
            // Ignores the failure, because the event loop has terminated and the session is closed.
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        opened = true;
        if (threads != null) {
            threads.sessions().begin();
        }
        post(SessionEvents.OPENED);
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        // If a preceding handler has not propagated channelActive, no @OnOpen method was called, and therefore no @OnClose method is
        // called.
        if (opened) {
            post(SessionEvents.CLOSED);
        }
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf buffer)) {
            context.fireChannelRead(message);
        } else if (controllers.takesMessages()) {
            post(mailbox == null ? buffer : detached(context, buffer));
        } else {
            buffer.release();
        }
    }

    /**
     * Copies a small message, so that the queued message does not keep a large read buffer alive. <b>Takes</b> the argument; the result is
     * owned.
     */
    private static ByteBuf detached(ChannelHandlerContext context, ByteBuf message) {
        int bytes = message.readableBytes();
        if (bytes > MAX_COPIED_BYTES) {
            return message;
        }
        try {
            return context.alloc().buffer(bytes).writeBytes(message);
        } finally {
            message.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof KcpServerCloseEvent closing) {
            drainBefore(closing, context);
            context.fireUserEventTriggered(event);
        } else if (!(event instanceof KcpOobMessage message)) {
            context.fireUserEventTriggered(event);
        } else if (controllers.oob() == null || drain != null || gate != null && gate.isFull()) {
            // Drops the message under load and while the session is being drained, because out-of-band messages are unreliable anyway.
            message.release();
        } else {
            post(mailbox == null ? message : message.replace(detached(context, message.content())));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Does not pass a close exception to the @OnError methods, because the @OnClose methods receive it as the close cause.
        if (!(cause instanceof KcpCloseException)) {
            WarnOnceLogger warning = WarnOnceLogger.isMalformedInput(cause) ? controllers.decoderWarnings() : null;
            post(new SessionEvents.Failure("a handler before the controllers failed", cause, warning));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (gate != null) {
            gate.resume();
        }
        context.fireChannelWritabilityChanged();
    }

    /** Encodes each written object in the same way as the return value of a controller method. */
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        Reply reply = message instanceof ByteBuf || message instanceof KcpOobMessage ? null : controllers.replies().find(message);
        if (reply == null) {
            context.write(message, promise);
            return;
        }
        Object encoded;
        try {
            encoded = reply.toMessage(message, context.alloc());
        } catch (Exception failure) {
            promise.tryFailure(failure);
            return;
        }
        context.write(encoded, promise);
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (gate == null || gate.tryRead()) {
            context.read();
        }
    }

    /** Delays the close of the server until the messages received by this session have been handled and the responses have been written. */
    private void drainBefore(KcpServerCloseEvent closing, ChannelHandlerContext context) {
        if (gate == null || events == null || events.hasFailed()) {
            return;
        }
        SessionDrain started = new SessionDrain(ControllerChannel.of(context.channel()), gate);
        drain = started;
        started.start();
        closing.waitFor(started.finished());
        if (context.channel() instanceof SmuxStreamChannel stream) {
            // The data that is still queued in the stream would be lost if the session closed first.
            started.finished().addListener(finished -> stream.close());
            closing.waitFor(stream.closeFuture());
        }
    }

    /**
     * Closes the session and discards its queued messages, unless a drain has finished. After a drain, queued messages are still handled,
     * although their responses can no longer be written.
     */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (events != null && (drain == null || !drain.finished().isDone())) {
            events.discardMessages();
        }
        context.close(promise);
    }
}
