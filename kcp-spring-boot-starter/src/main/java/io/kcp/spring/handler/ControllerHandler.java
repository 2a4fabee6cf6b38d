package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpServerCloseEvent;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Brings what happens to one session to its controllers, on the event loop or through a mailbox. */
final class ControllerHandler extends ChannelDuplexHandler {

    /** Longer messages are worth the memory that they are part of; shorter ones are copied out of it when they have to wait. */
    private static final int COPIED_BYTES = 32 * 1024;

    private final ServerControllers controllers;
    private final @Nullable BlockingThreads threads;
    private final int maxPending;
    private @Nullable ReadGate gate;
    private @Nullable SessionEvents events;
    private @Nullable Mailbox mailbox;
    private @Nullable SessionDrain drain;
    private boolean begun;

    /**
     * Creates the handler of a session.
     *
     * @param threads    those that may block; null for the event loop
     * @param maxPending how many messages may wait
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
            new SessionEvents((KcpChannel) context.channel(), controllers, reads, failed -> postFromAnywhere(context, failed));
        gate = reads;
        events = handled;
        mailbox = threads == null ? null : new Mailbox(threads, handled, reads);
    }

    /** On the event loop; <b>takes</b> the event. */
    private void post(Object event) {
        if (mailbox != null) {
            mailbox.put(event);
        } else if (events != null) {
            events.handle(event);
        }
    }

    private void postFromAnywhere(ChannelHandlerContext context, SessionEvents.Failure failed) {
        if (mailbox != null) {
            mailbox.put(failed);
            return;
        }
        try {
            context.executor().execute(() -> post(failed));
        } catch (RejectedExecutionException ended) {
            // The session has ended with its event loop.
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        begun = true;
        if (threads != null) {
            threads.sessions().begin();
        }
        post(SessionEvents.OPENED);
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        // A handler in front that failed may have kept the begin to itself.
        if (begun) {
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

    /** <b>Takes</b> a message and returns one, owned, that keeps no more memory than it needs. */
    private static ByteBuf detached(ChannelHandlerContext context, ByteBuf message) {
        int bytes = message.readableBytes();
        if (bytes > COPIED_BYTES) {
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
            finishFirst(context, closing);
            context.fireUserEventTriggered(event);
        } else if (!(event instanceof KcpOobMessage message)) {
            context.fireUserEventTriggered(event);
        } else if (controllers.oob() == null || drain != null || gate != null && gate.isFull()) {
            // It may be lost anyway.
            message.release();
        } else {
            post(mailbox == null ? message : message.replace(detached(context, message.content())));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // The end of a session is for @OnClose.
        if (!(cause instanceof KcpCloseException)) {
            OneWarning warning = OneWarning.isPeersMistake(cause) ? controllers.inFront() : null;
            post(new SessionEvents.Failure("a handler in front of the controllers failed", cause, warning));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (gate != null) {
            gate.resume();
        }
        context.fireChannelWritabilityChanged();
    }

    /** Whatever methods may return may be written, too. */
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

    /** When the server closes, what was received is handled and answered first. */
    private void finishFirst(ChannelHandlerContext context, KcpServerCloseEvent closing) {
        if (gate == null || events == null || events.hasFailed()) {
            return;
        }
        SessionDrain finishing = new SessionDrain((KcpChannel) context.channel(), gate);
        drain = finishing;
        finishing.start();
        closing.waitFor(finishing.finished());
    }

    /** Closing means: no more messages. When it comes after a drain, those that still wait need not be answered but are handled. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (events != null && (drain == null || !drain.finished().isDone())) {
            events.dropMessages();
        }
        context.close(promise);
    }
}
