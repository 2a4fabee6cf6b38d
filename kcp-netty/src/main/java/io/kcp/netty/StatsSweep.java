package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;

/**
 * Adds up what all sessions of one datagram channel did. What a session did is counted once, by the state in which it is
 * found, or in which it ended.
 */
final class StatsSweep {

    private final KcpListenerStats listener;
    private KcpStats sum;
    private FecStats fecSum;
    private final OpenSessionsSum open = new OpenSessionsSum();

    private StatsSweep(KcpListenerStats listener) {
        this.listener = listener;
        sum = listener.sessions();
        fecSum = listener.fec();
    }

    /**
     * Begins a sweep; on the event loop.
     *
     * @param listener what is known without looking at the sessions that are open, closed ones included
     */
    static void start(EventExecutor executor, List<DefaultKcpChannel> sessions, KcpListenerStats listener,
        Promise<KcpListenerStats> promise) {
        StatsSweep sweep = new StatsSweep(listener);
        new SessionSweep(executor, sessions, sweep::add, promise, () -> promise.trySuccess(sweep.result())).run();
    }

    private void add(DefaultKcpChannel session) {
        KcpSessionStats stats = session.stats();
        sum = sum.plus(stats.counters());
        fecSum = fecSum.plus(stats.fec());
        if (session.isOpen()) {
            open.add(stats);
        }
    }

    private KcpListenerStats result() {
        return listener.withSessions(sum, fecSum, open.result());
    }
}
