package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;

/**
 * Reads on what a session whose server closes had received, until nothing is in flight and a read brings nothing more. Of a peer
 * that never stops sending, it reads as many messages as can have been received when it began. A peer that takes none of what is
 * written to it within the linger time is not waited for, also if methods are: they may wait for it. Stands first in the pipeline, to
 * see messages as KCP has them. On the event loop.
 */
final class SessionDrain extends ChannelInboundHandlerAdapter {

    /** Received and acknowledged are a receive window that waits to be read, and at most another one behind it. */
    private static final int WINDOWS = 2;

    private final KcpChannel session;
    private final ReadGate gate;
    private final Promise<Void> finished;
    private final PeerProgress progress;
    private long stillToRead;

    SessionDrain(KcpChannel session, ReadGate gate) {
        this.session = session;
        this.gate = gate;
        finished = session.eventLoop().newPromise();
        progress = new PeerProgress(session, this::finish);
        stillToRead = (long) WINDOWS * session.config().kcp().receiveWindow();
    }

    /** Begins. */
    void start() {
        session.pipeline().addFirst(this);
        gate.whenIdle(this::look);
        progress.watch();
        readAll();
        lookLater();
    }

    /** Succeeds when the session may be closed, or has ended by itself. */
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
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        readAll();
    }

    /** Without auto-read nobody may ask for what was received, and acknowledged, already. */
    private void readAll() {
        if (!finished.isDone() && !session.config().isAutoRead()) {
            session.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
        lookLater();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
        finish();
    }

    /** What is being read just now, by whoever calls this, comes first. */
    private void lookLater() {
        gate.onLoop(this::look);
    }

    private void look() {
        if (finished.isDone() || !gate.isIdle()) {
            return;
        }
        if (gate.resume()) {
            lookLater();
        } else if (!gate.isHolding()) {
            finish();
        }
    }

    private void finish() {
        gate.shut();
        progress.stop();
        finished.trySuccess(null);
    }
}
