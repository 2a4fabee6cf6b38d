package io.kcp.netty.internal.handler;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.KcpSocketStats;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.session.BatchedSessionVisit;
import io.kcp.netty.internal.socket.SocketReceiveBuffer;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds the statistics of the open sessions of one datagram channel to the totals of its closed sessions. Each session counts once: with its
 * current statistics when it is visited, or with its final statistics if it has already closed.
 */
final class ListenerStatsCollector {

    private final KcpListenerStats listener;
    private final @Nullable SocketReceiveBuffer queue;
    private KcpStats sum;
    private FecStats fecSum;
    private final OpenSessionsSum open = new OpenSessionsSum();

    private ListenerStatsCollector(KcpListenerStats listener, @Nullable SocketReceiveBuffer queue) {
        this.listener = listener;
        this.queue = queue;
        sum = listener.sessions();
        fecSum = listener.fec();
    }

    /**
     * Starts adding the statistics of the open sessions, which may take several event-loop iterations. Must be called on the event loop.
     *
     * @param listener the statistics of the channel, with closed sessions only
     * @param queue    the receive buffer of the channel, or null if the kernel does not report its state
     * @param promise  completed with the sum
     */
    static void start(EventExecutor executor, List<DefaultKcpChannel> sessions, KcpListenerStats listener,
        @Nullable SocketReceiveBuffer queue,
        Promise<KcpListenerStats> promise) {
        ListenerStatsCollector collector = new ListenerStatsCollector(listener, queue);
        new BatchedSessionVisit<>(executor, sessions, collector::add, promise, () -> promise.trySuccess(collector.result())).run();
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
        return listener.withSessions(sum, fecSum, open.result(), new KcpSocketStats(listener.activeSessions(), sum.datagramsIn(),
            sum.datagramsOut(), queue == null ? 0 : queue.drops(), queue == null ? 0 : queue.bytes(),
            queue == null ? 0 : queue.limitBytes()));
    }
}
