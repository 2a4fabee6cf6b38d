package io.kcp.netty.base;

/** The incomplete packets of one connection, that is, of a channel or of all streams of a channel. */
final class PeerPackets {

    private final ExecutorPackets executor;
    private final Chain.Link<PeerPackets> link = new Chain.Link<>(this);
    private final Chain<IncompletePacket> packets = new Chain<>();
    private long bytes;

    PeerPackets(ExecutorPackets executor) {
        this.executor = executor;
    }

    ExecutorPackets executor() {
        return executor;
    }

    Chain.Link<PeerPackets> link() {
        return link;
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
        } else if (beforeBytes > 0 && afterBytes == 0) {
            packets.remove(packet.link());
        }
        return true;
    }

    /** Discards all packets of this connection to free memory. */
    void discard(String message) {
        for (IncompletePacket packet = packets.first(); packet != null; packet = packets.first()) {
            packet.discard(IncompletePacket.Cause.MEMORY, message);
        }
    }

    /** Discards the packets that have received no byte for the timeout. */
    void sweep() {
        IncompletePacket next;
        for (IncompletePacket packet = packets.first(); packet != null; packet = next) {
            next = packets.next(packet.link());
            if (packet.isStale()) {
                packet.discard(IncompletePacket.Cause.TIMEOUT,
                    "The peer sent a part of a packet, and then nothing for " + executor.memory().timeoutMs() + " ms.");
            }
        }
    }
}
