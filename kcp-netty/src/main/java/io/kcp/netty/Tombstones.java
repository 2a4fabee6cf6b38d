package io.kcp.netty;

import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers sessions that were closed a while ago, so that a late or replayed datagram opens no ghost of them. Bounded in
 * number and in time.
 */
final class Tombstones {

    static final long LIFETIME_MS = 30_000;
    /** How long an opener is refused after a session whose peer had heard us: nothing older is under way then. */
    static final long REOPEN_MS = 5_000;
    private static final int MAX_ENTRIES = 65_536;

    /** What is remembered of a session: what it had received, and whether its peer had acknowledged anything. */
    record Tombstone(long closedAtMs, int nextExpectedSn, boolean peerHeardUs) {

        boolean mayReopen(long nowMs) {
            return nowMs - closedAtMs >= (peerHeardUs ? REOPEN_MS : LIFETIME_MS);
        }
    }

    private record Key(InetSocketAddress address, int conv) {
    }

    private final Map<Key, Tombstone> entries = new LinkedHashMap<>();

    void add(InetSocketAddress address, int conv, Tombstone tombstone) {
        expire(tombstone.closedAtMs);
        Key key = new Key(address, conv);
        entries.remove(key);
        entries.put(key, tombstone);
    }

    /** Returns what is remembered of a session, null if nothing (any more). */
    @Nullable Tombstone find(InetSocketAddress address, int conv, long nowMs) {
        if (entries.isEmpty()) {
            return null;
        }
        Tombstone tombstone = entries.get(new Key(address, conv));
        return tombstone == null || nowMs - tombstone.closedAtMs >= LIFETIME_MS ? null : tombstone;
    }

    private void expire(long nowMs) {
        Iterator<Tombstone> oldest = entries.values().iterator();
        while (oldest.hasNext()) {
            Tombstone tombstone = oldest.next();
            if (entries.size() < MAX_ENTRIES && nowMs - tombstone.closedAtMs < LIFETIME_MS) {
                return;
            }
            oldest.remove();
        }
    }
}
