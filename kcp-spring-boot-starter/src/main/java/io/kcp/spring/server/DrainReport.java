package io.kcp.spring.server;

import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.netty.util.concurrent.FutureListener;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Says once how a drain ended: when all sessions are closed, or when those that are left are about to be. */
final class DrainReport {

    private static final Log LOG = LogFactory.getLog(NettyKcpServer.class);

    private final String server;
    private final KcpServerChannel channel;
    private final CompletableFuture<@Nullable KcpListenerStats> before;
    private @Nullable CompletableFuture<?> said;

    /** Counts what was cut off before, which is none of the drain's doing. */
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
     * Counts what was cut off, and logs it.
     *
     * @return done when that was said, by this call or an earlier one
     */
    synchronized CompletableFuture<?> say() {
        if (said == null) {
            said = before.thenAcceptBoth(stats(), this::log);
        }
        return said;
    }

    private void log(@Nullable KcpListenerStats begin, @Nullable KcpListenerStats end) {
        if (begin == null || end == null) {
            LOG.warn(server + " ended before it could be told which sessions were cut off");
            return;
        }
        long unfinished = end.activeSessions() + closed(end, KcpCloseReason.PARENT_CLOSED) - closed(begin, KcpCloseReason.PARENT_CLOSED);
        long undelivered = end.undelivered() - begin.undelivered();
        String line = server + " has no more sessions"
            + (unfinished == 0 ? "" : "; " + unfinished + " had not finished within spring.lifecycle.timeout-per-shutdown-phase")
            + (undelivered == 0 ? "" : "; the peers of " + undelivered + " did not acknowledge all data");
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
