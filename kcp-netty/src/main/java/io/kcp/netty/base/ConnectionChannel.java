package io.kcp.netty.base;

/**
 * Implemented by channels that are connections to one peer although they have a parent. Without this interface, a channel whose parent is
 * not a server or datagram channel counts as a stream of the connection of its parent.
 */
public interface ConnectionChannel {
}
