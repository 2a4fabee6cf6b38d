package io.kcp.netty.internal.loop;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The sockets of an event loop whose latest read batch did not drain them. */
final class Backlogs {

    /** The backlog of one socket, linked with the backlogs that began before and after it. */
    private static final class Backlog {
        final Channel socket;
        final long sinceMs;
        boolean readSinceDeadlines = true;
        @Nullable Backlog earlier;
        @Nullable Backlog later;

        Backlog(Channel socket, long sinceMs) {
            this.socket = socket;
            this.sinceMs = sinceMs;
        }
    }

    private final Map<Channel, Backlog> bySocket = new HashMap<>(2);
    private @Nullable Backlog latest;

    /**
     * Records that a read batch has ended.
     *
     * @param socket  the socket of the batch
     * @param drained {@code false} if more datagrams are presumably waiting in the socket
     * @param nowMs   reads the clock, which is necessary only if a backlog begins
     */
    void onRead(Channel socket, boolean drained, LongSupplier nowMs) {
        if (drained && latest == null) {
            return;
        }
        Backlog backlog = bySocket.get(socket);
        if (drained) {
            remove(backlog);
        } else if (backlog == null) {
            begin(new Backlog(socket, nowMs.getAsLong()));
        } else {
            backlog.readSinceDeadlines = true;
        }
    }

    /** Records that the timers run. A socket was empty by chance after a full read batch if it was not read since the previous call. */
    void onDeadlines() {
        Backlog backlog = latest;
        while (backlog != null) {
            Backlog earlier = backlog.earlier;
            if (backlog.readSinceDeadlines) {
                backlog.readSinceDeadlines = false;
            } else {
                remove(backlog);
            }
            backlog = earlier;
        }
    }

    /** Removes a socket that is closed. */
    void remove(Channel socket) {
        remove(bySocket.get(socket));
    }

    /** Returns {@code true} if a socket has a backlog that began less than {@code maxMs} ago. */
    boolean isRecent(long nowMs, int maxMs) {
        Backlog backlog = latest;
        return backlog != null && nowMs - backlog.sinceMs < maxMs;
    }

    private void begin(Backlog backlog) {
        bySocket.put(backlog.socket, backlog);
        Backlog earlier = latest;
        backlog.earlier = earlier;
        if (earlier != null) {
            earlier.later = backlog;
        }
        latest = backlog;
    }

    private void remove(@Nullable Backlog backlog) {
        if (backlog == null) {
            return;
        }
        bySocket.remove(backlog.socket);
        Backlog earlier = backlog.earlier;
        Backlog later = backlog.later;
        if (earlier != null) {
            earlier.later = later;
        }
        if (later == null) {
            latest = earlier;
        } else {
            later.earlier = earlier;
        }
    }
}
