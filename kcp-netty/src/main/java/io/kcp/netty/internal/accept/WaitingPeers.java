package io.kcp.netty.internal.accept;

import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.netty.internal.admission.SeededTable;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.SipHash;
import io.kcp.netty.internal.base.Chain;
import io.kcp.netty.internal.roaming.PathRouter;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The peers whose sessions are opened in later event-loop iterations, with copies of their datagrams in the order of arrival. Peers that
 * have proved their address come first, then the others in the order of arrival. The number of datagrams and their bytes are limited. The
 * bytes count towards the memory that unvalidated sessions may hold. Each datagram channel has its own queue, which is used on its event
 * loop.
 */
public final class WaitingPeers {

    /** Maximum number of waiting datagrams of all peers. */
    public static final int MAX_DATAGRAMS = 4_096;
    /** Maximum number of waiting datagrams of one peer, which may send that many before it receives a window. */
    public static final int MAX_DATAGRAMS_PER_PEER = 32;
    /** Maximum number of waiting bytes. With little memory, the maximum is a sixteenth of the memory limit of the event loop. */
    public static final int MAX_BYTES = 1 << 20;
    private static final int MEMORY_SHIFT = 4;
    /** Memory in bytes of the objects that store one datagram, counted in addition to its content. */
    public static final int OVERHEAD_BYTES = 128;

    /** A datagram of a waiting peer. */
    static final class Datagram {
        private final ByteBuf content;
        private final int keyIndex;
        private @Nullable Datagram next;

        private Datagram(ByteBuf content, int keyIndex) {
            this.content = content;
            this.keyIndex = keyIndex;
        }

        ByteBuf content() {
            return content;
        }

        /** Returns the index of the key that decrypted the datagram. */
        int keyIndex() {
            return keyIndex;
        }

        @Nullable Datagram next() {
            return next;
        }

        private int bytes() {
            return content.capacity() + OVERHEAD_BYTES;
        }
    }

    /** A waiting peer. */
    static final class Opener {
        private final InetSocketAddress peer;
        private final int conv;
        private final int hash;
        private final SessionCounts.Place place;
        private final boolean proven;
        private final @Nullable PathRouter via;
        private final Chain.Link<Opener> link = new Chain.Link<>(this);
        private @Nullable Datagram first;
        private @Nullable Datagram last;
        private int datagrams;

        private Opener(InetSocketAddress peer, int conv, int hash, SessionCounts.Place place, boolean proven, @Nullable PathRouter via) {
            this.peer = peer;
            this.conv = conv;
            this.hash = hash;
            this.place = place;
            this.proven = proven;
            this.via = via;
        }

        InetSocketAddress peer() {
            return peer;
        }

        int conv() {
            return conv;
        }

        /** Returns the record under which the future session is already counted. */
        SessionCounts.Place place() {
            return place;
        }

        /** Returns {@code true} if the peer has proved its address. */
        boolean isProven() {
            return proven;
        }

        /** Returns the router of the socket that received the first datagram, or null if that is the socket of this queue. */
        @Nullable PathRouter via() {
            return via;
        }

        @Nullable Datagram first() {
            return first;
        }

        /** Releases the datagrams. */
        void release() {
            for (Datagram datagram = first; datagram != null; datagram = datagram.next) {
                datagram.content.release();
            }
            first = null;
        }
    }

    private final MemoryLimit memoryLimit;
    private final SipHash sipHash;
    private final Chain<Opener> proven = new Chain<>();
    private final Chain<Opener> unproven = new Chain<>();
    private final SeededTable<Opener> openers = new SeededTable<>() {
        @Override
        protected int hashOf(Opener opener) {
            return opener.hash;
        }
    };
    private int datagrams;
    private long bytes;

    WaitingPeers(MemoryLimit memoryLimit, SecureRandom random) {
        this.memoryLimit = memoryLimit;
        sipHash = new SipHash(random);
    }

    boolean isEmpty() {
        return openers.size() == 0;
    }

    /** Returns the number of waiting datagrams. */
    int datagrams() {
        return datagrams;
    }

    /** Returns the waiting peer with an address and a conversation id, or null if there is none. */
    @Nullable Opener find(InetSocketAddress peer, int conv) {
        for (int position = sipHash.hash(peer, conv);; position++) {
            Opener opener = openers.at(position);
            if (opener == null || opener.conv == conv && opener.peer.equals(peer)) {
                return opener;
            }
        }
    }

    /** Returns {@code true} if another datagram may wait. */
    boolean hasRoom(int datagramBytes) {
        return datagrams < MAX_DATAGRAMS
            && bytes + datagramBytes + OVERHEAD_BYTES <= Math.min(MAX_BYTES, memoryLimit.maxHeldBytes() >> MEMORY_SHIFT);
    }

    /** Returns {@code true} if another datagram of a waiting peer may wait. */
    boolean hasRoom(Opener opener, int datagramBytes) {
        return opener.datagrams < MAX_DATAGRAMS_PER_PEER && hasRoom(datagramBytes);
    }

    /**
     * Adds a peer with its first datagram.
     *
     * @param place    the record under which the future session is counted
     * @param content  <b>taken</b>, unless this method throws an exception
     * @param keyIndex the index of the key that decrypted the datagram
     * @param via      the router of the socket that received the datagram, or null if that is the socket of this queue
     */
    void add(InetSocketAddress peer, int conv, SessionCounts.Place place, boolean isProven, @Nullable PathRouter via, ByteBuf content,
        int keyIndex) {
        Opener opener = new Opener(peer, conv, sipHash.hash(peer, conv), place, isProven, via);
        Datagram datagram = new Datagram(content, keyIndex);
        openers.add(opener);
        (isProven ? proven : unproven).add(opener.link);
        append(opener, datagram);
    }

    /** Appends a datagram of a waiting peer, and <b>takes</b> it, unless this method throws an exception. */
    void append(Opener opener, ByteBuf content, int keyIndex) {
        append(opener, new Datagram(content, keyIndex));
    }

    private void append(Opener opener, Datagram datagram) {
        Datagram before = opener.last;
        if (before == null) {
            opener.first = datagram;
        } else {
            before.next = datagram;
        }
        opener.last = datagram;
        opener.datagrams++;
        datagrams++;
        count(datagram.bytes());
    }

    private void count(int change) {
        bytes += change;
        memoryLimit.addUnopened(change);
    }

    /** Removes and returns the peer whose session is opened next, or returns null if there is none. The caller must release it. */
    @Nullable Opener poll() {
        Opener first = proven.first();
        return first == null ? pollUnproven() : remove(first);
    }

    /** Removes and returns the first peer that has not proved its address, or returns null if there is none. */
    @Nullable Opener pollUnproven() {
        Opener first = unproven.first();
        return first == null ? null : remove(first);
    }

    private Opener remove(Opener opener) {
        openers.remove(opener);
        (opener.proven ? proven : unproven).remove(opener.link);
        datagrams -= opener.datagrams;
        for (Datagram datagram = opener.first; datagram != null; datagram = datagram.next) {
            count(-datagram.bytes());
        }
        return opener;
    }
}
