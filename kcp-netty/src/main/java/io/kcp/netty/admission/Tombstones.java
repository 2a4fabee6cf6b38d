package io.kcp.netty.admission;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers recently closed sessions, so that a late or replayed datagram of one does not open it again. Bounded in number and time.
 */
public final class Tombstones {

    /** How long a closed session is remembered. */
    public static final long LIFETIME_MS = 30_000;
    /**
     * How long no new session may open with the address and conversation of a session whose peer was validated. After this time no
     * datagram of the closed session is in flight.
     */
    static final long REOPEN_MS = 5_000;
    private static final int MAX_ENTRIES = 65_536;

    /**
     * The record of a closed session.
     *
     * @param closedAtMs     the time at which it was closed, in milliseconds
     * @param nextExpectedSn the first sequence number that it had not received
     * @param peerValidated  {@code true} if its peer had acknowledged a segment
     */
    public record Tombstone(long closedAtMs, int nextExpectedSn, boolean peerValidated) {

        /** Returns {@code true} if a new session may have the address and conversation of the closed one. */
        public boolean mayReopen(long nowMs) {
            return nowMs - closedAtMs >= (peerValidated ? REOPEN_MS : LIFETIME_MS);
        }
    }

    /** Carries a keyed hash. An attacker who chooses address and conversation could collide with the hash code of a record. */
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

    /** Creates tombstones for up to 65,536 sessions. */
    public Tombstones(SecureRandom random) {
        this(random, MAX_ENTRIES);
    }

    /** Creates tombstones for up to {@code maxEntries} sessions; the oldest makes room for a new one. */
    public Tombstones(SecureRandom random, int maxEntries) {
        sipHash = new SipHash(random);
        this.maxEntries = maxEntries;
    }

    /** Adds a closed session, or replaces its earlier record. */
    public void add(InetSocketAddress address, int conv, Tombstone tombstone) {
        expire(tombstone.closedAtMs);
        Key key = key(address, conv);
        entries.remove(key);
        entries.put(key, tombstone);
    }

    /** Returns the record of a closed session, null if there is none or it has expired. */
    public @Nullable Tombstone find(InetSocketAddress address, int conv, long nowMs) {
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
