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
 * The sender of a transfer whose window is full: acknowledgements come in, as many new segments are sent, the datagrams
 * are made. One operation is one segment. Neither the time nor the garbage may grow with the window; the payloads are
 * memory of their own, so a large window with large payloads lies outside the caches.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar KcpFlushBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {EventLoopThreads.CUSTOM, EventLoopThreads.CLASS, EventLoopThreads.NO_LEAK_DETECTION})
public class KcpFlushBenchmark {

    private static final int SEGMENTS_PER_ROUND = 32;

    /** Segments in flight. */
    @Param({"128", "32768"})
    public int windowSegments;

    /** Payload of each segment; 1376 is the most at an MTU of 1400. */
    @Param({"64", "1376"})
    public int payloadBytes;

    @SuppressWarnings("NullAway.Init")
    private FullWindowSender sender;

    /** Fills the window. */
    @Setup(Level.Trial)
    public void fillWindow() {
        sender = new FullWindowSender(windowSegments, payloadBytes, SEGMENTS_PER_ROUND);
    }

    /** Checks that the window was full all the time, and empties it. */
    @TearDown(Level.Trial)
    public void emptyWindow() {
        sender.requireFullWindow();
        sender.close();
    }

    /**
     * Nothing is lost: one ACK for each segment, in order.
     *
     * @return the next deadline
     */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int allArrive() {
        return sender.round();
    }

    /**
     * One segment in 32 is lost and sent again, as soon as it was skipped twice.
     *
     * @return the next deadline
     */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int oneIn32Lost() {
        return sender.roundWithLoss();
    }
}
