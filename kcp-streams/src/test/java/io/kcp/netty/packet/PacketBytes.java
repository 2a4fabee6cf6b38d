package io.kcp.netty.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;

/** Builds encoded packets independently of the codec, and reads the packets of embedded channels. */
final class PacketBytes {

    private PacketBytes() {
    }

    static byte[] hex(String digits) {
        return ByteBufUtil.decodeHexDump(digits.replace(" ", ""));
    }

    static byte[] random(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Encodes packets by the rule: length, payload, CRC-32 over both. */
    static byte[] encode(boolean checksum, List<byte[]> payloads) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] payload : payloads) {
            int length = payload.length;
            byte[] header = {(byte) length, (byte) (length >> 8), (byte) (length >> 16), (byte) (length >> 24)};
            bytes.writeBytes(header);
            bytes.writeBytes(payload);
            if (checksum) {
                CRC32 crc = new CRC32();
                crc.update(header);
                crc.update(payload);
                long value = crc.getValue();
                bytes.writeBytes(new byte[] {(byte) value, (byte) (value >> 8), (byte) (value >> 16), (byte) (value >> 24)});
            }
        }
        return bytes.toByteArray();
    }

    static ByteBuf buffer(byte[] bytes) {
        return buffer(bytes, 0, bytes.length);
    }

    /** Returns a direct buffer, because sockets read into direct buffers. */
    static ByteBuf buffer(byte[] bytes, int from, int to) {
        return Unpooled.directBuffer(Math.max(1, to - from)).writeBytes(bytes, from, to - from);
    }

    /** Returns and releases all packets that the channel has delivered. */
    static List<byte[]> packets(EmbeddedChannel channel) {
        List<byte[]> packets = new ArrayList<>();
        for (ByteBuf packet = channel.readInbound(); packet != null; packet = channel.readInbound()) {
            packets.add(take(packet));
        }
        return packets;
    }

    /** Returns and releases all bytes that the channel has written. */
    static byte[] written(EmbeddedChannel channel) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ByteBuf buffer = channel.readOutbound(); buffer != null; buffer = channel.readOutbound()) {
            bytes.writeBytes(take(buffer));
        }
        return bytes.toByteArray();
    }

    static byte[] take(ByteBuf buffer) {
        byte[] bytes = ByteBufUtil.getBytes(buffer);
        buffer.release();
        return bytes;
    }
}
