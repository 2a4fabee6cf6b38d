package io.kcp.tools.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.SnappyFrameEncoder;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Tests the snappy codec with streams of Go's snappy library and with hostile chunks. */
final class BoundedSnappyDecoderTest {

    private static final byte[] STREAM_START = HexFormat.of().parseHex("ff060000734e61507059");

    @Test
    void roundTripOfIncompressibleData() {
        byte[] data = new byte[300_000];
        new Random(3).nextBytes(data);
        EmbeddedChannel encoder = new EmbeddedChannel(new SnappyFrameEncoder());
        EmbeddedChannel decoder = new EmbeddedChannel(new BoundedSnappyDecoder());
        encoder.writeOutbound(Unpooled.copiedBuffer(data));
        ByteBuf compressed = encoder.readOutbound();
        while (compressed.isReadable()) {
            decoder.writeInbound(compressed.readRetainedSlice(Math.min(1_000, compressed.readableBytes())));
        }
        compressed.release();
        ByteBuf result = Unpooled.buffer();
        for (ByteBuf part = decoder.readInbound(); part != null; part = decoder.readInbound()) {
            result.writeBytes(part);
            part.release();
        }
        assertThat(result).isEqualTo(Unpooled.wrappedBuffer(data));
        encoder.finishAndReleaseAll();
        decoder.finishAndReleaseAll();
    }

    @Test
    void uncompressedChunkOfMaximumLengthIsAccepted() {
        EmbeddedChannel decoder = new EmbeddedChannel(new BoundedSnappyDecoder());
        byte[] zeros = new byte[65_536];
        ByteBuf chunk = Unpooled.buffer().writeBytes(STREAM_START).writeByte(1).writeMediumLE(zeros.length + 4)
            .writeIntLE(maskedCrc(zeros)).writeBytes(zeros);
        decoder.writeInbound(chunk);
        ByteBuf data = decoder.readInbound();
        assertThat(data.readableBytes()).isEqualTo(zeros.length);
        data.release();
        decoder.finishAndReleaseAll();
    }

    private static int maskedCrc(byte[] data) {
        CRC32C crc = new CRC32C();
        crc.update(data);
        return Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
    }

    @Test
    void longChunkIsRefusedBeforeItIsBuffered() {
        EmbeddedChannel decoder = new EmbeddedChannel(new BoundedSnappyDecoder());
        decoder.writeInbound(Unpooled.buffer().writeBytes(STREAM_START).writeByte(0).writeMediumLE(0xffffff));
        assertThatThrownBy(() -> {
            for (int i = 0; i < 100; i++) {
                decoder.writeInbound(Unpooled.wrappedBuffer(new byte[1_000]));
            }
        }).isInstanceOf(DecompressionException.class).hasMessageContaining("longer than");
        decoder.finishAndReleaseAll();
    }

    /** A chunk of 30 bytes that claims to expand to 16 MiB, and repeats one byte. */
    @Test
    void chunkThatExpandsBeyondItsLimitIsRefused() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, false);
        EmbeddedChannel decoder = new EmbeddedChannel();
        decoder.config().setAllocator(allocator);
        decoder.pipeline().addLast(new BoundedSnappyDecoder());
        ByteBuf body = Unpooled.buffer().writeIntLE(1).writeBytes(new byte[] {(byte) 0x80, (byte) 0x80, (byte) 0x80, 8, 0, 7});
        for (int i = 0; i < 7; i++) {
            body.writeByte(0xfe).writeShortLE(1);
        }
        assertThatThrownBy(() -> decoder.writeInbound(Unpooled.buffer().writeBytes(STREAM_START).writeByte(0)
            .writeMediumLE(body.readableBytes()).writeBytes(body))).isInstanceOf(DecoderException.class);
        assertThat(allocator.metric().usedHeapMemory()).isLessThan(70_000);
        decoder.finishAndReleaseAll();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
    }

    @Test
    void wrongChecksumIsRefused() {
        EmbeddedChannel decoder = new EmbeddedChannel(new BoundedSnappyDecoder());
        assertThatThrownBy(() -> decoder.writeInbound(Unpooled.buffer().writeBytes(STREAM_START).writeByte(1).writeMediumLE(5)
            .writeIntLE(1).writeByte(7))).isInstanceOf(DecompressionException.class);
        decoder.finishAndReleaseAll();
    }
}
