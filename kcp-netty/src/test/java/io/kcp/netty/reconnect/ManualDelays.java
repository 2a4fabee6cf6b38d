package io.kcp.netty.reconnect;

import io.kcp.netty.Loopback;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Delays that elapse when the test requests it, in the order in which they were scheduled. */
final class ManualDelays implements Delays {

    record Delay(EventLoop loop, Runnable task, Duration length, Promise<Void> promise) {

        boolean isCancelled() {
            return promise.isCancelled();
        }

        /** Lets the delay elapse, unless it was cancelled. */
        void pass() {
            loop.execute(() -> {
                if (promise.setUncancellable()) {
                    task.run();
                }
            });
        }
    }

    private final BlockingQueue<Delay> begun = new LinkedBlockingQueue<>();

    @Override
    public Future<?> schedule(EventLoop loop, Runnable task, Duration length) {
        Delay delay = new Delay(loop, task, length, loop.newPromise());
        begun.add(delay);
        return delay.promise;
    }

    /** Waits until the next delay is scheduled, and returns it. */
    Delay next() throws InterruptedException {
        Delay delay = begun.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        if (delay == null) {
            throw new AssertionError("nothing waits");
        }
        return delay;
    }

    /** Waits until the next delay is scheduled, verifies its length and lets it elapse. */
    void pass(Duration length) throws InterruptedException {
        Delay delay = next();
        if (!delay.length.equals(length)) {
            throw new AssertionError("waits for " + delay.length + ", not for " + length);
        }
        delay.pass();
    }
}
