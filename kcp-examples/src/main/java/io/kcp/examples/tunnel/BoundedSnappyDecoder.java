package io.kcp.examples.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.SnappyFrameDecoder;
import java.util.List;

/**
 * Netty's decoder of the snappy framing format with a tighter limit on the length of a chunk. Netty buffers chunks of up to 16 MiB,
 * although a chunk contains at most 64 KiB of data.
 */
final class BoundedSnappyDecoder extends SnappyFrameDecoder {

    /** The length of an incompressible chunk of 65,536 bytes in the worst case: 32 + n + n / 6, with type, length and checksum. */
    static final int MAX_CHUNK_BYTES = 32 + 65_536 + 65_536 / 6 + 8;

    BoundedSnappyDecoder() {
        super(true);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        int before = in.readableBytes();
        super.decode(context, in, out);
        if (before > MAX_CHUNK_BYTES && in.readableBytes() == before && out.isEmpty()) {
            in.skipBytes(before);
            throw new DecompressionException("a snappy chunk is longer than " + MAX_CHUNK_BYTES + " bytes");
        }
    }
}
