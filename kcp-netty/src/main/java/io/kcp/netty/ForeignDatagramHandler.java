package io.kcp.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;

/**
 * Sees datagrams that are not KCP at all: handshakes of a game, health checks, port scans. Called on the event loop; must
 * not block.
 */
@FunctionalInterface
public interface ForeignDatagramHandler {

    /** Knows none. */
    ForeignDatagramHandler NONE = (ctx, packet) -> false;

    /**
     * Looks at a datagram that has no KCP segment in it.
     *
     * @param ctx    to answer with: {@code ctx.writeAndFlush(new DatagramPacket(answer, packet.sender()))}
     * @param packet the datagram, <b>borrowed</b>
     * @return whether it was for this handler; if not it is counted as dropped
     */
    boolean handle(ChannelHandlerContext ctx, DatagramPacket packet);
}
