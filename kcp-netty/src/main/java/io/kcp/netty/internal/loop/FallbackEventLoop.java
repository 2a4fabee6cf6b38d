package io.kcp.netty.internal.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Delegates to an event loop and, once that has terminated, runs rejected tasks on {@link GlobalEventExecutor}, so that listeners are still
 * notified. This class catches the rejection instead of checking the state of the event loop first, because the event loop may terminate
 * between the check and the call.
 */
public final class FallbackEventLoop extends AbstractEventExecutor implements EventLoop {

    private final EventLoop loop;

    /** Creates an event loop that delegates to the given event loop. */
    public FallbackEventLoop(EventLoop loop) {
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
     * Returns {@code true} if the given thread is the thread of the event loop. Once that event loop has terminated, also returns
     * {@code true} for the thread of {@link GlobalEventExecutor}, so that pipelines run their calls there.
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
}
