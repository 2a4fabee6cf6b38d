package io.kcp.netty.packet;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** Computes the CRC-32 of packets. One instance serves all packets of one direction of a channel. */
final class PacketChecksum {

    private final CRC32 crc = new CRC32();

    /** Returns the CRC-32 over the length of a payload, as 4 little-endian bytes, and the payload. */
    int of(ByteBuf payload, int index, int length) {
        crc.reset();
        crc.update(length);
        crc.update(length >>> 8);
        crc.update(length >>> 16);
        crc.update(length >>> 24);
        update(payload, index, length);
        return (int) crc.getValue();
    }

    private void update(ByteBuf payload, int index, int length) {
        if (length == 0) {
            return;
        }
        if (payload.hasArray()) {
            crc.update(payload.array(), payload.arrayOffset() + index, length);
        } else if (payload.nioBufferCount() == 1) {
            crc.update(payload.internalNioBuffer(index, length));
        } else {
            for (ByteBuffer part : payload.nioBuffers(index, length)) {
                crc.update(part);
            }
        }
    }
}
