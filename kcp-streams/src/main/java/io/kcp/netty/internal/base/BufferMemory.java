package io.kcp.netty.internal.base;

import io.netty.buffer.ByteBuf;

/** Reports how much memory a buffer keeps allocated. */
public final class BufferMemory {

    private BufferMemory() {
    }

    /** Returns the capacity of the buffer that a <b>borrowed</b> slice keeps allocated, or of the buffer itself if it is not a slice. */
    public static int rootCapacity(ByteBuf slice) {
        ByteBuf root = slice;
        for (ByteBuf next = root.unwrap(); next != null; next = root.unwrap()) {
            root = next;
        }
        return root.capacity();
    }
}
