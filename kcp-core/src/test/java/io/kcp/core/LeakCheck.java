package io.kcp.core;

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
 * Fails the very test that leaves a buffer behind: every buffer of {@link #allocator()} is counted until it is freed, so
 * no garbage collection is waited for. To be put in a field with {@code @RegisterExtension}. Netty's own detector runs at
 * its highest level beside it, for buffers that come from elsewhere.
 */
public final class LeakCheck implements AfterEachCallback {

    static {
        // The build sets the same; this is for runs from an IDE.
        System.setProperty("io.netty.leakDetection.level", "paranoid");
    }

    private final TrackedAllocator allocator;
    private final Deque<Runnable> endings = new ArrayDeque<>();

    /** Creates a check that tells where a lost buffer was allocated. */
    public LeakCheck() {
        this(true);
    }

    /**
     * Creates a check.
     *
     * @param traced whether it tells where a lost buffer was allocated; without that it is fast enough for millions
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
     * Returns how many buffers were allocated and not freed.
     *
     * @return buffers
     */
    public int outstanding() {
        return allocator.live.size();
    }

    /**
     * Runs something when the test is over, before buffers are counted; the latest first.
     *
     * @param ending what to run, for example {@code kcp::release}
     */
    public void atEnd(Runnable ending) {
        endings.push(ending);
    }

    /** Runs what is to run at the end, and fails if a buffer is left. For tests that check many cases in one method. */
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
