package io.kcp.netty.reconnect;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Has something done later. Tests put a clock of their own in its place. */
@FunctionalInterface
interface Delays {

    /** Those of the event loop. */
    Delays REAL = (loop, task, delay) -> loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);

    /**
     * Has a task run on an event loop.
     *
     * @return what cancels it
     */
    Future<?> schedule(EventLoop loop, Runnable task, Duration delay);
}
