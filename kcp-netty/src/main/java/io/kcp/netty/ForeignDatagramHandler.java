package io.kcp.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;

/**
 * Handles datagrams that are not KCP, such as game handshakes, health checks and port scans. The handler is called on the event loop and
 * must not block.
 */
@FunctionalInterface
public interface ForeignDatagramHandler {

    /** Handles no datagram. */
    ForeignDatagramHandler NONE = (ctx, packet) -> false;

    /**
     * Handles a datagram that does not begin with a KCP segment.
     *
     * @param ctx the context for sending a response: {@code ctx.writeAndFlush(new DatagramPacket(answer, packet.sender()))}
     * @param packet the datagram, <b>borrowed</b>
     * @return {@code true} if this handler handled the datagram; otherwise it is counted as dropped
     */
    boolean handle(ChannelHandlerContext ctx, DatagramPacket packet);
}
