package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes sessions that are not validated, the oldest first, when an allocation has failed. Throws nothing, even if memory runs out
 * meanwhile: an {@link OutOfMemoryError} that reaches Netty's loop, or its logger, ends the loop with all its sessions.
 */
final class MemoryRelief {

    /** What one failed allocation closes at most: some milliseconds of work. */
    static final int SESSIONS = 256;
    private static final long LOG_INTERVAL_MS = TimeUnit.SECONDS.toMillis(10);
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpHandler.class);

    private final UnvalidatedSessions<DefaultKcpChannel> unvalidated;
    private boolean logged;
    private long loggedAtMs;

    MemoryRelief(UnvalidatedSessions<DefaultKcpChannel> unvalidated) {
        this.unvalidated = unvalidated;
    }

    void onOutOfMemory(Channel datagramChannel, OutOfMemoryError shortage, long nowMs) {
        try {
            unvalidated.expire(nowMs);
            int closed = 0;
            for (DefaultKcpChannel session = next(closed); session != null; session = next(closed)) {
                closed++;
                session.closeWith(KcpCloseReason.EVICTED);
            }
            log(datagramChannel, shortage, closed, nowMs);
        } catch (OutOfMemoryError again) {
            // The next allocation that fails closes more sessions.
        }
    }

    private @Nullable DefaultKcpChannel next(int closed) {
        return closed < SESSIONS ? unvalidated.pollOldest() : null;
    }

    private void log(Channel datagramChannel, OutOfMemoryError shortage, int closed, long nowMs) {
        if (!logged || nowMs - loggedAtMs >= LOG_INTERVAL_MS) {
            logged = true;
            loggedAtMs = nowMs;
            LOGGER.warn("{} ran out of memory ({}) and closed {} sessions that were not validated. Lower maxSessions, or raise -Xmx or "
                + "-XX:MaxDirectMemorySize. Logged at most every {} ms.", datagramChannel, shortage.getMessage(), closed, LOG_INTERVAL_MS);
        }
    }
}
