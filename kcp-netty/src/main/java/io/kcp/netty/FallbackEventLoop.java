package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.GenericFutureListener;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Delegates to an event loop and, once that has terminated, runs rejected tasks on {@link GlobalEventExecutor}, so that listeners are still
 * notified. This class catches the rejection instead of checking the state of the event loop first, because the event loop may terminate
 * between the check and the call.
 */
final class FallbackEventLoop extends AbstractEventExecutor implements EventLoop {

    private final EventLoop loop;

    FallbackEventLoop(EventLoop loop) {
        super(loop.parent());
        this.loop = loop;
    }

    @Override
    public void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException terminated) {
            GlobalEventExecutor.INSTANCE.execute(task);
        }
    }

    /**
     * Returns {@code true} for the thread of the event loop. Once that event loop has terminated, also returns {@code true} for the thread
     * of {@link GlobalEventExecutor}, so that pipelines run their calls there.
     */
    @Override
    public boolean inEventLoop(Thread thread) {
        return loop.inEventLoop(thread) || loop.isShutdown() && GlobalEventExecutor.INSTANCE.inEventLoop(thread);
    }

    @Override
    public EventLoopGroup parent() {
        return loop.parent();
    }

    @Override
    public EventLoop next() {
        return this;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return loop.register(channel);
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        return loop.register(promise);
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        return loop.register(channel, promise);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return loop.schedule(task, delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        return loop.schedule(task, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return loop.scheduleAtFixedRate(task, initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
        return loop.scheduleWithFixedDelay(task, initialDelay, delay, unit);
    }

    @Override
    public boolean isShuttingDown() {
        return loop.isShuttingDown();
    }

    @Override
    public boolean isShutdown() {
        return loop.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return loop.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return loop.awaitTermination(timeout, unit);
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        return loop.shutdownGracefully(quietPeriod, timeout, unit);
    }

    @Override
    public Future<?> terminationFuture() {
        return loop.terminationFuture();
    }

    @Override
    @Deprecated
    public void shutdown() {
        loop.shutdown();
    }

    /** Closes a session whose event loop terminated before the session was registered. Listeners of its close future are notified. */
    static void close(DefaultKcpChannel session, EventLoop terminated) {
        session.setHomeLoop(new FallbackEventLoop(terminated));
        session.unsafe().close(session.unsafe().voidPromise());
    }

    /**
     * A promise that completes when a channel is open. Unlike Netty's own promises, it notifies its listeners even after the event loop
     * has terminated.
     *
     * @param <C> type of the channel
     */
    static final class OpeningPromise<C extends Channel> extends DefaultChannelPromise implements KcpFuture<C> {

        private final C channel;
        private final EventLoop loop;

        OpeningPromise(C channel, EventLoop loop) {
            super(channel, new FallbackEventLoop(loop));
            this.channel = channel;
            this.loop = loop;
        }

        /** Fails this promise if the event loop terminates before the channel is open. */
        OpeningPromise<C> failWithLoop() {
            FutureListener<Object> onTerminated = terminated -> tryFailure(new ClosedChannelException());
            loop.terminationFuture().addListener(onTerminated);
            addListener(done -> loop.terminationFuture().removeListener(onTerminated));
            return this;
        }

        /** Fails this promise with the close cause of the session if the session closes before it is open. */
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
}
