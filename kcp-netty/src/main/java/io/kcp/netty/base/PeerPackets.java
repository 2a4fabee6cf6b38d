package io.kcp.netty.base;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** The incomplete packets of one connection, that is, of a channel or of all streams of a channel. */
final class PeerPackets {

    private final ExecutorPackets executor;
    private final Channel connection;
    private final Chain.Link<PeerPackets> link = new Chain.Link<>(this);
    private final Chain<IncompletePacket> packets = new Chain<>();
    private @Nullable Chain<PeerPackets> list;
    private long bytes;

    PeerPackets(ExecutorPackets executor, Channel connection) {
        this.executor = executor;
        this.connection = connection;
    }

    ExecutorPackets executor() {
        return executor;
    }

    /** Returns {@code true} unless the address of the peer may be forged. */
    boolean isValidated() {
        return !(connection instanceof ConnectionChannel session) || session.isPeerValidated();
    }

    /** Moves this connection to another list, or removes it from its list. */
    void moveTo(@Nullable Chain<PeerPackets> next) {
        Chain<PeerPackets> before = list;
        if (before == next) {
            return;
        }
        if (before != null) {
            before.remove(link);
        }
        if (next != null) {
            next.add(link);
        }
        list = next;
    }

    long bytes() {
        return bytes;
    }

    /** Changes the memory of a packet. Returns {@code false}, without changing it, if all packets would use too much memory. */
    boolean tryChange(IncompletePacket packet, int beforeBytes, int afterBytes) {
        long after = bytes - beforeBytes + afterBytes;
        if (!executor.tryChange(this, bytes, after)) {
            return false;
        }
        bytes = after;
        if (beforeBytes == 0 && afterBytes > 0) {
            packets.add(packet.link());
            executor.sweep().add(packet);
        } else if (beforeBytes > 0 && afterBytes == 0) {
            packets.remove(packet.link());
            executor.sweep().remove(packet);
        }
        return true;
    }

    /** Discards all packets of this connection to free memory. Returns their number. */
    int discard(String message) {
        int discarded = 0;
        for (IncompletePacket packet = packets.first(); packet != null; packet = packets.first()) {
            packet.discard(IncompletePacket.Cause.MEMORY, message);
            discarded++;
        }
        return discarded;
    }
}
