package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;

/** Finds messages of equal size in the pieces of a stream, and reads the eight bytes with which each of them begins. */
final class StampReader {

    private final int messageBytes;
    private int position;
    private long stamp;

    StampReader(int messageBytes) {
        this.messageBytes = messageBytes;
    }

    /** Reads from a piece until one message is complete. Returns {@code false} if the piece has ended before. */
    boolean next(ByteBuf piece) {
        while (piece.isReadable()) {
            if (position == 0 && piece.readableBytes() >= Long.BYTES) {
                stamp = piece.readLong();
                position = Long.BYTES;
            } else if (position < Long.BYTES) {
                stamp = stamp << Byte.SIZE | piece.readUnsignedByte();
                position++;
            }
            if (position >= Long.BYTES) {
                int bytes = Math.min(messageBytes - position, piece.readableBytes());
                piece.skipBytes(bytes);
                position += bytes;
                if (position == messageBytes) {
                    position = 0;
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the stamp of the message that {@link #next} has completed. */
    long stamp() {
        return stamp;
    }
}
