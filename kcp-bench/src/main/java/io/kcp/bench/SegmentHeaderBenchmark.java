package io.kcp.bench;

import io.kcp.core.FirstDatagram;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reading and writing one header.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar SegmentHeaderBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {EventLoopThreads.CUSTOM, EventLoopThreads.CLASS, EventLoopThreads.NO_LEAK_DETECTION})
public class SegmentHeaderBenchmark {

    private static final int PAYLOAD_BYTES = 64;
    private static final int RECEIVE_WINDOW = 1_024;

    private final ByteBuf datagram = ByteBufAllocator.DEFAULT.directBuffer(SegmentHeader.LENGTH + PAYLOAD_BYTES);
    private final ByteBuf header = ByteBufAllocator.DEFAULT.directBuffer(SegmentHeader.LENGTH);
    private int sn;

    /** Makes a datagram that may open a session. */
    @Setup
    public void makeDatagram() {
        write(datagram).writeZero(PAYLOAD_BYTES);
    }

    /** Gives it back. */
    @TearDown
    public void releaseDatagram() {
        datagram.release();
        header.release();
    }

    /**
     * Writes all fields.
     *
     * @return the buffer
     */
    @Benchmark
    public ByteBuf write() {
        sn++;
        return write(header.clear());
    }

    /**
     * Reads all fields.
     *
     * @return something that depends on each
     */
    @Benchmark
    public int read() {
        return SegmentHeader.conv(datagram, 0) ^ SegmentHeader.cmd(datagram, 0) ^ SegmentHeader.frg(datagram, 0)
            ^ SegmentHeader.wnd(datagram, 0) ^ SegmentHeader.ts(datagram, 0) ^ SegmentHeader.sn(datagram, 0)
            ^ SegmentHeader.una(datagram, 0) ^ (int) SegmentHeader.len(datagram, 0);
    }

    /**
     * Checks a datagram of an unknown peer.
     *
     * @return {@code true} if it may open a session
     */
    @Benchmark
    public boolean opensSession() {
        return FirstDatagram.opensSession(datagram, RECEIVE_WINDOW);
    }

    private ByteBuf write(ByteBuf out) {
        SegmentHeader.write(out, 1, SegmentHeader.CMD_PUSH, 0, RECEIVE_WINDOW, sn, sn & 0xff, 0, PAYLOAD_BYTES);
        return out;
    }
}
