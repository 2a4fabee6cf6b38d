package io.kcp.netty.internal.socket;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** An allocator of direct memory that throws {@link OutOfMemoryError} while a test has switched it off. */
public final class SwitchedAllocator extends AbstractByteBufAllocator {

    private final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true, true);
    private volatile boolean fails;

    public SwitchedAllocator() {
        super(true);
    }

    public void fail(boolean on) {
        fails = on;
    }

    public long usedDirectMemory() {
        return source.metric().usedDirectMemory();
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (fails) {
            throw new OutOfMemoryError("no direct memory, thrown by the test");
        }
        return source.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return source.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
