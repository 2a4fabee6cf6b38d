package io.kcp.netty;

/** Allocates the read buffers of a datagram channel, from a reserve where no other memory is left. */
interface ReservedReads {

    /** Sets the reserve of the event loop, which provides the memory of a read when none can be allocated. */
    void useReserve(ReceiveReserve reserve);

    /** Gives back the memory that the channel reserved for itself. The channel is closed, or the handler was not added. */
    default void releaseReserve() {
    }
}
