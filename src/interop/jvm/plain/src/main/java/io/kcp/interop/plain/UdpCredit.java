package io.kcp.interop.plain;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Encodes and decodes credit datagrams. A credit datagram contains the number of datagrams that the server has received from a client. */
final class UdpCredit {

    private static final int MARK = 0x63726564;
    private static final int BYTES = Integer.BYTES + Long.BYTES;

    private UdpCredit() {
    }

    static ByteBuf write(ByteBufAllocator alloc, long received) {
        return alloc.directBuffer(BYTES).writeInt(MARK).writeLong(received);
    }

    static boolean is(ByteBuf datagram) {
        return datagram.readableBytes() == BYTES && datagram.getInt(datagram.readerIndex()) == MARK;
    }

    static long read(ByteBuf datagram) {
        return datagram.getLong(datagram.readerIndex() + Integer.BYTES);
    }
}
