package io.kcp.netty.socket;

/**
 * Allocates the read buffers of a datagram channel, and falls back to a reserve if no other memory is left. Also decides when a read batch
 * ends.
 */
public interface ReservedReads {

    /** Sets the reserve of the event loop, which provides the memory for a read when no other memory can be allocated. */
    void useReserve(ReceiveReserve reserve);

    /**
     * Ends the current read batch without reading further datagrams from the socket. To be called while a datagram of the batch is being
     * handled. Transports that pass datagrams to the pipeline only at the end of a batch (NIO) are not affected.
     */
    default void requestEnd() {
    }

    /** Returns {@code true} if the latest read batch ended because of {@link #requestEnd}, and the socket may contain more datagrams. */
    default boolean endedEarly() {
        return false;
    }

    /**
     * Returns {@code true} if the latest read batch ended because it reached the maximum number of datagrams, so that more datagrams are
     * presumably waiting in the socket.
     */
    default boolean endedAtLimit() {
        return false;
    }

    /** Releases the memory that the channel reserved for itself. Called when the channel is closed or its handler could not be added. */
    default void releaseReserve() {
    }
}
