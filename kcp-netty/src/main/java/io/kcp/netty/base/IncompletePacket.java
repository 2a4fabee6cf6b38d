package io.kcp.netty.base;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * Counts the memory of the incomplete packet of one decoder towards {@link IncompletePackets}. A decoder uses one object for all its
 * packets, on the executor of its handler.
 */
public abstract class IncompletePacket {

    /** The reason why a packet is discarded. */
    public enum Cause {
        /** All packets together use too much memory, and the connection of this packet uses the most. */
        MEMORY,
        /** The packet has received no byte for the timeout. */
        TIMEOUT
    }

    private final Chain.Link<IncompletePacket> link = new Chain.Link<>(this);
    private final Chain.Link<IncompletePacket> sweepLink = new Chain.Link<>(this);
    private @Nullable PeerPackets peer;
    private int bytes;
    private int sweptBytes;
    private int staleSweeps;

    /** Creates an object that counts no memory and belongs to no channel. */
    protected IncompletePacket() {
    }

    /** Assigns this packet to the channel of a handler. Must be called when the handler is added to its pipeline. */
    public final void attachTo(IncompletePackets memory, ChannelHandlerContext context) {
        peer = memory.of(context.channel(), context.executor());
    }

    /**
     * Sets the memory of the packet.
     *
     * @param capacity bytes, 0 if there is no incomplete packet
     * @return {@code false}, without any effect, if all packets together would use too much memory
     */
    public final boolean trySetBytes(int capacity) {
        PeerPackets connection = peer;
        if (capacity == bytes) {
            return true;
        }
        if (connection == null) {
            throw new IllegalStateException("The packet belongs to no channel");
        }
        if (!connection.tryChange(this, bytes, capacity)) {
            return false;
        }
        bytes = capacity;
        if (capacity == 0) {
            staleSweeps = 0;
            sweptBytes = 0;
        }
        return true;
    }

    /** Returns {@code true} if a channel, or the connection that carries it as a stream, does not read automatically. */
    protected static boolean isPausedConnection(Channel channel) {
        return !channel.config().isAutoRead() || !IncompletePackets.connection(channel).config().isAutoRead();
    }

    /** Returns the number of received bytes of the incomplete packet. */
    protected abstract int receivedBytes();

    /** Returns {@code true} if the application has paused reading, so that the packet cannot receive bytes. */
    protected abstract boolean isReadingPaused();

    /**
     * Releases the packet, whose memory is no longer counted, and closes the channel.
     *
     * @param message a description of the cause
     */
    protected abstract void onDiscarded(Cause cause, String message);

    Chain.Link<IncompletePacket> link() {
        return link;
    }

    Chain.Link<IncompletePacket> sweepLink() {
        return sweepLink;
    }

    void discard(Cause cause, String message) {
        trySetBytes(0);
        onDiscarded(cause, message);
    }

    /** Returns {@code true} if the packet has received no byte for several sweeps. */
    boolean isStale() {
        int received = receivedBytes();
        if (received != sweptBytes || isReadingPaused()) {
            sweptBytes = received;
            staleSweeps = 0;
            return false;
        }
        return ++staleSweeps >= PacketSweep.STALE_SWEEPS;
    }
}
