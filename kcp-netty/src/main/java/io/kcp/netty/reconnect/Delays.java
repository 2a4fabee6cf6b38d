package io.kcp.netty.reconnect;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Schedules delayed tasks. Tests replace it to control the time. */
@FunctionalInterface
interface Delays {

    /** Schedules tasks with the timers of the event loop. */
    Delays REAL = (loop, task, delay) -> loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);

    /**
     * Schedules a task on an event loop.
     *
     * @return a future that cancels the task
     */
    Future<?> schedule(EventLoop loop, Runnable task, Duration delay);
}
