package io.kcp.test;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A test class that passes although it leaks a buffer. {@link LeakingRunTest} runs it in a child process. */
class PlantedLeak {

    @Test
    void leaksABuffer() {
        UnpooledByteBufAllocator.DEFAULT.directBuffer(16).touch("never released");
    }
}
