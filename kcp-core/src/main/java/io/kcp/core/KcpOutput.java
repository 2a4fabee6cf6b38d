package io.kcp.core;

import io.netty.buffer.ByteBuf;

/**
 * Where the datagrams of a {@link Kcp} go, and what the layers below add to each. Called only from within
 * {@link Kcp#flush}, on its thread.
 */
public interface KcpOutput {

    /**
     * Returns how many bytes the layers below (FEC, cipher) add to each datagram, head and tail together. The
     * conversation's own MTU is the configured one minus this.
     *
     * @return bytes, at least 0
     */
    int overheadBytes();

    /**
     * Tells whether parity follows the datagrams. The peer then makes a lost one of that, and acknowledges it when the group
     * is full: late, but no sign of a slow path.
     *
     * @return whether; false unless overridden
     */
    default boolean sendsParity() {
        return false;
    }

    /**
     * Allocates a buffer for one datagram. Its reader and writer index stand behind the room that the layers below need
     * in front, so that each of them fills its own bytes in place.
     *
     * @param datagramBytes how much the conversation will write at most, in bytes
     * @return an empty buffer with that many writable bytes, <b>returned owned</b>
     */
    ByteBuf allocate(int datagramBytes);

    /**
     * Sends one datagram.
     *
     * @param datagram one or more whole segments, <b>taken</b>
     */
    void write(ByteBuf datagram);
}
