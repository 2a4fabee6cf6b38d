package io.kcp.netty.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Writes the fields of a payload in little-endian order. Strings and byte arrays are preceded by their 16-bit or 32-bit length in bytes.
 * The writer does not release the buffer, and {@link #wrap} reuses the writer for another buffer.
 *
 * <pre>{@code
 * ByteBuf payload = context.alloc().buffer();
 * new FieldWriter(payload).writeShort(type).writeString16(name).writeFloat(x).writeFloat(y);
 * context.writeAndFlush(payload);
 * }</pre>
 *
 * <p>If a method rejects a value, or if the buffer has too little room, nothing is written.
 */
public final class FieldWriter {

    private static final int MAX_LENGTH_16 = 0xffff;

    private ByteBuf buffer;

    /**
     * Creates a writer that appends to a buffer.
     *
     * @param buffer the buffer, <b>borrowed</b>
     */
    public FieldWriter(ByteBuf buffer) {
        this.buffer = buffer;
    }

    /**
     * Makes this writer append to another buffer.
     *
     * @param other the buffer, <b>borrowed</b>
     * @return this writer
     */
    public FieldWriter wrap(ByteBuf other) {
        buffer = other;
        return this;
    }

    /**
     * Returns the buffer that this writer appends to.
     *
     * @return the buffer, <b>borrowed</b>
     */
    public ByteBuf buffer() {
        return buffer;
    }

    /**
     * Writes a boolean as one byte, 1 or 0.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeBoolean(boolean value) {
        buffer.writeBoolean(value);
        return this;
    }

    /**
     * Writes the low 8 bits of an integer.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeByte(int value) {
        buffer.writeByte(value);
        return this;
    }

    /**
     * Writes the low 16 bits of an integer.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeShort(int value) {
        buffer.writeShortLE(value);
        return this;
    }

    /**
     * Writes a 32-bit integer.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeInt(int value) {
        buffer.writeIntLE(value);
        return this;
    }

    /**
     * Writes a 64-bit integer.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeLong(long value) {
        buffer.writeLongLE(value);
        return this;
    }

    /**
     * Writes a 32-bit IEEE 754 floating-point number.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeFloat(float value) {
        buffer.writeFloatLE(value);
        return this;
    }

    /**
     * Writes a 64-bit IEEE 754 floating-point number.
     *
     * @param value the value
     * @return this writer
     */
    public FieldWriter writeDouble(double value) {
        buffer.writeDoubleLE(value);
        return this;
    }

    /**
     * Writes the length of a string in bytes as a 16-bit integer, and then the string in UTF-8.
     *
     * @param value the string
     * @return this writer
     * @throws IllegalArgumentException if the string takes more than 65,535 bytes
     */
    public FieldWriter writeString16(CharSequence value) {
        int length = ByteBufUtil.utf8Bytes(value);
        return lengthOf16("string", length).string(value, length);
    }

    /**
     * Writes the length of a string in bytes as a 32-bit integer, and then the string in UTF-8.
     *
     * @param value the string
     * @return this writer
     */
    public FieldWriter writeString32(CharSequence value) {
        int length = ByteBufUtil.utf8Bytes(value);
        return lengthOf32(length).string(value, length);
    }

    /**
     * Writes the number of bytes as a 16-bit integer, and then the bytes.
     *
     * @param value the bytes
     * @return this writer
     * @throws IllegalArgumentException if there are more than 65,535 bytes
     */
    public FieldWriter writeBytes16(byte[] value) {
        return lengthOf16("bytes", value.length).bytes(value);
    }

    /**
     * Writes the number of readable bytes of a buffer as a 16-bit integer, and then these bytes. The indices of the buffer are not changed.
     *
     * @param value the bytes, <b>borrowed</b>
     * @return this writer
     * @throws IllegalArgumentException if there are more than 65,535 bytes
     */
    public FieldWriter writeBytes16(ByteBuf value) {
        return lengthOf16("bytes", value.readableBytes()).bytes(value);
    }

    /**
     * Writes the number of bytes as a 32-bit integer, and then the bytes.
     *
     * @param value the bytes
     * @return this writer
     */
    public FieldWriter writeBytes32(byte[] value) {
        return lengthOf32(value.length).bytes(value);
    }

    /**
     * Writes the number of readable bytes of a buffer as a 32-bit integer, and then these bytes. The indices of the buffer are not changed.
     *
     * @param value the bytes, <b>borrowed</b>
     * @return this writer
     */
    public FieldWriter writeBytes32(ByteBuf value) {
        return lengthOf32(value.readableBytes()).bytes(value);
    }

    private FieldWriter lengthOf16(String name, int length) {
        if (length > MAX_LENGTH_16) {
            throw new IllegalArgumentException(name + ": " + length + " bytes, must be at most " + MAX_LENGTH_16
                + " for a 16-bit length. Use the method with the suffix 32.");
        }
        buffer.ensureWritable(Short.BYTES + length).writeShortLE(length);
        return this;
    }

    private FieldWriter lengthOf32(int length) {
        buffer.ensureWritable(Math.addExact(Integer.BYTES, length)).writeIntLE(length);
        return this;
    }

    private FieldWriter string(CharSequence value, int length) {
        ByteBufUtil.reserveAndWriteUtf8(buffer, value, length);
        return this;
    }

    private FieldWriter bytes(byte[] value) {
        buffer.writeBytes(value);
        return this;
    }

    private FieldWriter bytes(ByteBuf value) {
        buffer.writeBytes(value, value.readerIndex(), value.readableBytes());
        return this;
    }
}
