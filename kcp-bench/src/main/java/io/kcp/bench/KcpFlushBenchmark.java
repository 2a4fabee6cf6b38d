package io.kcp.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a sender with a full window, which processes acknowledgements, sends one new segment for each acknowledged segment, and builds
 * the datagrams. One operation is one segment. Neither time nor garbage may grow with the window. Each payload has its own memory, so that
 * a large window of large payloads exceeds the CPU caches.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar KcpFlushBenchmark -prof gc</pre>
 */
public class KcpFlushBenchmark extends NanosecondBenchmark {

    private static final int SEGMENTS_PER_ROUND = 32;

    /** Segments in flight. */
    @Param({"128", "32768"})
    public int windowSegments;

    /** Payload size of each segment. An MTU of 1,400 bytes permits at most 1,376 bytes. */
    @Param({"64", "1376"})
    public int payloadBytes;

    @SuppressWarnings("NullAway.Init")
    private FullWindowSender sender;

    /** Fills the window. */
    @Setup
    public void fillWindow() {
        sender = new FullWindowSender(windowSegments, payloadBytes, SEGMENTS_PER_ROUND);
    }

    /** Checks that the window is still full, and releases the sender. */
    @TearDown
    public void emptyWindow() {
        sender.requireFullWindow();
        sender.close();
    }

    /** Acknowledges every segment in order. */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int allArrive() {
        return sender.round();
    }

    /** Drops one of every 32 segments. The sender retransmits it after two later segments have been acknowledged. */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int oneIn32Lost() {
        return sender.roundWithLoss();
    }
}
