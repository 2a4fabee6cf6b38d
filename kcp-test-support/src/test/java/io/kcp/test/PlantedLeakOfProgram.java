package io.kcp.test;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A test that starts a program which leaks a buffer. {@link ChildProcessTest} runs it in a JVM of its own. */
class PlantedLeakOfProgram {

    /** A program that exits normally. */
    static final class Program {

        public static void main(String[] arguments) {
            UnpooledByteBufAllocator.DEFAULT.directBuffer(16).touch("planted in " + arguments[0]);
        }
    }

    @Test
    void programLeaks() throws Exception {
        try (ChildProcess program = ChildProcess.java(Program.class, "the program")) {
            program.awaitSuccess(60);
        }
    }
}
