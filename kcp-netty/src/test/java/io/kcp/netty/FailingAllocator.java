package io.kcp.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.atomic.AtomicInteger;

/** An allocator that delegates to another one and fails the allocations that a test selects. */
final class FailingAllocator extends AbstractByteBufAllocator {

    private static final int NEVER = -1;

    private final ByteBufAllocator memory;
    private final AtomicInteger failuresLeft = new AtomicInteger();
    private volatile int allowed = NEVER;

    FailingAllocator(ByteBufAllocator memory) {
        super(true);
        this.memory = memory;
    }

    /** Lets the next {@code allocations} allocations succeed and the following {@code failures} fail. */
    void failAfter(int allocations, int failures) {
        failuresLeft.set(failures);
        allowed = allocations;
    }

    /** Lets all allocations succeed again. Returns the number of requested failures that did not occur. */
    int stopFailing() {
        allowed = NEVER;
        return failuresLeft.getAndSet(0);
    }

    int failuresLeft() {
        return failuresLeft.get();
    }

    private void check() {
        if (allowed > 0) {
            allowed--;
        } else if (allowed == 0 && failuresLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("no memory, thrown by the test");
        }
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        check();
        return memory.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        check();
        return memory.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
