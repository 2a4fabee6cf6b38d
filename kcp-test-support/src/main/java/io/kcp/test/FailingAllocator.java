package io.kcp.test;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.atomic.AtomicInteger;

/** An allocator that delegates to another one and fails the allocations that a test selects. */
public final class FailingAllocator extends AbstractByteBufAllocator {

    private static final int NEVER = -1;

    private final ByteBufAllocator memory;
    private final AtomicInteger failuresLeft = new AtomicInteger();
    private final AtomicInteger allowed = new AtomicInteger(NEVER);

    /**
     * Creates an allocator that does not fail yet.
     *
     * @param memory allocates the buffers
     */
    public FailingAllocator(ByteBufAllocator memory) {
        super(true);
        this.memory = memory;
    }

    /**
     * Lets some allocations succeed and the following ones fail with {@link OutOfMemoryError}.
     *
     * @param allocations the number of allocations that succeed first
     * @param failures    the number of allocations that fail afterwards
     */
    public void failAfter(int allocations, int failures) {
        failuresLeft.set(failures);
        allowed.set(allocations);
    }

    /** Fails all allocations until {@link #stopFailing}. */
    public void fail() {
        failAfter(0, Integer.MAX_VALUE);
    }

    /**
     * Lets all allocations succeed again.
     *
     * @return the number of requested failures that did not occur
     */
    public int stopFailing() {
        allowed.set(NEVER);
        return failuresLeft.getAndSet(0);
    }

    /**
     * Returns the number of requested failures that have not occurred yet.
     *
     * @return failures
     */
    public int failuresLeft() {
        return failuresLeft.get();
    }

    private void check() {
        int before = allowed.getAndUpdate(left -> left > 0 ? left - 1 : left);
        if (before == 0 && failuresLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
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
