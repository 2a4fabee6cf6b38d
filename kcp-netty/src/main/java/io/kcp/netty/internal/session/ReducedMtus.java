package io.kcp.netty.internal.session;

import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.internal.admission.SourceKey;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers the IP addresses of peers whose path required a reduced MTU. New sessions with such an address start with the reduced MTU, so
 * that a client that reconnects does not lose large datagrams again. An address is forgotten ten minutes after the reduction, because the
 * path may have changed. An IPv6 /64 counts as one address, so that one host cannot fill the table with its addresses.
 *
 * <p>Clients behind one NAT share an address. A client that does not acknowledge large datagrams can therefore reduce the MTU of the other
 * clients, which costs them a few percent of their throughput. {@link KcpConfig#mtuFallback()} disables the reduction.
 *
 * <p>This class is thread-safe.
 */
public final class ReducedMtus {

    /** Time in milliseconds for which an address is remembered. */
    static final long LIFETIME_MS = 600_000;
    /** Maximum number of remembered addresses. Further addresses are not remembered until others expire. */
    static final int MAX_ADDRESSES = 1_024;
    /** Minimum time in milliseconds between two searches for expired addresses in a full table. */
    static final long CLEANUP_INTERVAL_MS = 1_000;

    private final ConcurrentHashMap<Long, Long> reducedAtMs = new ConcurrentHashMap<>();
    private volatile long nextCleanupAtMs = Long.MIN_VALUE;

    /** Creates an empty table. */
    public ReducedMtus() {
    }

    /** Records that a session with this peer has reduced its MTU. Does nothing if the address is already remembered. */
    public void add(InetSocketAddress peer, long nowMs) {
        if (reducedAtMs.size() >= MAX_ADDRESSES && nowMs >= nextCleanupAtMs) {
            nextCleanupAtMs = nowMs + CLEANUP_INTERVAL_MS;
            reducedAtMs.values().removeIf(atMs -> nowMs - atMs >= LIFETIME_MS);
        }
        if (reducedAtMs.size() < MAX_ADDRESSES) {
            reducedAtMs.putIfAbsent(SourceKey.of(peer.getAddress()), nowMs);
        }
    }

    /** Returns {@code true} if the address of this peer is remembered. */
    public boolean contains(InetSocketAddress peer, long nowMs) {
        if (reducedAtMs.isEmpty()) {
            return false;
        }
        Long source = SourceKey.of(peer.getAddress());
        Long atMs = reducedAtMs.get(source);
        if (atMs == null) {
            return false;
        }
        if (nowMs - atMs < LIFETIME_MS) {
            return true;
        }
        reducedAtMs.remove(source, atMs);
        return false;
    }

    /** Reduces the MTU of a new conversation if the MTU was recently reduced for the address of this peer. */
    public void applyTo(Kcp conversation, InetSocketAddress peer, long nowMs) {
        if (contains(peer, nowMs)) {
            conversation.onDatagramTooLarge();
            conversation.flush((int) nowMs);
        }
    }
}
