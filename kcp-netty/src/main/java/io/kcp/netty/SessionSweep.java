package io.kcp.netty;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Visits sessions of one datagram channel, some in each turn of its event loop: to look at a hundred thousand of them takes a
 * tenth of a second, which no session must wait.
 */
final class SessionSweep implements Runnable {

    /** About a tenth of a millisecond. */
    private static final int SESSIONS_A_TURN = 128;

    private final EventExecutor executor;
    private final List<DefaultKcpChannel> sessions;
    private final Consumer<DefaultKcpChannel> visit;
    private final Promise<?> promise;
    private final Runnable then;
    private int next;

    /**
     * Begins a sweep, which {@link #run} goes on with.
     *
     * @param promise fails if a visit fails or the next turn cannot be scheduled, which ends the sweep
     * @param then    what is done at the end
     */
    SessionSweep(EventExecutor executor, List<DefaultKcpChannel> sessions, Consumer<DefaultKcpChannel> visit, Promise<?> promise,
        Runnable then) {
        this.executor = executor;
        this.sessions = sessions;
        this.visit = visit;
        this.promise = promise;
        this.then = then;
    }

    @Override
    public void run() {
        visit(Math.min(next + SESSIONS_A_TURN, sessions.size()));
        if (promise.isDone()) {
            return;
        }
        if (next == sessions.size()) {
            finish();
            return;
        }
        try {
            scheduleNextTurn();
        } catch (RuntimeException | OutOfMemoryError failure) {
            // Whatever waits for the sweep, such as the close of a server, must not wait for ever.
            promise.tryFailure(failure);
        }
    }

    private void scheduleNextTurn() {
        // Not execute: such tasks run until there are none, before the loop looks for datagrams.
        executor.schedule(this, 0, TimeUnit.NANOSECONDS).addListener(turn -> {
            if (turn.isCancelled()) {
                // The loop shuts down.
                visit(sessions.size());
                finish();
            }
        });
    }

    private void finish() {
        if (!promise.isDone()) {
            then.run();
        }
    }

    private void visit(int end) {
        try {
            while (next < end) {
                visit.accept(sessions.get(next++));
            }
        } catch (RuntimeException | Error failure) {
            promise.tryFailure(failure);
        }
    }
}
