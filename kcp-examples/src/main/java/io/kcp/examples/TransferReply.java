package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reply of the receiver to a file transfer, encoded as {@code accepted:1, text length:2, text:UTF-8} in big-endian byte order.
 *
 * @param accepted {@code true} if the complete file is on the receiver's disk under its name
 * @param text     the name of the file if it was accepted, otherwise the reason for the refusal
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

    /** Reads a reply. Returns {@code null} and leaves the reader index unchanged if the reply is incomplete. */
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
