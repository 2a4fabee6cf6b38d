package io.kcp.netty.internal.base;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Counts the memory of the partial input of one decoder towards that of all decoders, see {@code PartialInputLimit}. A decoder uses
 * one object for all its inputs, on the executor of its handler.
 */
@SuppressWarnings("this-escape") // the links only store the reference
public abstract class PartialInput {

    /** The reason why an input is discarded. */
    public enum Cause {
        /** All inputs together use too much memory, and the connection of this input uses the most. */
        MEMORY,
        /** The input has received no byte for the timeout. */
        TIMEOUT
    }

    /** An input is discarded after it has received no byte in this number of consecutive intervals between two sweeps. */
    static final int STALE_SWEEPS = 3;

    private final Chain.Link<PartialInput> link = new Chain.Link<>(this);
    private final Chain.Link<PartialInput> sweepLink = new Chain.Link<>(this);
    private @Nullable PeerInputs peer;
    private int bytes;
    private int sweptBytes;
    private int staleSweeps;

    /** Creates an object that counts no memory and belongs to no channel. */
    protected PartialInput() {
    }

    /** Assigns this input to a connection. */
    final void attachTo(PeerInputs connection) {
        peer = connection;
    }

    /**
     * Sets the memory of the input.
     *
     * @param capacity bytes, 0 if there is no partial input
     * @return {@code false}, without any effect, if all inputs together would use too much memory
     */
    public final boolean trySetBytes(int capacity) {
        PeerInputs connection = peer;
        if (capacity == bytes) {
            return true;
        }
        if (connection == null) {
            throw new IllegalStateException("The input belongs to no channel");
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
        return !channel.config().isAutoRead() || !ConnectionChannel.of(channel).config().isAutoRead();
    }

    /** Returns the number of received bytes of the partial input. */
    protected abstract int receivedBytes();

    /** Returns {@code true} if the application has paused reading, so that the input cannot receive bytes. */
    protected abstract boolean isReadingPaused();

    /**
     * Releases the input, whose memory is no longer counted, and closes the channel.
     *
     * @param message a description of the cause
     */
    protected abstract void onDiscarded(Cause cause, String message);

    Chain.Link<PartialInput> link() {
        return link;
    }

    Chain.Link<PartialInput> sweepLink() {
        return sweepLink;
    }

    void discard(Cause cause, String message) {
        trySetBytes(0);
        onDiscarded(cause, message);
    }

    /** Returns {@code true} if the input has received no byte for several sweeps. */
    boolean isStale() {
        int received = receivedBytes();
        if (received != sweptBytes || isReadingPaused()) {
            sweptBytes = received;
            staleSweeps = 0;
            return false;
        }
        return ++staleSweeps >= STALE_SWEEPS;
    }
}
