package io.kcp.spring.handler;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;

/**
 * Drains a session when its server closes, so that messages which KCP has already acknowledged are still read and handled. The drain is in
 * one of three states:
 *
 * <ul>
 * <li><b>reading</b>: messages are read and handled, at most two receive windows of them;</li>
 * <li><b>handling</b>: the read budget is used up, no more messages are read, and messages are still in flight;</li>
 * <li><b>finished</b>: the session may be closed.</li>
 * </ul>
 *
 * The drain finishes from either of the first two states when no message is in flight and no read request is deferred, when the peer has
 * acknowledged nothing for the linger time, or when the session closes. A stalled peer ends the drain even while methods run, because the
 * methods may be waiting for their writes to be acknowledged.
 *
 * <p>The drain is the first handler of the pipeline, so that it counts messages before decoders change them. All methods run on the event
 * loop.
 */
final class SessionDrain extends ChannelInboundHandlerAdapter {

    /**
     * Maximum number of messages that a drain reads, as a multiple of the receive window. KCP may acknowledge a second window of segments
     * while the first one is being read.
     */
    private static final int RECEIVE_WINDOWS = 2;

    private final Channel channel;
    private final ReadGate gate;
    private final Promise<Void> finished;
    private final StalledPeerDetector stalledPeer;
    private long readBudget;

    SessionDrain(ControllerChannel drained, ReadGate gate) {
        this.gate = gate;
        channel = drained.channel();
        finished = channel.eventLoop().newPromise();
        stalledPeer = new StalledPeerDetector(drained.session(), this::finish);
        readBudget = (long) RECEIVE_WINDOWS * drained.session().config().kcp().maxReceiveWindow();
    }

    void start() {
        channel.pipeline().addFirst(this);
        gate.onIdle(this::check);
        stalledPeer.start();
        readWithoutAutoRead();
        checkLater();
    }

    /** Returns a future that succeeds when the drain is finished. */
    Future<Void> finished() {
        return finished;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (--readBudget <= 0) {
            gate.shut();
        }
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        readWithoutAutoRead();
    }

    /** If auto-read is off, requests a read in place of the application, which might never read the messages that KCP has acknowledged. */
    private void readWithoutAutoRead() {
        if (!finished.isDone() && !channel.config().isAutoRead()) {
            channel.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
        checkLater();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
        finish();
    }

    /** Schedules the check as a separate task, so that a read in progress delivers its messages first. */
    private void checkLater() {
        gate.runOnLoop(this::check);
    }

    private void check() {
        if (finished.isDone() || !gate.isIdle()) {
            return;
        }
        if (gate.resume()) {
            checkLater();
        } else if (!gate.hasDeferredRead()) {
            // Finishes draining in a separate task, which runs after the responses that other threads have already queued.
            gate.runOnLoop(this::finishIfIdle);
        }
    }

    private void finishIfIdle() {
        if (gate.isIdle() && !gate.hasDeferredRead()) {
            finish();
        }
    }

    private void finish() {
        gate.shut();
        stalledPeer.stop();
        finished.trySuccess(null);
    }
}
