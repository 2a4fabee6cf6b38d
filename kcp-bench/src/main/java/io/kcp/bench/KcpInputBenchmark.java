package io.kcp.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The receiver of a transfer: it receives datagrams, reads messages and builds acknowledgements. One operation is one segment. Neither time
 * nor garbage may grow with the window.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar KcpInputBenchmark -prof gc</pre>
 */
public class KcpInputBenchmark extends NanosecondBenchmark {

    private static final int SEGMENTS_PER_ROUND = 30;

    /** A receiver without missing segments. */
    @State(Scope.Thread)
    public static class InOrder {

        /** The receive window in segments. */
        @Param({"128", "32768"})
        public int windowSegments;

        /** Payload of each segment; a datagram holds 15 of 64 bytes or one of 1,376 bytes. */
        @Param({"64", "1376"})
        public int payloadBytes;

        @SuppressWarnings("NullAway.Init")
        SteadyReceiver receiver;

        /** Creates the receiver. */
        @Setup
        public void start() {
            receiver = new SteadyReceiver(windowSegments, payloadBytes, SEGMENTS_PER_ROUND);
        }

        /** Checks that all messages were read. */
        @TearDown
        public void finish() {
            receiver.requireAllRead();
            receiver.close();
        }
    }

    /** A receiver whose window is half full of segments that wait for earlier ones. */
    public static class WithGaps extends InOrder {

        /** Leaves a gap before every segment of the window. */
        @Setup
        public void leaveGaps() {
            receiver.leaveGaps();
        }
    }

    /** Receives segments in order; their payloads are slices of the datagram. */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int inOrder(InOrder state) {
        return state.receiver.roundInOrder();
    }

    /** Receives half of the segments one window early, which copies them; the other half fills the gaps before them. */
    @Benchmark
    @OperationsPerInvocation(SEGMENTS_PER_ROUND)
    public int halfOutOfOrder(WithGaps state) {
        return state.receiver.roundWithGaps();
    }
}
