package io.kcp.netty;

import io.kcp.netty.admission.SeededTable;
import io.kcp.netty.admission.SipHash;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one datagram channel. A session is (remote address, {@code conv}); beside the table of these stands one
 * of addresses, each with the chain of its sessions, for datagrams that do not name a conversation and for limits.
 */
final class PeerTable {

    /** One remote address with sessions. */
    static final class Peer {
        final InetSocketAddress address;
        final int hash;
        @Nullable DefaultKcpChannel first;
        int sessions;

        Peer(InetSocketAddress address, int hash) {
            this.address = address;
            this.hash = hash;
        }
    }

    /** Sessions of an address that one parity shard is offered to. */
    static final int MAX_VISITS = 16;

    private static final AttributeKey<PeerTable> KEY = AttributeKey.valueOf(PeerTable.class, "SESSIONS");

    private final SipHash sipHash;
    private final SeededTable<DefaultKcpChannel> sessions = new SeededTable<>() {
        @Override
        protected int hashOf(DefaultKcpChannel session) {
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
    private int openerIndex;
    /** Datagrams come in bursts from the same peer. */
    private @Nullable DefaultKcpChannel latest;

    PeerTable(SecureRandom random) {
        sipHash = new SipHash(random);
    }

    /** Returns the table of a datagram channel, null if it has no {@link KcpHandler}. */
    static @Nullable PeerTable of(Channel channel) {
        return channel.attr(KEY).get();
    }

    /** Makes this the table of a datagram channel, for all its handlers. */
    void attachTo(Channel channel) {
        channel.attr(KEY).set(this);
    }

    int size() {
        return sessions.size();
    }

    @Nullable DefaultKcpChannel find(InetSocketAddress address, int conv) {
        DefaultKcpChannel cached = latest;
        if (cached != null && cached.conv() == conv && cached.remoteAddress().equals(address)) {
            return cached;
        }
        for (int position = sipHash.hash(address, conv);; position++) {
            DefaultKcpChannel session = sessions.at(position);
            if (session == null) {
                return null;
            }
            if (session.conv() == conv && session.remoteAddress().equals(address)) {
                latest = session;
                return session;
            }
        }
    }

    /** Returns the address's entry with the chain of its sessions, null if it has none. */
    @Nullable Peer find(InetSocketAddress address) {
        for (int position = sipHash.hash(address, 0);; position++) {
            Peer peer = peers.at(position);
            if (peer == null || peer.address.equals(address)) {
                return peer;
            }
        }
    }

    /** Returns the first of the chain of an address's sessions, null if it has none. */
    @Nullable DefaultKcpChannel firstOf(InetSocketAddress address) {
        DefaultKcpChannel cached = latest;
        if (cached != null && cached.nextOfPeer == null && cached.previousOfPeer == null
            && cached.remoteAddress().equals(address)) {
            return cached;
        }
        Peer peer = find(address);
        return peer == null ? null : peer.first;
    }

    /**
     * Makes a session the first of its address: it received a data shard. Parity follows the last data shard of its group, so
     * {@link #ofParity} finds its session at or near the front of the chain.
     */
    void onDataShard(DefaultKcpChannel session) {
        DefaultKcpChannel previous = session.previousOfPeer;
        if (previous == null) {
            return;
        }
        Peer peer = find(session.remoteAddress());
        assert peer != null;
        DefaultKcpChannel next = session.nextOfPeer;
        previous.nextOfPeer = next;
        if (next != null) {
            next.previousOfPeer = previous;
        }
        DefaultKcpChannel first = peer.first;
        assert first != null;
        first.previousOfPeer = session;
        session.nextOfPeer = first;
        session.previousOfPeer = null;
        peer.first = session;
    }

    /**
     * Returns the session that a parity shard belongs to: the one that waits for parity of that group, otherwise the first that is
     * near it. Looks at no more than the {@value #MAX_VISITS} sessions of the address whose data shards came last, so that an
     * address with many sessions makes parity no more expensive.
     *
     * @return null if none of these sessions is near that group
     */
    @Nullable DefaultKcpChannel ofParity(InetSocketAddress address, int seqid) {
        DefaultKcpChannel near = null;
        DefaultKcpChannel session = firstOf(address);
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

    /** Returns how many sessions {@link #ofParity} has looked at so far. */
    long visits() {
        return visits;
    }

    /** Sets which of several keys opened the datagram that is being read. */
    void openerIndex(int index) {
        openerIndex = index;
    }

    /** Returns which of several keys opened the datagram that is being read, or was read last; 0 without a cipher. */
    int openerIndex() {
        return openerIndex;
    }

    int sessionsOf(InetSocketAddress address) {
        Peer peer = find(address);
        return peer == null ? 0 : peer.sessions;
    }

    void add(DefaultKcpChannel session) {
        InetSocketAddress address = session.remoteAddress();
        session.hash = sipHash.hash(address, session.conv());
        sessions.add(session);
        Peer peer = find(address);
        if (peer == null) {
            peer = new Peer(address, sipHash.hash(address, 0));
            peers.add(peer);
        }
        DefaultKcpChannel first = peer.first;
        session.nextOfPeer = first;
        if (first != null) {
            first.previousOfPeer = session;
        }
        peer.first = session;
        peer.sessions++;
    }

    void remove(DefaultKcpChannel session) {
        if (latest == session) {
            latest = null;
        }
        if (!sessions.remove(session)) {
            return;
        }
        Peer peer = find(session.remoteAddress());
        if (peer == null) {
            // There was no memory to add it.
            return;
        }
        DefaultKcpChannel previous = session.previousOfPeer;
        DefaultKcpChannel next = session.nextOfPeer;
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

    /** Returns the sessions of this moment. */
    List<DefaultKcpChannel> entries() {
        return sessions.entries();
    }

    void forEach(Consumer<DefaultKcpChannel> action) {
        sessions.forEach(action);
    }
}
