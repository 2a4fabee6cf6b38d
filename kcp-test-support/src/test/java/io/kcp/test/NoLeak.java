package io.kcp.test;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A test class that releases its buffer. {@link LeakingRunTest} runs it in a child process. */
class NoLeak {

    @Test
    void releasesItsBuffer() {
        UnpooledByteBufAllocator.DEFAULT.directBuffer(16).touch("released below").release();
    }
}
