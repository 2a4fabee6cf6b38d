package io.kcp.core;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Allocates heap buffers from another allocator, and throws {@link OutOfMemoryError} while {@link #fail} is set. */
final class FailingAllocator extends AbstractByteBufAllocator {

    private final ByteBufAllocator source;
    private boolean fails;

    FailingAllocator(ByteBufAllocator source) {
        this.source = source;
    }

    void fail(boolean on) {
        fails = on;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        if (fails) {
            throw new OutOfMemoryError("no memory, thrown by the test");
        }
        return source.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return newHeapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
