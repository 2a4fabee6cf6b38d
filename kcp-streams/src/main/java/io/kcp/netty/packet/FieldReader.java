package io.kcp.netty.packet;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of a payload that {@link FieldWriter} or go-packetconn wrote. The reader does not release the buffer, and
 * {@link #wrap} reuses the reader for another buffer.
 *
 * <p>If a field extends beyond the end of the buffer, its method throws a {@link PacketException} with
 * {@link PacketException.Reason#FIELD_TRUNCATED} and consumes nothing. A length that the peer sent is compared with the readable bytes
 * before anything is allocated.
 */
public final class FieldReader {

    private ByteBuf buffer;

    /**
     * Creates a reader that consumes a buffer.
     *
     * @param buffer the buffer, <b>borrowed</b>
     */
    public FieldReader(ByteBuf buffer) {
        this.buffer = buffer;
    }

    /**
     * Makes this reader read from another buffer.
     *
     * @param other the buffer, <b>borrowed</b>
     * @return this reader
     */
    public FieldReader wrap(ByteBuf other) {
        buffer = other;
        return this;
    }

    /**
     * Returns the number of bytes that have not been read.
     *
     * @return bytes
     */
    public int remaining() {
        return buffer.readableBytes();
    }

    /**
     * Checks that all fields have been read.
     *
     * @throws PacketException with {@link PacketException.Reason#TRAILING_BYTES} if bytes remain
     */
    public void expectEnd() {
        if (buffer.isReadable()) {
            throw new PacketException(PacketException.Reason.TRAILING_BYTES, buffer.readableBytes()
                + " bytes follow the last field of the packet, at index " + buffer.readerIndex() + ".");
        }
    }

    /**
     * Reads a boolean of one byte. Every value except 0 is true.
     *
     * @return the value
     */
    public boolean readBoolean() {
        return fixed("boolean", 1).readBoolean();
    }

    /**
     * Reads a signed 8-bit integer.
     *
     * @return the value
     */
    public byte readByte() {
        return fixed("byte", 1).readByte();
    }

    /**
     * Reads an unsigned 8-bit integer.
     *
     * @return the value, 0 to 255
     */
    public int readUnsignedByte() {
        return fixed("byte", 1).readUnsignedByte();
    }

    /**
     * Reads a signed 16-bit integer.
     *
     * @return the value
     */
    public short readShort() {
        return fixed("short", Short.BYTES).readShortLE();
    }

    /**
     * Reads an unsigned 16-bit integer.
     *
     * @return the value, 0 to 65,535
     */
    public int readUnsignedShort() {
        return fixed("short", Short.BYTES).readUnsignedShortLE();
    }

    /**
     * Reads a signed 32-bit integer.
     *
     * @return the value
     */
    public int readInt() {
        return fixed("int", Integer.BYTES).readIntLE();
    }

    /**
     * Reads an unsigned 32-bit integer.
     *
     * @return the value, 0 to 2<sup>32</sup> − 1
     */
    public long readUnsignedInt() {
        return fixed("int", Integer.BYTES).readUnsignedIntLE();
    }

    /**
     * Reads a signed 64-bit integer.
     *
     * @return the value
     */
    public long readLong() {
        return fixed("long", Long.BYTES).readLongLE();
    }

    /**
     * Reads a 32-bit IEEE 754 floating-point number.
     *
     * @return the value
     */
    public float readFloat() {
        return fixed("float", Float.BYTES).readFloatLE();
    }

    /**
     * Reads a 64-bit IEEE 754 floating-point number.
     *
     * @return the value
     */
    public double readDouble() {
        return fixed("double", Double.BYTES).readDoubleLE();
    }

    /**
     * Reads a UTF-8 string that is preceded by its 16-bit length in bytes. Bytes that are not valid UTF-8 become U+FFFD.
     *
     * @return the string
     */
    public String readString16() {
        return string(length16("string"));
    }

    /**
     * Reads a UTF-8 string that is preceded by its 32-bit length in bytes. Bytes that are not valid UTF-8 become U+FFFD.
     *
     * @return the string
     */
    public String readString32() {
        return string(length32("string"));
    }

    /**
     * Reads a byte array that is preceded by its 16-bit length.
     *
     * @return the bytes
     */
    public byte[] readBytes16() {
        return bytes(length16("bytes"));
    }

    /**
     * Reads a byte array that is preceded by its 32-bit length.
     *
     * @return the bytes
     */
    public byte[] readBytes32() {
        return bytes(length32("bytes"));
    }

    /**
     * Reads bytes that are preceded by their 16-bit length, and returns them as a slice instead of a copy. The slice keeps the whole
     * packet alive until it is released.
     *
     * @return the bytes, <b>returned owned</b>
     */
    public ByteBuf readRetainedSlice16() {
        return buffer.readRetainedSlice(length16("bytes"));
    }

    /**
     * Reads bytes that are preceded by their 32-bit length, and returns them as a slice instead of a copy. The slice keeps the whole
     * packet alive until it is released.
     *
     * @return the bytes, <b>returned owned</b>
     */
    public ByteBuf readRetainedSlice32() {
        return buffer.readRetainedSlice(length32("bytes"));
    }

    private ByteBuf fixed(String type, int bytes) {
        if (buffer.readableBytes() < bytes) {
            throw truncated(type, bytes, buffer.readerIndex());
        }
        return buffer;
    }

    private int length16(String type) {
        int length = fixed(type, Short.BYTES).getUnsignedShortLE(buffer.readerIndex());
        return consumeLength(type, Short.BYTES, length);
    }

    private int length32(String type) {
        long length = fixed(type, Integer.BYTES).getUnsignedIntLE(buffer.readerIndex());
        return consumeLength(type, Integer.BYTES, length);
    }

    private int consumeLength(String type, int lengthBytes, long length) {
        if (length > buffer.readableBytes() - lengthBytes) {
            throw truncated(type, length + lengthBytes, buffer.readerIndex());
        }
        buffer.skipBytes(lengthBytes);
        return (int) length;
    }

    private PacketException truncated(String type, long bytes, int index) {
        return new PacketException(PacketException.Reason.FIELD_TRUNCATED, "A field of type " + type + " at index " + index + " needs "
            + bytes + " bytes, but only " + buffer.readableBytes() + " remain in the packet.");
    }

    private String string(int length) {
        String value = buffer.toString(buffer.readerIndex(), length, StandardCharsets.UTF_8);
        buffer.skipBytes(length);
        return value;
    }

    private byte[] bytes(int length) {
        byte[] value = new byte[length];
        buffer.readBytes(value);
        return value;
    }
}
