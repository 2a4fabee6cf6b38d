package io.kcp.netty.base;

/**
 * Marks a channel that is the connection to one peer although it has a parent. Without this interface, a channel whose parent is neither a
 * server channel nor a datagram channel counts as a stream of its parent's connection.
 */
public interface ConnectionChannel {

    /** Returns {@code true} if the peer has proved that it receives data at its address. Called on the event loop. */
    boolean isPeerValidated();
}
