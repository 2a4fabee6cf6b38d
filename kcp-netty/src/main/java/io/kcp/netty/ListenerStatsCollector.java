package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.session.SessionSweep;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;

/**
 * Adds the statistics of the open sessions of one datagram channel to the totals of its closed sessions. Each session counts once: with its
 * current statistics when it is visited, or with its final statistics if it has already closed.
 */
final class ListenerStatsCollector {

    private final KcpListenerStats listener;
    private KcpStats sum;
    private FecStats fecSum;
    private final OpenSessionsSum open = new OpenSessionsSum();

    private ListenerStatsCollector(KcpListenerStats listener) {
        this.listener = listener;
        sum = listener.sessions();
        fecSum = listener.fec();
    }

    /**
     * Starts adding the statistics of the open sessions, which may take several event-loop iterations. Must be called on the event loop.
     *
     * @param listener the statistics of the channel, with closed sessions only
     * @param promise  completed with the sum
     */
    static void start(EventExecutor executor, List<DefaultKcpChannel> sessions, KcpListenerStats listener,
        Promise<KcpListenerStats> promise) {
        ListenerStatsCollector collector = new ListenerStatsCollector(listener);
        new SessionSweep<>(executor, sessions, collector::add, promise, () -> promise.trySuccess(collector.result())).run();
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
