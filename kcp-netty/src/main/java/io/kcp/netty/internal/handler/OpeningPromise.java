package io.kcp.netty.internal.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.loop.FallbackEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.GenericFutureListener;
import java.nio.channels.ClosedChannelException;

/**
 * A promise that completes when a channel is open. Unlike Netty's own promises, it notifies its listeners even after the event loop
 * has terminated.
 *
 * @param <C> type of the channel
 */
public final class OpeningPromise<C extends Channel> extends DefaultChannelPromise implements KcpFuture<C> {

    private final C channel;
    private final EventLoop loop;

    public OpeningPromise(C channel, EventLoop loop) {
        super(channel, new FallbackEventLoop(loop));
        this.channel = channel;
        this.loop = loop;
    }

    /** Creates the promise that {@code connect} returns before the new session is registered. */
    public static OpeningPromise<KcpChannel> ofSession(DefaultKcpChannel session, EventLoop loop) {
        session.setHomeLoop(loop);
        return new OpeningPromise<KcpChannel>(session, loop).failWithSession(session);
    }

    /** Closes a session whose event loop terminated before the session was registered. Listeners of its close future are notified. */
    public static void closeUnregistered(DefaultKcpChannel session, EventLoop terminated) {
        session.setHomeLoop(new FallbackEventLoop(terminated));
        session.unsafe().close(session.unsafe().voidPromise());
    }

    /** Fails this promise if the event loop terminates before the channel is open. */
    public OpeningPromise<C> failWithLoop() {
        FutureListener<Object> onTerminated = terminated -> tryFailure(new ClosedChannelException());
        loop.terminationFuture().addListener(onTerminated);
        addListener(done -> loop.terminationFuture().removeListener(onTerminated));
        return this;
    }

    /** Fails this promise with the close cause of the session if the session closes before the channel is open. */
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
