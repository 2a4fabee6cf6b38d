package io.kcp.netty;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
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

    /** Brings its own hash: that of a record is easy to collide with for who chooses address and conv. */
    private record Key(InetSocketAddress address, int conv, int hash) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.conv == conv && key.address.equals(address);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private final Map<Key, Tombstone> entries = new LinkedHashMap<>();
    private final SipHash sipHash;
    private final int maxEntries;

    Tombstones(SecureRandom random) {
        this(random, MAX_ENTRIES);
    }

    Tombstones(SecureRandom random, int maxEntries) {
        sipHash = new SipHash(random);
        this.maxEntries = maxEntries;
    }

    void add(InetSocketAddress address, int conv, Tombstone tombstone) {
        expire(tombstone.closedAtMs);
        Key key = key(address, conv);
        entries.remove(key);
        entries.put(key, tombstone);
    }

    /** Returns what is remembered of a session, null if nothing (any more). */
    @Nullable Tombstone find(InetSocketAddress address, int conv, long nowMs) {
        if (entries.isEmpty()) {
            return null;
        }
        Tombstone tombstone = entries.get(key(address, conv));
        return tombstone == null || nowMs - tombstone.closedAtMs >= LIFETIME_MS ? null : tombstone;
    }

    private Key key(InetSocketAddress address, int conv) {
        return new Key(address, conv, sipHash.hash(address, conv));
    }

    private void expire(long nowMs) {
        Iterator<Tombstone> oldest = entries.values().iterator();
        while (oldest.hasNext()) {
            Tombstone tombstone = oldest.next();
            if (entries.size() < maxEntries && nowMs - tombstone.closedAtMs < LIFETIME_MS) {
                return;
            }
            oldest.remove();
        }
    }
}
