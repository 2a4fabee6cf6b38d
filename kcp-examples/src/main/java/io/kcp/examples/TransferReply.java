package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's one answer: {@code accepted:1, text length:2, text:UTF-8}, big endian.
 *
 * @param accepted whether the file is on the receiver's disk, whole and under its name
 * @param text     that name, or why not
 */
record TransferReply(boolean accepted, String text) {

    private static final int FIXED_BYTES = 3;
    private static final int MAX_TEXT_CHARS = 1000;

    ByteBuf encode(ByteBufAllocator allocator) {
        String shortened = text.length() > MAX_TEXT_CHARS ? text.substring(0, MAX_TEXT_CHARS) : text;
        byte[] bytes = shortened.getBytes(StandardCharsets.UTF_8);
        return allocator.buffer(FIXED_BYTES + bytes.length)
            .writeBoolean(accepted).writeShort(bytes.length).writeBytes(bytes);
    }

    /** Reads a reply out of bytes as they come: null as long as some are missing, and then nothing was read. */
    static @Nullable TransferReply decode(ByteBuf in) {
        if (in.readableBytes() < FIXED_BYTES) {
            return null;
        }
        int textBytes = in.getUnsignedShort(in.readerIndex() + 1);
        if (in.readableBytes() < FIXED_BYTES + textBytes) {
            return null;
        }
        boolean accepted = in.readBoolean();
        in.skipBytes(2);
        return new TransferReply(accepted, in.readCharSequence(textBytes, StandardCharsets.UTF_8).toString());
    }
}
