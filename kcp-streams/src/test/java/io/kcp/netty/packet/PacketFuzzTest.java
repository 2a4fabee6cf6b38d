package io.kcp.netty.packet;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.kcp.netty.packet.PacketException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Compares the decoder with a simple one that has all bytes in one array, and reads fields from arbitrary payloads. A normal build replays
 * the stored inputs; {@code JAZZER_FUZZ=1} searches for new ones.
 */
class PacketFuzzTest {

    private static final int MAX_PAYLOAD_BYTES = 1_000;
    private static final List<Consumer<FieldReader>> FIELDS = List.of(FieldReader::readBoolean, FieldReader::readByte,
        FieldReader::readUnsignedShort, FieldReader::readInt, FieldReader::readUnsignedInt, FieldReader::readLong,
        FieldReader::readFloat, FieldReader::readDouble, FieldReader::readString16, FieldReader::readString32,
        FieldReader::readBytes16, FieldReader::readBytes32, reader -> reader.readRetainedSlice16().release(),
        reader -> reader.readRetainedSlice32().release(), FieldReader::expectEnd);

    /** The packets in a byte array and the fault that ends them, or null. */
    private record Decoded(List<byte[]> packets, @Nullable Reason fault) {
    }

    /** The first byte of an input selects the checksum, and the second one the size of the reads. */
    @FuzzTest(maxDuration = "60s")
    void decoderAgreesWithASimpleDecoder(byte[] input) {
        if (input.length < 2) {
            return;
        }
        boolean checksum = (input[0] & 1) != 0;
        int readBytes = 1 + (input[1] & 0xff);
        byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        Decoded expected = decode(checksum, bytes);
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
        EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(new PacketFormat(MAX_PAYLOAD_BYTES, checksum)));
        channel.config().setAllocator(allocator);
        Reason fault = null;
        for (int from = 0; from < bytes.length && fault == null; from += readBytes) {
            int read = Math.min(readBytes, bytes.length - from);
            try {
                channel.writeInbound(allocator.directBuffer(read).writeBytes(bytes, from, read));
            } catch (PacketException e) {
                fault = e.reason();
            }
        }
        List<byte[]> packets = PacketBytes.packets(channel);
        check(fault == expected.fault, "fault " + fault + ", expected " + expected.fault);
        check(channel.isOpen() == (fault == null), "open after " + fault);
        check(Arrays.deepEquals(packets.toArray(), expected.packets.toArray()), "other packets");
        channel.finishAndReleaseAll();
        check(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory() == 0, "a buffer leaked");
    }

    private static Decoded decode(boolean checksum, byte[] bytes) {
        List<byte[]> packets = new ArrayList<>();
        int trailer = checksum ? 4 : 0;
        for (int at = 0; at + 4 <= bytes.length;) {
            long length = uint32(bytes, at);
            if (length > MAX_PAYLOAD_BYTES) {
                return new Decoded(packets, Reason.PAYLOAD_TOO_LARGE);
            }
            int end = at + 4 + (int) length;
            if (end + trailer > bytes.length) {
                break;
            }
            if (checksum) {
                CRC32 crc = new CRC32();
                crc.update(bytes, at, 4 + (int) length);
                if (crc.getValue() != uint32(bytes, end)) {
                    return new Decoded(packets, Reason.CHECKSUM_MISMATCH);
                }
            }
            packets.add(Arrays.copyOfRange(bytes, at + 4, end));
            at = end + trailer;
        }
        return new Decoded(packets, null);
    }

    private static long uint32(byte[] bytes, int at) {
        return bytes[at] & 0xffL | (bytes[at + 1] & 0xffL) << 8 | (bytes[at + 2] & 0xffL) << 16 | (bytes[at + 3] & 0xffL) << 24;
    }

    /** The first half of an input selects the fields to read, and the second half is the payload. */
    @FuzzTest(maxDuration = "60s")
    void readerThrowsOnlyPacketExceptionsAndConsumesNothingThen(byte[] input) {
        int half = input.length / 2;
        ByteBuf payload = PacketBytes.buffer(input, half, input.length);
        try {
            FieldReader reader = new FieldReader(payload);
            for (int i = 0; i < half; i++) {
                int before = reader.remaining();
                try {
                    FIELDS.get((input[i] & 0xff) % FIELDS.size()).accept(reader);
                } catch (PacketException e) {
                    check(reader.remaining() == before, "a refused field was consumed");
                }
            }
        } finally {
            check(payload.release(), "a slice leaked");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
