package io.kcp.core;

import io.netty.buffer.ByteBuf;

/**
 * Sends the datagrams of a {@link Kcp} to the layers below. {@link #allocate} and {@link #write} are called only from within
 * {@link Kcp#flush}.
 */
public interface KcpOutput {

    /**
     * Returns the number of bytes that the layers below (FEC, cipher) add to each datagram, headers and trailers together. The
     * MTU of the conversation is the configured one minus this number.
     *
     * @return bytes, at least 0
     */
    int overheadBytes();

    /**
     * Returns whether the layers below send FEC parity. A peer recovers a lost datagram only when the parity of its group arrives, so
     * its late acknowledgement is no round-trip sample.
     *
     * @return {@code true} if they do; the default implementation returns {@code false}
     */
    default boolean sendsParity() {
        return false;
    }

    /**
     * Allocates a buffer for one datagram. Its reader and writer index are after the headers of the layers below, so that each layer
     * writes its header in place.
     *
     * @param datagramBytes the most bytes that the conversation will write
     * @return an empty buffer with this many writable bytes, <b>returned owned</b>
     */
    ByteBuf allocate(int datagramBytes);

    /**
     * Sends one datagram.
     *
     * @param datagram one or more whole segments, <b>taken</b>
     */
    void write(ByteBuf datagram);
}
