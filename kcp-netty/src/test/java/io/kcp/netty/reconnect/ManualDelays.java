package io.kcp.netty.reconnect;

import io.kcp.netty.Loopback;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Delays that are over when the test says so, one after the other. */
final class ManualDelays implements Delays {

    record Delay(EventLoop loop, Runnable task, Duration length, Promise<Void> promise) {

        boolean isCancelled() {
            return promise.isCancelled();
        }

        /** Has it be over, unless it was cancelled. */
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

    /** Waits until the next one begins. */
    Delay next() throws InterruptedException {
        Delay delay = begun.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        if (delay == null) {
            throw new AssertionError("nothing waits");
        }
        return delay;
    }

    /** Waits until the next one begins, which must be as long as that, and has it be over. */
    void pass(Duration length) throws InterruptedException {
        Delay delay = next();
        if (!delay.length.equals(length)) {
            throw new AssertionError("waits for " + delay.length + ", not for " + length);
        }
        delay.pass();
    }
}
