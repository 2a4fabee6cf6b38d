package io.kcp.netty;

/** Allocates the read buffers of a datagram channel, from a reserve where no other memory is left. */
interface ReservedReads {

    /** Sets where a read gets its memory from when none can be allocated. */
    void useReserve(ReceiveReserve reserve);
}
