package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** Compares the echo of one message with the message. The echo may arrive in pieces. */
final class ExpectedReply {

    private final ByteBuf message;
    private int comparedBytes;

    ExpectedReply(byte[] message) {
        this.message = Unpooled.wrappedBuffer(message);
    }

    /**
     * Compares a piece, which is taken, with the next bytes of the message, and returns {@code true} if the echo is complete. The next
     * piece then begins a new echo.
     *
     * @throws IllegalStateException if the piece differs or is too long
     */
    boolean completes(ByteBuf piece) {
        try {
            return compare(piece);
        } finally {
            piece.release();
        }
    }

    private boolean compare(ByteBuf piece) {
        int bytes = piece.readableBytes();
        int missingBytes = message.readableBytes() - comparedBytes;
        if (bytes > missingBytes) {
            throw new IllegalStateException("the echo is longer than the message: expected " + missingBytes + " bytes, received " + bytes);
        }
        if (!ByteBufUtil.equals(message, comparedBytes, piece, piece.readerIndex(), bytes)) {
            throw new IllegalStateException("the echo differs from the message");
        }
        comparedBytes = bytes == missingBytes ? 0 : comparedBytes + bytes;
        return comparedBytes == 0;
    }
}
