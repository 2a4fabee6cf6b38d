package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads on what a session that is to be closed had received, until nothing is in flight and a read brings nothing more. Of a peer
 * that never stops sending, it reads as many messages as can have been received when it began. For answers that the peer does not
 * take it waits as long as a close does. Stands first in the pipeline, to see messages as KCP has them. On the event loop.
 */
final class SessionDrain extends ChannelInboundHandlerAdapter {

    /** Received and acknowledged are a receive window that waits to be read, and at most another one behind it. */
    private static final int WINDOWS = 2;

    private final KcpChannel session;
    private final ReadGate gate;
    private final Promise<Void> finished;
    private long stillToRead;
    private @Nullable Future<?> patience;

    SessionDrain(KcpChannel session, ReadGate gate) {
        this.session = session;
        this.gate = gate;
        finished = session.eventLoop().newPromise();
        stillToRead = (long) WINDOWS * session.config().kcp().receiveWindow();
    }

    /** Begins. */
    void start() {
        session.pipeline().addFirst(this);
        gate.whenIdle(this::look);
        lookLater();
    }

    /** Succeeds when the session may be closed. */
    Future<Void> finished() {
        return finished;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (--stillToRead <= 0) {
            gate.shut();
        }
        context.fireChannelRead(message);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
        lookLater();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
        lookLater();
    }

    /** What is being read just now, by whoever calls this, comes first. */
    private void lookLater() {
        gate.onLoop(this::look);
    }

    private void look() {
        Future<?> waiting = patience;
        if (waiting != null) {
            waiting.cancel(false);
            patience = null;
        }
        if (finished.isDone() || !gate.isIdle()) {
            return;
        }
        if (gate.resume()) {
            lookLater();
        } else if (gate.isHolding() && session.isActive()) {
            EventExecutor loop = session.eventLoop();
            patience = loop.schedule(this::giveUpOnPeer, session.config().lingerMs(), TimeUnit.MILLISECONDS);
        } else {
            gate.shut();
            finished.trySuccess(null);
        }
    }

    private void giveUpOnPeer() {
        if (!session.isWritable()) {
            gate.shut();
        }
        look();
    }
}
