package io.kcp.bench;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.FirstDatagram;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures reading and writing one segment header.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar SegmentHeaderBenchmark -prof gc</pre>
 */
public class SegmentHeaderBenchmark extends NanosecondBenchmark {

    private static final int PAYLOAD_BYTES = 64;
    private static final int RECEIVE_WINDOW = 1_024;

    private final ByteBuf datagram = ByteBufAllocator.DEFAULT.directBuffer(SegmentHeader.LENGTH + PAYLOAD_BYTES);
    private final ByteBuf header = ByteBufAllocator.DEFAULT.directBuffer(SegmentHeader.LENGTH);
    private int sn;

    /** Writes a datagram that can open a session. */
    @Setup
    public void makeDatagram() {
        write(datagram).writeZero(PAYLOAD_BYTES);
    }

    /** Releases the buffers. */
    @TearDown
    public void releaseDatagram() {
        datagram.release();
        header.release();
    }

    /** Writes all header fields. */
    @Benchmark
    public ByteBuf write() {
        sn++;
        return write(header.clear());
    }

    /** Reads all header fields. The result depends on each field. */
    @Benchmark
    public int read() {
        return SegmentHeader.conv(datagram, 0) ^ SegmentHeader.cmd(datagram, 0) ^ SegmentHeader.frg(datagram, 0)
            ^ SegmentHeader.wnd(datagram, 0) ^ SegmentHeader.ts(datagram, 0) ^ SegmentHeader.sn(datagram, 0)
            ^ SegmentHeader.una(datagram, 0) ^ (int) SegmentHeader.len(datagram, 0);
    }

    /** Checks whether a datagram from an unknown peer can open a session. */
    @Benchmark
    public boolean opensSession() {
        return FirstDatagram.opensSession(datagram, RECEIVE_WINDOW);
    }

    private ByteBuf write(ByteBuf out) {
        SegmentHeader.write(out, 1, SegmentHeader.CMD_PUSH, 0, RECEIVE_WINDOW, sn, sn & 0xff, 0, PAYLOAD_BYTES);
        return out;
    }
}
