package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.netty.packet.PacketException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FieldReaderTest {

    private static final List<Consumer<FieldReader>> FIELDS = List.of(FieldReader::readBoolean, FieldReader::readByte,
        FieldReader::readUnsignedByte, FieldReader::readShort, FieldReader::readUnsignedShort, FieldReader::readInt,
        FieldReader::readUnsignedInt, FieldReader::readLong, FieldReader::readFloat, FieldReader::readDouble,
        FieldReader::readString16, FieldReader::readString32, FieldReader::readBytes16, FieldReader::readBytes32,
        reader -> reader.readRetainedSlice16().release(), reader -> reader.readRetainedSlice32().release());

    private final ByteBuf buffer = Unpooled.directBuffer();
    private final FieldWriter writer = new FieldWriter(buffer);
    private final FieldReader reader = new FieldReader(buffer);

    @AfterEach
    void release() {
        buffer.release();
    }

    @Test
    void goldenBytes() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {9, 8});
        writer.writeBoolean(true).writeByte(-2).writeShort(0x1234).writeInt(0x12345678).writeLong(0x0102030405060708L)
            .writeFloat(1.5f).writeDouble(-2.5).writeString16("hé").writeString32("").writeBytes16(new byte[] {7}).writeBytes32(bytes);
        assertThat(ByteBufUtil.getBytes(buffer)).isEqualTo(PacketBytes.hex("01 fe 3412 78563412 0807060504030201"
            + "0000c03f 00000000000004c0 0300 68c3a9 00000000 0100 07 02000000 0908"));
        assertThat(bytes.readableBytes()).isEqualTo(2);
        assertThat(reader.readBoolean()).isTrue();
        assertThat(reader.readByte()).isEqualTo((byte) -2);
        assertThat(reader.readShort()).isEqualTo((short) 0x1234);
        assertThat(reader.readInt()).isEqualTo(0x12345678);
        assertThat(reader.readLong()).isEqualTo(0x0102030405060708L);
        assertThat(reader.readFloat()).isEqualTo(1.5f);
        assertThat(reader.readDouble()).isEqualTo(-2.5);
        assertThat(reader.readString16()).isEqualTo("hé");
        assertThat(reader.readString32()).isEmpty();
        assertThat(reader.readBytes16()).containsExactly(7);
        assertThat(reader.remaining()).isEqualTo(6);
        assertThat(reader.readBytes32()).containsExactly(9, 8);
        reader.expectEnd();
    }

    @Test
    void unsignedValues() {
        writer.writeByte(255).writeShort(65_535).writeInt(-1);
        assertThat(reader.readUnsignedByte()).isEqualTo(255);
        assertThat(reader.readUnsignedShort()).isEqualTo(65_535);
        assertThat(reader.readUnsignedInt()).isEqualTo(0xffffffffL);
    }

    @Test
    void longestFieldsOf16Bits() {
        String longest = "x".repeat(65_535);
        writer.writeString16(longest).writeBytes16(new byte[65_535]);
        assertThat(reader.readString16()).isEqualTo(longest);
        ByteBuf slice = reader.readRetainedSlice16();
        assertThat(slice.readableBytes()).isEqualTo(65_535);
        slice.release();
        reader.expectEnd();
    }

    @Test
    void fieldsTooLongFor16BitsAreRefused() {
        assertThatThrownBy(() -> writer.writeString16("é".repeat(32_768))).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("string: 65536 bytes, must be at most 65535 for a 16-bit length. Use the method with the suffix 32.");
        assertThatThrownBy(() -> writer.writeBytes16(new byte[70_000])).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("bytes: 70000 bytes, must be at most 65535 for a 16-bit length. Use the method with the suffix 32.");
        assertThat(buffer.readableBytes()).isZero();
    }

    @Test
    void everyFieldOfAnEmptyPacketIsTruncated() {
        for (Consumer<FieldReader> field : FIELDS) {
            assertThatThrownBy(() -> field.accept(reader))
                .isInstanceOfSatisfying(PacketException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FIELD_TRUNCATED));
        }
    }

    @Test
    void announcedLengthBeyondThePacketIsRefusedAndNotConsumed() {
        buffer.writeBytes(PacketBytes.hex("ffffffff 41"));
        assertThatThrownBy(reader::readString32).isInstanceOf(PacketException.class).hasMessage(
            "A field of type string at index 0 needs 4294967299 bytes, but only 5 remain in the packet.");
        assertThatThrownBy(reader::readBytes16).isInstanceOf(PacketException.class);
        assertThatThrownBy(reader::readRetainedSlice32).isInstanceOf(PacketException.class);
        assertThat(reader.remaining()).isEqualTo(5);
    }

    @Test
    void trailingBytesAreReported() {
        writer.writeInt(1).writeByte(2);
        reader.readInt();
        assertThatThrownBy(reader::expectEnd).isInstanceOfSatisfying(PacketException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.TRAILING_BYTES))
            .hasMessage("1 bytes follow the last field of the packet, at index 4.");
    }

    @Test
    void invalidUtf8IsReplaced() {
        buffer.writeBytes(PacketBytes.hex("0200 c328"));
        assertThat(reader.readString16()).isEqualTo("\ufffd(");
    }

    @Test
    void readerAndWriterAreReusable() {
        ByteBuf other = Unpooled.buffer();
        assertThat(writer.wrap(other).writeInt(5).buffer()).isSameAs(other);
        assertThat(reader.wrap(other).readInt()).isEqualTo(5);
        assertThat(buffer.readableBytes()).isZero();
        other.release();
    }

    @Test
    void randomPayloadsThrowOnlyPacketExceptions() {
        for (long seed = 1; seed <= 20_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            buffer.clear().writeBytes(PacketBytes.random(random, random.nextInt(50)));
            int before = buffer.readableBytes();
            try {
                while (reader.remaining() > 0) {
                    before = reader.remaining();
                    FIELDS.get(random.nextInt(FIELDS.size())).accept(reader);
                }
                reader.expectEnd();
            } catch (PacketException e) {
                assertThat(reader.remaining()).as("seed %d", seed).isEqualTo(before);
            }
        }
        assertThat(buffer.refCnt()).isEqualTo(1);
    }
}
