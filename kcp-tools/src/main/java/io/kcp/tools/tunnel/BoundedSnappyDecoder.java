package io.kcp.tools.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.SnappyFrameDecoder;
import java.util.List;

/**
 * Decodes the snappy framing format with Netty's decoder, and limits the length of a chunk. Netty's decoder buffers chunks of up to
 * 16 MiB, although a chunk contains at most 64 KiB of data.
 */
final class BoundedSnappyDecoder extends SnappyFrameDecoder {

    /**
     * Limits the length of a chunk. The compressed form of n bytes has at most 32 + n + n / 6 bytes, and the type, the length and
     * the checksum of a chunk have 8 bytes.
     */
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
