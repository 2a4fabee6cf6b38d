package io.kcp.netty.blocking;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Collects the messages of a read batch on the event loop, so that the lock of the {@link ReceiveHandoff} is taken once per batch and not
 * once per message. Used only on the event loop.
 */
final class LoopStaging {

    /**
     * Number of collected bytes at which they are moved before the end of the batch, so that the reading thread can process them in
     * parallel.
     */
    private static final int MAX_BYTES = 131_072;
    private static final int MIN_ARRAY_BYTES = 512;
    private static final byte[] NONE = {};

    private byte[] array = NONE;
    private int bytes;

    /**
     * Adds the readable bytes of a message. Moves all collected bytes to a buffer if they fill that buffer or if there are at least
     * {@value #MAX_BYTES} of them.
     *
     * @param message the bytes, <b>borrowed</b>
     * @return {@code true} if the bytes were moved
     */
    boolean add(ByteBuf message, ReceiveHandoff target) {
        int length = message.readableBytes();
        int needed = Math.addExact(bytes, length);
        if (needed > array.length) {
            array = Arrays.copyOf(array, Math.max(needed, Math.max(MIN_ARRAY_BYTES, 2 * array.length)));
        }
        message.readBytes(array, bytes, length);
        bytes = needed;
        boolean moves = bytes >= MAX_BYTES || target.isFullWith(bytes);
        if (moves) {
            moveTo(target);
        }
        return moves;
    }

    /** Moves all collected bytes to a buffer. */
    void moveTo(ReceiveHandoff target) {
        if (bytes > 0) {
            array = target.add(array, bytes);
            bytes = 0;
        }
    }

    /** Releases the array if it contains no bytes. */
    void releaseIdleMemory() {
        if (bytes == 0) {
            array = NONE;
        }
    }
}
