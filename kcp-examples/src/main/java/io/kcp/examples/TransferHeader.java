package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Header of a file transfer, encoded as {@code magic:4 "KCPF", name length:2, name:UTF-8, size:8} in big-endian byte order. The header is
 * followed by the content of the file and its 32-byte SHA-256. The receiver then sends a {@link TransferReply}.
 *
 * @param name the file name, without a path
 * @param size the size of the file in bytes
 */
record TransferHeader(String name, long size) {

    static final int MAX_NAME_BYTES = 255;

    private static final int MAGIC = 0x4B435046;
    private static final int FIXED_BYTES = 6;

    TransferHeader {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("file name of " + name.getBytes(StandardCharsets.UTF_8).length
                + " bytes (expected: 1 to " + MAX_NAME_BYTES + "); send it under a different name with --name");
        }
    }

    ByteBuf encode(ByteBufAllocator allocator) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return allocator.buffer(FIXED_BYTES + bytes.length + Long.BYTES)
            .writeInt(MAGIC).writeShort(bytes.length).writeBytes(bytes).writeLong(size);
    }

    /** Reads a header. Returns {@code null} and leaves the reader index unchanged if the header is incomplete. */
    static @Nullable TransferHeader decode(ByteBuf in) throws IOException {
        if (in.readableBytes() < FIXED_BYTES) {
            return null;
        }
        int start = in.readerIndex();
        int nameBytes = in.getUnsignedShort(start + 4);
        if (in.getInt(start) != MAGIC || nameBytes == 0 || nameBytes > MAX_NAME_BYTES) {
            throw new IOException("the received data is not a file transfer (is the other side a FileSender?)");
        }
        if (in.readableBytes() < FIXED_BYTES + nameBytes + Long.BYTES) {
            return null;
        }
        in.skipBytes(FIXED_BYTES);
        String name = in.readCharSequence(nameBytes, StandardCharsets.UTF_8).toString();
        long size = in.readLong();
        if (size < 0) {
            throw new IOException("invalid file size: " + Long.toUnsignedString(size) + " bytes");
        }
        return new TransferHeader(name, size);
    }
}
