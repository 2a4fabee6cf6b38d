package io.kcp.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a receiver that processes datagrams, reads messages and builds acknowledgements. One operation is one segment. Neither time nor
 * garbage may grow with the window.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar KcpInputBenchmark -prof gc</pre>
 */
public class KcpInputBenchmark extends NanosecondBenchmark {

    private static final int SEGMENTS_PER_ROUND = 30;

    /** Receiver that has received all segments in order. */
    @State(Scope.Thread)
    public static class InOrder {

        /** Receive window in segments. */
        @Param({"128", "32768"})
        public int windowSegments;

        /** Payload size of each segment. A datagram contains 15 segments of 64 bytes or one segment of 1,376 bytes. */
        @Param({"64", "1376"})
        public int payloadBytes;

        @SuppressWarnings("NullAway.Init")
        SteadyReceiver receiver;

        /** Creates the receiver. */
        @Setup
        public void start() {
            receiver = new SteadyReceiver(windowSegments, payloadBytes, SEGMENTS_PER_ROUND);
        }

        /** Checks that all received messages have been read. */
        @TearDown
        public void finish() {
            receiver.requireAllRead();
            receiver.close();
        }
    }

    /** Receiver that has received every second segment of its window and waits for the missing segments. */
    public static class WithGaps extends InOrder {

        /** Receives every second segment of the window, so that a gap precedes each received segment. */
        @Setup
        public void leaveGaps() {
            receiver.leaveGaps();
        }
    }

    /** Receives segments in order, with payloads that are slices of the datagram. */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int inOrder(InOrder state) {
        return state.receiver.roundInOrder();
    }

    /**
     * Receives half of the segments ahead of a gap, so that the payloads of these segments must be copied. The other half fills the gaps.
     */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int halfOutOfOrder(WithGaps state) {
        return state.receiver.roundWithGaps();
    }
}
