package io.kcp.netty.socket;

/** Allocates the read buffers of a datagram channel, and falls back to a reserve if no other memory is left. */
public interface ReservedReads {

    /** Sets the reserve of the event loop, which provides the memory for a read when no other memory can be allocated. */
    void useReserve(ReceiveReserve reserve);

    /** Ends the current read batch without reading further datagrams from the socket. The next batch is not affected. */
    default void endBatch() {
    }

    /**
     * Returns {@code true} if the latest read batch ended because it reached the maximum number of datagrams or because of
     * {@link #endBatch}, so that more datagrams are presumably waiting in the socket.
     */
    default boolean endedAtLimit() {
        return false;
    }

    /** Releases the memory that the channel reserved for itself. Called when the channel is closed or its handler could not be added. */
    default void releaseReserve() {
    }
}
