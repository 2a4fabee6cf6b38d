package io.kcp.tools.tunnel;

import io.kcp.netty.KcpListenerStats;
import io.netty.util.concurrent.Future;

/** Represents a running tunnel server or tunnel client. */
interface RunningTunnel extends AutoCloseable {

    /** Returns the counters of all streams. */
    StreamCounters counters();

    /** Collects the statistics of all sessions, open and closed ones. Any thread may call this method. */
    Future<KcpListenerStats> collectStats();

    /**
     * Stops accepting connections, waits for at most the drain time until the open connections have closed, and then closes everything.
     *
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    void drain() throws InterruptedException;

    /** Closes everything without waiting for open connections. */
    @Override
    void close();
}
