package io.kcp.netty.internal.socket;

/**
 * Allocates the read buffers of a datagram channel, and falls back to a reserve if no other memory is left. Also decides when a read batch
 * ends.
 */
public interface ReservedReads {

    /** Sets the reserve of the event loop, which provides the memory for a read when no other memory can be allocated. */
    void useReserve(ReceiveReserve reserve);

    /**
     * Requests that the current read batch ends without reading further datagrams from the socket. An allocator may ignore the request. To
     * be called while a datagram of the batch is being handled. The request has no effect on NIO, which passes datagrams to the pipeline
     * only after it has read all of them.
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
