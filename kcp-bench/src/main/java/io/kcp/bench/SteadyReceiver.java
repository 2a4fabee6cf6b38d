package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.InputResult;
import io.kcp.core.Kcp;
import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.SegmentPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Receiver that processes datagrams, reads messages and sends acknowledgements. Nothing is allocated after construction. */
final class SteadyReceiver implements AutoCloseable {

    private static final int CONV = 1;
    private static final int MTU_BYTES = 1_400;

    private final int windowSegments;
    private final int payloadBytes;
    private final int segmentsPerRound;
    private final int segmentsPerDatagram;
    private final RecyclingOutput output = new RecyclingOutput();
    private final Kcp kcp;
    private final ByteBuf datagram = ByteBufAllocator.DEFAULT.directBuffer(MTU_BYTES);
    private final ByteBuf payload;
    private int nextSn;
    private int nowMs;
    private long read;

    SteadyReceiver(int windowSegments, int payloadBytes, int segmentsPerRound) {
        this.windowSegments = windowSegments;
        this.payloadBytes = payloadBytes;
        this.segmentsPerRound = segmentsPerRound;
        segmentsPerDatagram = MTU_BYTES / (SegmentHeader.LENGTH + payloadBytes);
        KcpConfig config = KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(windowSegments)
            .mtuBytes(MTU_BYTES).build();
        kcp = new Kcp(CONV, config, output, new SegmentPool(ByteBufAllocator.DEFAULT), 0, 0);
        payload = ByteBufAllocator.DEFAULT.directBuffer(payloadBytes).writeZero(payloadBytes);
    }

    /** Receives the next segments in order. Returns the time until the next flush in milliseconds. */
    int roundInOrder() {
        for (int i = 0; i < segmentsPerRound; i++) {
            add(nextSn++, i);
        }
        return acknowledge();
    }

    /** Receives every second segment of the window, so that received segments which cannot be read yet fill half of the window. */
    void leaveGaps() {
        for (int i = 0; i < windowSegments / 2; i++) {
            add(nextSn + 2 * i + 1, i);
        }
        acknowledge();
    }

    /** Fills the first gaps and leaves as many new ones at the end of the window. Each filled gap makes two segments readable. */
    int roundWithGaps() {
        for (int i = 0; i < segmentsPerRound; i += 2) {
            add(nextSn, i);
            add(nextSn + windowSegments + 1, i + 1);
            nextSn += 2;
        }
        return acknowledge();
    }

    /** Throws an exception if received segments have not been read. */
    void requireAllRead() {
        if (read != (nextSn & 0xFFFFFFFFL) || kcp.stats().repeatedSegments() > 0) {
            throw new IllegalStateException(read + " of " + nextSn + " segments were read: " + kcp.stats());
        }
    }

    private void add(int sn, int index) {
        SegmentHeader.write(datagram, CONV, SegmentHeader.CMD_PUSH, 0, windowSegments, nowMs, sn, 0, payloadBytes);
        datagram.writeBytes(payload, 0, payloadBytes);
        if ((index + 1) % segmentsPerDatagram == 0) {
            input();
        }
    }

    private int acknowledge() {
        if (datagram.isReadable()) {
            input();
        }
        kcp.flush(nowMs);
        nowMs++;
        return kcp.nextDeadline(nowMs);
    }

    private void input() {
        InputResult result = kcp.input(datagram, false, nowMs);
        if (result != InputResult.ACCEPTED) {
            throw new IllegalStateException("a datagram was not accepted: " + result);
        }
        for (ByteBuf message = kcp.receive(); message != null; message = kcp.receive()) {
            read++;
            message.release();
        }
        datagram.clear();
    }

    @Override
    public void close() {
        kcp.release();
        datagram.release();
        payload.release();
        output.close();
    }
}
