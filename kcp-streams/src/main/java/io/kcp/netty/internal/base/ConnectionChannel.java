package io.kcp.netty.internal.base;

import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;

/**
 * Marks a channel that is the connection to one peer although it has a parent. Without this interface, a channel whose parent is neither a
 * server channel nor a datagram channel counts as a stream of its parent's connection.
 */
public interface ConnectionChannel {

    /** Returns {@code true} if the peer has proved that it receives data at its address. Called on the event loop. */
    boolean isPeerValidated();

    /** Returns the channel that carries a stream, or the channel itself if it is not a stream. */
    static Channel of(Channel channel) {
        Channel connection = channel;
        while (!(connection instanceof ConnectionChannel)) {
            Channel parent = connection.parent();
            if (parent == null || parent instanceof ServerChannel || parent instanceof DatagramChannel) {
                break;
            }
            connection = parent;
        }
        return connection;
    }
}
