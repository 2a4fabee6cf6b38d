package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Opens many sessions, of which only so many at a time wait for their first answer. */
final class SessionCrowd {

    private static final int MOST_UNANSWERED = 256;
    private static final double POLL_SECONDS = 0.001;
    private static final long PATIENCE_SECONDS = 30;

    private final LoadRun run;
    private final Semaphore mayOpen = new Semaphore(MOST_UNANSWERED);
    private int opened;

    SessionCrowd(LoadRun run) {
        this.run = run;
    }

    int opened() {
        return opened;
    }

    /** Opens sessions until there are that many and each has told that it was {@link #answered()}. */
    void open(int count, Supplier<? extends ChannelHandler> handlers) {
        while (opened < count) {
            acquire(1);
            KcpFuture<KcpChannel> session = run.sockets.open(handlers.get());
            session.addListener((ChannelFutureListener) future -> {
                if (!future.isSuccess()) {
                    run.end.failed(future.cause());
                }
            });
            opened++;
        }
        acquire(MOST_UNANSWERED);
        mayOpen.release(MOST_UNANSWERED);
    }

    /** Called by the handler of each session when its first answer is there. */
    void answered() {
        mayOpen.release();
    }

    private void acquire(int permits) {
        int available = mayOpen.availablePermits();
        long changedNs = System.nanoTime();
        while (!mayOpen.tryAcquire(permits)) {
            // Throws if the program ends meanwhile.
            run.end.pause(POLL_SECONDS);
            if (mayOpen.availablePermits() != available) {
                available = mayOpen.availablePermits();
                changedNs = System.nanoTime();
            } else if (System.nanoTime() - changedNs > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IllegalStateException("no answer in " + PATIENCE_SECONDS + " s for " + (MOST_UNANSWERED - available)
                    + " of " + opened + " sessions");
            }
        }
    }
}
