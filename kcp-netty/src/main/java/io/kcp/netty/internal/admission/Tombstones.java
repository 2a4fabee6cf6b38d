package io.kcp.netty.internal.admission;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.CloseNotice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers recently closed sessions, so that a late or replayed datagram does not open one of them again. The records are limited in
 * number and expire.
 */
public final class Tombstones {

    /** Time in milliseconds for which a closed session is remembered. */
    public static final long LIFETIME_MS = 30_000;
    /**
     * Time in milliseconds after which a new session may reuse the address and conversation id of a validated or evicted session.
     * After this time no datagram of the closed session is in flight.
     */
    static final long REOPEN_MS = 5_000;
    private static final int MAX_ENTRIES = 65_536;

    /**
     * The record of a closed session.
     *
     * @param closedAtMs     the time at which the session was closed, in milliseconds
     * @param nextExpectedSn the first sequence number that the session had not received
     * @param reopensEarly   {@code true} if a new session may reuse the address and conversation id after {@value #REOPEN_MS} ms,
     *                       otherwise
     *                       after {@value #LIFETIME_MS} ms
     * @param notice         the close notice to repeat, or null if the peer does not read notices
     * @param moved          {@code true} if the session is still open at another address
     */
    public record Tombstone(long closedAtMs, int nextExpectedSn, boolean reopensEarly, @Nullable Notice notice, boolean moved) {

        /** Creates the record of a session that was closed. */
        public Tombstone(long closedAtMs, int nextExpectedSn, boolean reopensEarly, @Nullable Notice notice) {
            this(closedAtMs, nextExpectedSn, reopensEarly, notice, false);
        }

        /** Returns the record of a session that has moved to another address. */
        public static Tombstone ofMovedSession(long movedAtMs, int nextExpectedSn, boolean reopensEarly) {
            return new Tombstone(movedAtMs, nextExpectedSn, reopensEarly, null, true);
        }

        /** Returns {@code true} if a new session may reuse the address and conversation id of the closed session. */
        public boolean mayReopen(long nowMs) {
            return nowMs - closedAtMs >= (reopensEarly ? REOPEN_MS : LIFETIME_MS);
        }
    }

    /**
     * The close notice of a closed session, which is repeated a limited number of times while the peer of the session continues to send.
     */
    public static final class Notice {

        private static final int MAX_REPETITIONS = 8;
        private static final int INTERVAL_MS = 100;

        private final byte[] datagram = new byte[SegmentHeader.LENGTH];
        private int left = MAX_REPETITIONS;
        private long notBeforeMs = Long.MIN_VALUE;

        /** Creates a copy of the notice that a closing session sends with the given reason code. */
        public Notice(CloseNotice notice, int reasonCode) {
            notice.write(Unpooled.wrappedBuffer(datagram).clear(), reasonCode);
        }

        /** Returns {@code true} if the notice may be repeated now, and counts the repetition. */
        public boolean takeRepetition(long nowMs) {
            if (left == 0 || nowMs < notBeforeMs) {
                return false;
            }
            left--;
            notBeforeMs = nowMs + INTERVAL_MS;
            return true;
        }

        /** Appends the notice to a buffer, which is borrowed. */
        public void write(ByteBuf out) {
            out.writeBytes(datagram);
        }
    }

    /**
     * A map key whose hash code depends on a secret key. An attacker who chooses the address and the conversation id could
     * otherwise cause hash collisions.
     */
    record Key(InetSocketAddress address, int conv, int hash) {

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

    /** Creates an empty table of up to 65,536 closed sessions. */
    public Tombstones(SecureRandom random) {
        this(random, MAX_ENTRIES);
    }

    /** Creates an empty table of up to {@code maxEntries} closed sessions. When the table is full, a new record replaces the oldest. */
    public Tombstones(SecureRandom random, int maxEntries) {
        sipHash = new SipHash(random);
        this.maxEntries = maxEntries;
    }

    /** Adds the record of a closed session, or replaces the earlier record with the same address and conversation id. */
    public void add(InetSocketAddress address, int conv, Tombstone tombstone) {
        expire(tombstone.closedAtMs);
        Key key = key(address, conv);
        entries.remove(key);
        entries.put(key, tombstone);
    }

    /** Returns the record of a closed session, or null if there is none or it has expired. */
    public @Nullable Tombstone find(InetSocketAddress address, int conv, long nowMs) {
        if (entries.isEmpty()) {
            return null;
        }
        Tombstone tombstone = entries.get(key(address, conv));
        return tombstone == null || nowMs - tombstone.closedAtMs >= LIFETIME_MS ? null : tombstone;
    }

    /** Returns the key under which the record of a session is stored. */
    Key key(InetSocketAddress address, int conv) {
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
