package io.kcp.netty.internal.session;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Calls an action for each session of one datagram channel, with a limited number of calls in each event-loop iteration. Calling the action
 * for a hundred thousand sessions takes a tenth of a second, which is too long to delay the traffic of a session.
 */
public final class BatchedSessionVisit<S> implements Runnable {

    /** Maximum number of sessions visited in one event-loop iteration. Visiting that many takes about a tenth of a millisecond. */
    private static final int MAX_SESSIONS_PER_ITERATION = 128;

    private final EventExecutor executor;
    private final List<S> sessions;
    private final Consumer<S> visit;
    private final Promise<?> promise;
    private final Runnable then;
    private int next;

    /**
     * Creates a sweep over the given sessions, which {@link #run} starts.
     *
     * @param promise failed if a visit fails or the next step cannot be scheduled; the sweep then stops
     * @param then    called after the last visit, unless the promise is done
     */
    public BatchedSessionVisit(EventExecutor executor, List<S> sessions, Consumer<S> visit, Promise<?> promise,
        Runnable then) {
        this.executor = executor;
        this.sessions = sessions;
        this.visit = visit;
        this.promise = promise;
        this.then = then;
    }

    @Override
    public void run() {
        visit(Math.min(next + MAX_SESSIONS_PER_ITERATION, sessions.size()));
        if (promise.isDone()) {
            return;
        }
        if (next == sessions.size()) {
            finish();
            return;
        }
        try {
            scheduleNextIteration();
        } catch (RuntimeException | OutOfMemoryError failure) {
            // Fails the promise, so that an operation that waits for it, such as closing a server, does not wait forever.
            promise.tryFailure(failure);
        }
    }

    private void scheduleNextIteration() {
        // Uses schedule() instead of execute(), because the event loop would run all tasks submitted with execute() before polling for
        // datagrams again.
        executor.schedule(this, 0, TimeUnit.NANOSECONDS).addListener(iteration -> {
            if (iteration.isCancelled()) {
                // The event loop is shutting down, so the remaining sessions are visited immediately.
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
