package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Adds up what all sessions of one datagram channel did, some in each turn of its event loop: to look at a hundred
 * thousand of them takes a tenth of a second, which no session must wait. What a session did is counted once, by the state in
 * which it is found, or in which it ended.
 */
final class StatsSweep implements Runnable {

    /** About a tenth of a millisecond. */
    private static final int SESSIONS_A_TURN = 128;

    private final EventExecutor executor;
    private final List<DefaultKcpChannel> sessions;
    private final KcpListenerStats listener;
    private final Promise<KcpListenerStats> promise;
    private KcpStats sum;
    private FecStats fecSum;
    private int next;

    /**
     * Begins a sweep, which {@link #run} goes on with.
     *
     * @param listener what is known without looking at the sessions that are open, closed ones included
     */
    StatsSweep(EventExecutor executor, List<DefaultKcpChannel> sessions, KcpListenerStats listener, Promise<KcpListenerStats> promise) {
        this.executor = executor;
        this.sessions = sessions;
        this.listener = listener;
        this.promise = promise;
        sum = listener.sessions();
        fecSum = listener.fec();
    }

    @Override
    public void run() {
        visit(Math.min(next + SESSIONS_A_TURN, sessions.size()));
        if (next < sessions.size()) {
            // Not execute: such tasks run until there are none, before the loop looks for datagrams.
            executor.schedule(this, 0, TimeUnit.NANOSECONDS).addListener(turn -> {
                if (turn.isCancelled()) {
                    // The loop shuts down.
                    visit(sessions.size());
                    finish();
                }
            });
        } else {
            finish();
        }
    }

    private void finish() {
        promise.trySuccess(listener.withSessions(sum, fecSum));
    }

    private void visit(int end) {
        for (; next < end; next++) {
            KcpSessionStats stats = sessions.get(next).stats();
            sum = sum.plus(stats.counters());
            fecSum = fecSum.plus(stats.fec());
        }
    }
}
