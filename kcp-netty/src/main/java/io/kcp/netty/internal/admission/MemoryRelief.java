package io.kcp.netty.internal.admission;

import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes unvalidated sessions, oldest first, after a memory allocation has failed. Sessions older than
 * {@value UnvalidatedSessions#MAX_AGE_MS} ms and sessions of proved addresses are closed last. Never throws an exception, because an
 * {@link OutOfMemoryError} that reaches Netty's event loop terminates the event loop with all its sessions.
 *
 * @param <S> the type of a session
 */
public final class MemoryRelief<S> {

    /** Maximum number of sessions that are closed after one failed allocation. Closing that many takes some milliseconds. */
    public static final int SESSIONS = 256;
    private static final long LOG_INTERVAL_MS = TimeUnit.SECONDS.toMillis(10);
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.KcpHandler");

    private final UnvalidatedSessions<S> unvalidated;
    private final Consumer<S> evict;
    private boolean logged;
    private long loggedAtMs;

    /**
     * Creates the memory relief of one socket.
     *
     * @param unvalidated the sessions that may be closed
     * @param evict       closes a session that was removed from {@code unvalidated}
     */
    public MemoryRelief(UnvalidatedSessions<S> unvalidated, Consumer<S> evict) {
        this.unvalidated = unvalidated;
        this.evict = evict;
    }

    /** Closes unvalidated sessions and logs their number. */
    public void onOutOfMemory(Channel datagramChannel, OutOfMemoryError shortage, long nowMs) {
        try {
            unvalidated.expire(nowMs);
            int closed = 0;
            for (S session = next(closed, nowMs); session != null; session = next(closed, nowMs)) {
                closed++;
                evict.accept(session);
            }
            log(datagramChannel, shortage, closed, nowMs);
        } catch (OutOfMemoryError again) {
            // Stops here, because memory ran out again. The next failed allocation closes more sessions.
        }
    }

    private @Nullable S next(int closed, long nowMs) {
        if (closed == SESSIONS) {
            return null;
        }
        S young = unvalidated.pollOldest();
        return young == null ? unvalidated.pollEvictable(nowMs) : young;
    }

    private void log(Channel datagramChannel, OutOfMemoryError shortage, int closed, long nowMs) {
        if (!logged || nowMs - loggedAtMs >= LOG_INTERVAL_MS) {
            logged = true;
            loggedAtMs = nowMs;
            LOGGER.warn("{} ran out of memory ({}) and closed {} unvalidated sessions. Reduce maxSessions, or increase -Xmx or "
                + "-XX:MaxDirectMemorySize. This warning is logged at most every {} ms.",
                datagramChannel, shortage.getMessage(), closed, LOG_INTERVAL_MS);
        }
    }
}
