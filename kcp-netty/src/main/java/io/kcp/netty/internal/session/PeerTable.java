package io.kcp.netty.internal.session;

import io.kcp.netty.internal.admission.SeededTable;
import io.kcp.netty.internal.admission.SipHash;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of the sessions of one datagram channel, keyed by remote address and {@code conv}. A second table has an entry for each
 * remote address, with a linked list of its sessions. It is used for datagrams without a {@code conv}, such as FEC parity.
 *
 * @param <S> the type of the sessions
 */
public final class PeerTable<S extends AbstractSession> {

    /** The entry of a remote address, with the linked list of its sessions. */
    static final class Peer {
        final InetSocketAddress address;
        final int hash;
        @Nullable AbstractSession first;
        int sessions;

        Peer(InetSocketAddress address, int hash) {
            this.address = address;
            this.hash = hash;
        }
    }

    /** Maximum number of sessions of an address that are checked for one parity shard. */
    public static final int MAX_VISITS = 16;

    private static final AttributeKey<PeerTable<?>> KEY = AttributeKey.valueOf(PeerTable.class, "SESSIONS");

    private final SipHash sipHash;
    private final SeededTable<S> sessions = new SeededTable<>() {
        @Override
        protected int hashOf(S session) {
            return session.hash;
        }
    };
    private final SeededTable<Peer> peers = new SeededTable<>() {
        @Override
        protected int hashOf(Peer peer) {
            return peer.hash;
        }
    };
    private long visits;
    private int keyIndex;
    /**
     * The session that the latest lookup found. Datagrams come in bursts from the same peer, so the next datagram often belongs to the same
     * session.
     */
    private @Nullable S latest;
    /** The addresses whose sessions belong to other sockets of the server, or null if there were none so far. */
    private @Nullable AddressRoutes<?> routes;

    /** Creates an empty table whose hash function has a random key. */
    public PeerTable(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Returns the table of a datagram channel, or null if the channel has no {@code KcpHandler}. */
    public static @Nullable PeerTable<?> of(Channel channel) {
        return channel.attr(KEY).get();
    }

    /** Attaches this table to a datagram channel, so that all handlers of the channel find it. */
    public void attachTo(Channel channel) {
        channel.attr(KEY).set(this);
    }

    /** Returns the number of sessions in the table. */
    public int size() {
        return sessions.size();
    }

    /** Returns the session with the given remote address and {@code conv}, or null if there is none. */
    public @Nullable S find(InetSocketAddress address, int conv) {
        long word = AddressWord.of(address);
        S cached = latest;
        if (cached != null && isOf(cached, address, word, conv)) {
            return cached;
        }
        int hash = sipHash.hash(address, conv);
        for (int position = hash;; position++) {
            S session = sessions.at(position);
            if (session == null) {
                return null;
            }
            if (sessions.hashAt(position) == hash && isOf(session, address, word, conv)) {
                latest = session;
                return session;
            }
        }
    }

    private static boolean isOf(AbstractSession session, InetSocketAddress address, long word, int conv) {
        return session.conv() == conv && session.addressWord == word
            && (word != AddressWord.NONE || session.remoteAddress().equals(address));
    }

    /** Returns the entry of a remote address, or null if the address has no sessions. */
    @Nullable Peer find(InetSocketAddress address) {
        for (int position = sipHash.hash(address, 0);; position++) {
            Peer peer = peers.at(position);
            if (peer == null || peer.address.equals(address)) {
                return peer;
            }
        }
    }

    /** Returns the first session in the list of a remote address, or null if the address has no sessions. */
    public @Nullable AbstractSession firstOf(InetSocketAddress address) {
        AbstractSession cached = latest;
        if (cached != null && cached.nextOfPeer == null && cached.previousOfPeer == null
            && cached.remoteAddress().equals(address)) {
            return cached;
        }
        Peer peer = find(address);
        return peer == null ? null : peer.first;
    }

    /** Returns {@code true} if an address has a session on this socket, or on another socket to which its datagrams are passed. */
    public boolean isKnown(InetSocketAddress address) {
        AddressRoutes<?> others = routes;
        return firstOf(address) != null || others != null && others.find(address) != null;
    }

    /** Sets the addresses whose sessions belong to other sockets of the server. */
    public void routes(AddressRoutes<?> others) {
        routes = others;
    }

    /**
     * Moves a session that received a data shard to the front of the list of its address. Because parity follows the last data shard of
     * its group, {@link #ofParity} then finds the session at or near the front.
     */
    public void onDataShard(AbstractSession session) {
        AbstractSession previous = session.previousOfPeer;
        if (previous == null) {
            return;
        }
        Peer peer = find(session.remoteAddress());
        assert peer != null;
        AbstractSession next = session.nextOfPeer;
        previous.nextOfPeer = next;
        if (next != null) {
            next.previousOfPeer = previous;
        }
        AbstractSession first = peer.first;
        assert first != null;
        first.previousOfPeer = session;
        session.nextOfPeer = first;
        session.previousOfPeer = null;
        peer.first = session;
    }

    /**
     * Returns the session to which a parity shard most likely belongs. This is the session that lacks data of the shard's FEC group, or
     * else the first session whose latest data is near that group. Only the {@value #MAX_VISITS} sessions of the address that received data
     * shards last are checked, so that the cost of a parity shard does not grow with the number of sessions.
     *
     * @return the session, or null if the latest data of no checked session is near that group
     */
    public @Nullable AbstractSession ofParity(InetSocketAddress address, int seqid) {
        AbstractSession near = null;
        AbstractSession session = firstOf(address);
        for (int i = 0; i < MAX_VISITS && session != null; i++) {
            visits++;
            if (session.fec.isNear(seqid)) {
                if (session.fec.awaits(seqid)) {
                    return session;
                }
                near = near == null ? session : near;
            }
            session = session.nextOfPeer;
        }
        return near;
    }

    /** Returns the number of sessions that {@link #ofParity} has checked so far. */
    public long visits() {
        return visits;
    }

    /** Sets the index of the key that decrypted the current datagram. */
    public void keyIndex(int index) {
        keyIndex = index;
    }

    /** Returns the index of the key that decrypted the latest datagram, or 0 without a cipher. */
    public int keyIndex() {
        return keyIndex;
    }

    /** Returns the number of sessions of a remote address. */
    public int sessionsOf(InetSocketAddress address) {
        Peer peer = find(address);
        return peer == null ? 0 : peer.sessions;
    }

    /** Adds a session that is not in the table yet. */
    public void add(S session) {
        InetSocketAddress address = session.remoteAddress();
        session.hash = sipHash.hash(address, session.conv());
        session.addressWord = AddressWord.of(address);
        sessions.add(session);
        Peer peer = find(address);
        if (peer == null) {
            peer = new Peer(address, sipHash.hash(address, 0));
            peers.add(peer);
        }
        AbstractSession first = peer.first;
        session.nextOfPeer = first;
        if (first != null) {
            first.previousOfPeer = session;
        }
        peer.first = session;
        peer.sessions++;
    }

    /** Removes a session from the table, if it is present. */
    public void remove(S session) {
        if (latest == session) {
            latest = null;
        }
        if (!sessions.remove(session)) {
            return;
        }
        Peer peer = find(session.remoteAddress());
        if (peer == null) {
            // The address of the peer has no entry if memory ran out when the session was added.
            return;
        }
        AbstractSession previous = session.previousOfPeer;
        AbstractSession next = session.nextOfPeer;
        if (previous == null) {
            peer.first = next;
        } else {
            previous.nextOfPeer = next;
        }
        if (next != null) {
            next.previousOfPeer = previous;
        }
        session.previousOfPeer = null;
        session.nextOfPeer = null;
        if (--peer.sessions == 0) {
            peers.remove(peer);
        }
    }

    /** Returns a new list of the current sessions. */
    public List<S> entries() {
        return sessions.entries();
    }

    /** Calls an action for each session. The action may remove that session. */
    public void forEach(Consumer<S> action) {
        sessions.forEach(action);
    }
}
