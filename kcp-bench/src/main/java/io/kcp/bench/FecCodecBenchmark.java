package io.kcp.bench;

import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.core.fec.ShardPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures the cost of forward error correction for datagrams of 1,400 bytes, including the copies between buffers and arrays. One
 * operation is one group of 10 datagrams with its 3 parity datagrams.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar FecCodecBenchmark -prof gc</pre>
 */
public class FecCodecBenchmark extends NanosecondBenchmark {

    private static final FecShape SHAPE = new FecShape(10, 3);
    private static final int PAYLOAD_BYTES = 1_368;
    private static final int DATAGRAM_BYTES = FecHeader.LENGTH + SegmentHeader.LENGTH + PAYLOAD_BYTES;
    private static final int CONV = 1;
    private static final int PAWS = Integer.divideUnsigned(-1, SHAPE.totalShards()) * SHAPE.totalShards();

    /** Number of lost data datagrams per FEC group. */
    @Param({"0", "1", "3"})
    public int lostDatagrams;

    private final ShardPool pool = new ShardPool();
    private final FecEncoder encoder = new FecEncoder(FecConfig.of(SHAPE), pool);
    // Fixes the numbers of data and parity shards, because the decoder cannot verify them from groups that lose as many datagrams as they
    // have parity shards.
    private final FecDecoder decoder = new FecDecoder(FecConfig.of(SHAPE).withFixedShape(), CONV, pool);
    private final ByteBuf[] datagrams = new ByteBuf[SHAPE.totalShards()];
    private final ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(DATAGRAM_BYTES);
    private int seqid;

    /** Creates the datagrams of one FEC group. */
    @Setup
    public void makeGroup() {
        byte[] payload = new byte[PAYLOAD_BYTES];
        Random random = new Random(1);
        for (int i = 0; i < datagrams.length; i++) {
            datagrams[i] = ByteBufAllocator.DEFAULT.directBuffer(DATAGRAM_BYTES);
        }
        FecEncoder first = new FecEncoder(FecConfig.of(SHAPE), pool);
        for (int i = 0; i < SHAPE.dataShards(); i++) {
            datagrams[i].writerIndex(FecHeader.LENGTH).readerIndex(FecHeader.LENGTH);
            SegmentHeader.write(datagrams[i], CONV, SegmentHeader.CMD_PUSH, 0, 128, i, i, 0, PAYLOAD_BYTES);
            random.nextBytes(payload);
            int parity = first.encode(datagrams[i].writeBytes(payload), 0);
            for (int index = 0; index < parity; index++) {
                first.writeParity(index, datagrams[SHAPE.dataShards() + index]);
            }
        }
    }

    /** Releases the buffers. */
    @TearDown
    public void releaseGroup() {
        for (ByteBuf datagram : datagrams) {
            datagram.release();
        }
        out.release();
        encoder.release();
        decoder.release();
    }

    /** Encodes ten data datagrams and writes their parity datagrams. */
    @Benchmark
    public ByteBuf send() {
        for (int i = 0; i < SHAPE.dataShards(); i++) {
            int parity = encoder.encode(datagrams[i].readerIndex(FecHeader.LENGTH), 0);
            for (int index = 0; index < parity; index++) {
                encoder.writeParity(index, out.clear());
            }
        }
        return out;
    }

    /** Decodes the received datagrams of a group and recovers the lost datagrams. */
    @Benchmark
    public ByteBuf receive() {
        int recovered = 0;
        for (int i = 0; i < datagrams.length; i++) {
            datagrams[i].setIntLE(0, seqid + i).readerIndex(0);
            int count = i < lostDatagrams ? 0 : decoder.decode(datagrams[i], 0);
            for (int index = 0; index < count; index++) {
                decoder.readRecovered(index, out.clear());
            }
            recovered += count;
        }
        if (recovered != lostDatagrams) {
            throw new IllegalStateException("recovered " + recovered + " datagrams (expected: " + lostDatagrams + ')');
        }
        seqid += datagrams.length;
        if (seqid == PAWS) {
            seqid = 0;
        }
        return out;
    }
}
