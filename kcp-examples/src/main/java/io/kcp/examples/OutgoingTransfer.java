package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;

/** Produces the header, content and hash of one outgoing file, divided into chunks. Not thread-safe, except for {@link #bytesRead}. */
final class OutgoingTransfer implements Closeable {

    private enum Phase { HEADER, CONTENT, SHA256, OVER }

    private final Path path;
    private final TransferHeader header;
    private final int chunkBytes;
    private final MessageDigest digest = Sha256.newDigest();
    private final InputStream in;
    private volatile long bytesRead;
    private Phase phase = Phase.HEADER;

    /** Opens the file to send. Chunks have at most {@code chunkBytes}, so that each fits into one message. */
    OutgoingTransfer(Path path, String name, int chunkBytes) throws IOException {
        this.path = path;
        this.chunkBytes = chunkBytes;
        header = new TransferHeader(name, Files.size(path));
        in = new DigestInputStream(Files.newInputStream(path), digest);
    }

    long size() {
        return header.size();
    }

    /** Returns the number of bytes that have been read from the file. May be called from any thread. */
    long bytesRead() {
        return bytesRead;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    /** Returns the next chunk, which the caller must release. */
    ByteBuf next(ByteBufAllocator allocator) throws IOException {
        return switch (phase) {
            case HEADER -> {
                phase = header.size() == 0 ? Phase.SHA256 : Phase.CONTENT;
                yield header.encode(allocator);
            }
            case CONTENT -> nextChunk(allocator);
            case SHA256 -> {
                phase = Phase.OVER;
                yield allocator.buffer(Sha256.BYTES).writeBytes(digest.digest());
            }
            case OVER -> throw new IllegalStateException("the transfer is complete");
        };
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private ByteBuf nextChunk(ByteBufAllocator allocator) throws IOException {
        int wanted = (int) Math.min(chunkBytes, header.size() - bytesRead);
        ByteBuf chunk = allocator.directBuffer(wanted);
        try {
            int length = chunk.writeBytes(in, wanted);
            if (length < 0) {
                throw new EOFException("'" + path + "' was truncated while it was being read; send it again");
            }
            long read = bytesRead + length;
            bytesRead = read;
            if (read == header.size()) {
                phase = Phase.SHA256;
            }
            return chunk.retain();
        } finally {
            chunk.release();
        }
    }
}
