package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** A datagram with its IPv4 addresses. The links of the test kit carry buffers only, so the addresses precede the payload there. */
record AddressedDatagram(InetSocketAddress from, InetSocketAddress to, ByteBuf content) {

    private static final int IPV4_BYTES = 4;
    private static final int ADDRESSES_BYTES = 2 * (IPV4_BYTES + Short.BYTES);

    /** Copies a packet into a buffer with both addresses, and releases the packet. */
    static ByteBuf write(ByteBufAllocator allocator, InetSocketAddress from, DatagramPacket packet) {
        ByteBuf content = packet.content();
        ByteBuf datagram = allocator.directBuffer(ADDRESSES_BYTES + content.readableBytes());
        writeAddress(datagram, from);
        writeAddress(datagram, packet.recipient());
        datagram.writeBytes(content);
        packet.release();
        return datagram;
    }

    /** Reads the addresses. The content is the rest of the same buffer. */
    static AddressedDatagram read(ByteBuf datagram) {
        return new AddressedDatagram(readAddress(datagram), readAddress(datagram), datagram);
    }

    private static void writeAddress(ByteBuf out, InetSocketAddress address) {
        out.writeBytes(address.getAddress().getAddress()).writeShort(address.getPort());
    }

    private static InetSocketAddress readAddress(ByteBuf in) {
        byte[] ip = new byte[IPV4_BYTES];
        in.readBytes(ip);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(ip), in.readUnsignedShort());
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
