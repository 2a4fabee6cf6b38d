package io.kcp.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The receiver of a transfer: datagrams come in, messages are read, acknowledgements are made. One operation is one
 * segment. Neither the time nor the garbage may grow with the window.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar KcpInputBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {EventLoopThreads.CUSTOM, EventLoopThreads.CLASS, EventLoopThreads.NO_LEAK_DETECTION})
public class KcpInputBenchmark {

    private static final int SEGMENTS_PER_ROUND = 30;

    /** A receiver, and how it is to be used. */
    @State(Scope.Thread)
    public abstract static class Receiving {

        /** The receive window in segments. */
        @Param({"128", "32768"})
        public int windowSegments;

        /** Payload of each segment: fifteen fit a datagram, or one. */
        @Param({"64", "1376"})
        public int payloadBytes;

        @SuppressWarnings("NullAway.Init")
        SteadyReceiver receiver;

        /** Starts with nothing received. */
        @Setup(Level.Trial)
        public void start() {
            receiver = new SteadyReceiver(windowSegments, payloadBytes, SEGMENTS_PER_ROUND);
        }

        /** Checks that all was read. */
        @TearDown(Level.Trial)
        public void finish() {
            receiver.requireAllRead();
            receiver.close();
        }
    }

    /** Nothing waits. */
    public static class InOrder extends Receiving {
    }

    /** Half the window waits for a gap. */
    public static class WithGaps extends Receiving {

        /** Leaves gaps in the whole window. */
        @Setup(Level.Trial)
        public void leaveGaps() {
            receiver.leaveGaps();
        }
    }

    /**
     * Segments come in order, as a slice of their datagram.
     *
     * @param state the receiver
     * @return the next deadline
     */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int inOrder(InOrder state) {
        return state.receiver.roundInOrder();
    }

    /**
     * Half the segments come early by a window and are copied; the others fill the gaps before them.
     *
     * @param state the receiver
     * @return the next deadline
     */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int halfOutOfOrder(WithGaps state) {
        return state.receiver.roundWithGaps();
    }
}
