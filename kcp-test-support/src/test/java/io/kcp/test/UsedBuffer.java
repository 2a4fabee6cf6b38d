package io.kcp.test;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A test class that uses a buffer before the tests start. {@link LeakingRunTest} runs it in a child process. */
class UsedBuffer {

    static {
        UnpooledByteBufAllocator.DEFAULT.directBuffer(16).release();
    }

    @Test
    void passes() {
    }
}
