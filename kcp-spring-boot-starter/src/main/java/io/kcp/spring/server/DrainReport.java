package io.kcp.spring.server;

import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.netty.util.concurrent.FutureListener;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Logs the result of a server's graceful shutdown at most once. */
final class DrainReport {

    private static final Log LOG = LogFactory.getLog(NettyKcpServer.class);

    private final String server;
    private final KcpServerChannel channel;
    private final CompletableFuture<@Nullable KcpListenerStats> before;
    private @Nullable CompletableFuture<?> logged;

    /**
     * Creates a report and collects the current statistics, so that the report can exclude sessions that were closed before the shutdown.
     */
    DrainReport(String server, KcpServerChannel channel) {
        this.server = server;
        this.channel = channel;
        before = stats();
    }

    private CompletableFuture<@Nullable KcpListenerStats> stats() {
        CompletableFuture<@Nullable KcpListenerStats> counted = new CompletableFuture<>();
        channel.collectStats().addListener((FutureListener<KcpListenerStats>) stats ->
            counted.complete(stats.isSuccess() ? stats.getNow() : null));
        return counted;
    }

    /**
     * Logs the report, unless it has already been logged.
     *
     * @return a future that completes when the report is logged
     */
    synchronized CompletableFuture<?> log() {
        if (logged == null) {
            logged = before.thenAcceptBoth(stats(), this::log);
        }
        return logged;
    }

    private void log(@Nullable KcpListenerStats begin, @Nullable KcpListenerStats end) {
        if (begin == null || end == null) {
            LOG.warn(server + " stopped before it could collect statistics about unfinished sessions");
            return;
        }
        long unfinished = end.activeSessions() + closed(end, KcpCloseReason.PARENT_CLOSED) - closed(begin, KcpCloseReason.PARENT_CLOSED);
        long undelivered = end.undelivered() - begin.undelivered();
        String line = server + " has no more sessions"
            + (unfinished == 0 ? "" : "; sessions that did not finish within spring.lifecycle.timeout-per-shutdown-phase: " + unfinished)
            + (undelivered == 0 ? "" : "; sessions whose peers did not acknowledge all data: " + undelivered);
        if (unfinished == 0 && undelivered == 0) {
            LOG.info(line);
        } else {
            LOG.warn(line);
        }
    }

    private static long closed(KcpListenerStats stats, KcpCloseReason reason) {
        return stats.closed().getOrDefault(reason, 0L);
    }
}
