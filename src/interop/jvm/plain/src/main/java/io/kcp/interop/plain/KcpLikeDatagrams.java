package io.kcp.interop.plain;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;

/**
 * Sends the datagrams that a KCP echo would send, but without a protocol. A request has the 24 bytes of a KCP header before the message. A
 * response has two such headers, because it contains the acknowledgement of the request. The client acknowledges each read batch with a
 * datagram of 24 bytes, which the server discards. All headers consist of zeros.
 */
final class KcpLikeDatagrams extends ChannelDuplexHandler {

    private static final int HEADER_BYTES = 24;
    private static final int RESPONSE_HEADER_BYTES = 2 * HEADER_BYTES;

    private final boolean server;
    private InetSocketAddress unacknowledged;

    KcpLikeDatagrams(boolean server) {
        this.server = server;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        if (server && packet.content().readableBytes() == HEADER_BYTES) {
            packet.release();
            return;
        }
        packet.content().skipBytes(server ? HEADER_BYTES : RESPONSE_HEADER_BYTES);
        if (!server) {
            unacknowledged = packet.sender();
        }
        ctx.fireChannelRead(packet);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        if (unacknowledged != null) {
            ctx.writeAndFlush(new DatagramPacket(ctx.alloc().directBuffer(HEADER_BYTES).writeZero(HEADER_BYTES), unacknowledged),
                ctx.voidPromise());
            unacknowledged = null;
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        DatagramPacket packet = (DatagramPacket) message;
        int headerBytes = server ? RESPONSE_HEADER_BYTES : HEADER_BYTES;
        ByteBuf datagram = ctx.alloc().directBuffer(headerBytes + packet.content().readableBytes()).writeZero(headerBytes)
            .writeBytes(packet.content());
        ctx.write(new DatagramPacket(datagram, packet.recipient()), promise);
        packet.release();
    }
}
