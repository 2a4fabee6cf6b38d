package io.kcp.core.conversation;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails the test that leaks a buffer. Every buffer of {@link #allocator()} is counted until it is freed, so that a leak is detected without
 * waiting for a garbage collection. An instance is stored in a field with {@code @RegisterExtension}. In addition, Netty's own leak
 * detector runs at its highest level for buffers of other allocators.
 */
public final class LeakCheck implements AfterEachCallback {

    static {
        // The build sets the same level. This line is needed for tests that run in an IDE.
        System.setProperty("io.netty.leakDetection.level", "paranoid");
    }

    private final TrackedAllocator allocator;
    private final Deque<Runnable> endings = new ArrayDeque<>();

    /** Creates a check that reports where a leaked buffer was allocated. */
    public LeakCheck() {
        this(true);
    }

    /**
     * Creates a check.
     *
     * @param traced {@code true} to report where a leaked buffer was allocated; {@code false} is fast enough for millions of buffers
     */
    public LeakCheck(boolean traced) {
        allocator = new TrackedAllocator(traced);
    }

    /**
     * Returns the allocator whose buffers are counted.
     *
     * @return the allocator
     */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /**
     * Returns the number of buffers that were allocated and not freed.
     *
     * @return buffers
     */
    public int outstanding() {
        return allocator.live.size();
    }

    /**
     * Registers an action to run after the test, before buffers are counted. The action registered last runs first.
     *
     * @param ending the action, for example {@code kcp::release}
     */
    public void atEnd(Runnable ending) {
        endings.push(ending);
    }

    /** Runs the registered actions and fails if a buffer was leaked. Called directly by tests that check many cases in one method. */
    public void verify() {
        while (!endings.isEmpty()) {
            endings.pop().run();
        }
        if (outstanding() > 0) {
            Map.Entry<ByteBuf, Throwable> first = allocator.live.entrySet().iterator().next();
            throw new AssertionError(outstanding() + " buffers were not released; one of them is " + first.getKey()
                + ", allocated here:", first.getValue());
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        verify();
    }

    private static final class TrackedAllocator extends AbstractByteBufAllocator {

        private static final Throwable UNKNOWN = new Throwable("not traced");

        private final Map<ByteBuf, Throwable> live = Collections.synchronizedMap(new IdentityHashMap<>());
        private final boolean traced;

        TrackedAllocator(boolean traced) {
            this.traced = traced;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return track(new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity) {
                @Override
                protected void deallocate() {
                    live.remove(this);
                    super.deallocate();
                }
            });
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return track(new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity) {
                @Override
                protected void deallocate() {
                    live.remove(this);
                    super.deallocate();
                }
            });
        }

        private ByteBuf track(ByteBuf buffer) {
            live.put(buffer, traced ? new Throwable("allocation") : UNKNOWN);
            return buffer;
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
