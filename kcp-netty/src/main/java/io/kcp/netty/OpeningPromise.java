package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.GenericFutureListener;
import java.nio.channels.ClosedChannelException;

/**
 * Completes when a channel is open. An event loop that has ended runs no listeners, so Netty's own futures would never notify them;
 * this one then notifies its listeners on another thread.
 *
 * @param <C> type of the channel
 */
final class OpeningPromise<C extends Channel> extends DefaultChannelPromise implements KcpFuture<C> {

    private final C channel;
    private final EventLoop loop;

    OpeningPromise(C channel, EventLoop loop) {
        super(channel, new LastingLoop(loop));
        this.channel = channel;
        this.loop = loop;
    }

    /** Has this fail if the loop ends before the channel is open. */
    OpeningPromise<C> failWithLoop() {
        FutureListener<Object> onLoopEnded = ended -> tryFailure(new ClosedChannelException());
        loop.terminationFuture().addListener(onLoopEnded);
        addListener(done -> loop.terminationFuture().removeListener(onLoopEnded));
        return this;
    }

    /** Has this fail with the failure because of which the application closes the session before it is open. */
    OpeningPromise<C> failWithSession(KcpChannel session) {
        ChannelFutureListener onClosed = closed -> {
            Throwable cause = session.closeCause();
            if (cause != null) {
                tryFailure(cause);
            }
        };
        session.closeFuture().addListener(onClosed);
        addListener(done -> session.closeFuture().removeListener(onClosed));
        return this;
    }

    @Override
    public C channel() {
        return channel;
    }

    @Override
    public OpeningPromise<C> sync() throws InterruptedException {
        super.sync();
        return this;
    }

    @Override
    public OpeningPromise<C> syncUninterruptibly() {
        super.syncUninterruptibly();
        return this;
    }

    @Override
    public OpeningPromise<C> await() throws InterruptedException {
        super.await();
        return this;
    }

    @Override
    public OpeningPromise<C> awaitUninterruptibly() {
        super.awaitUninterruptibly();
        return this;
    }

    @Override
    public OpeningPromise<C> addListener(GenericFutureListener<? extends Future<? super Void>> listener) {
        super.addListener(listener);
        return this;
    }

    @Override
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final OpeningPromise<C> addListeners(GenericFutureListener<? extends Future<? super Void>>... listeners) {
        super.addListeners(listeners);
        return this;
    }

    @Override
    public OpeningPromise<C> removeListener(GenericFutureListener<? extends Future<? super Void>> listener) {
        super.removeListener(listener);
        return this;
    }

    @Override
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final OpeningPromise<C> removeListeners(GenericFutureListener<? extends Future<? super Void>>... listeners) {
        super.removeListeners(listeners);
        return this;
    }
}
