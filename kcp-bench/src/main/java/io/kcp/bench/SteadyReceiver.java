package io.kcp.bench;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Receiver that processes datagrams, reads messages and sends acknowledgements. Nothing is allocated after construction. */
final class SteadyReceiver extends BenchmarkedSession {

    private static final int MTU_BYTES = 1_400;

    private final int windowSegments;
    private final int payloadBytes;
    private final int segmentsPerRound;
    private final int segmentsPerDatagram;
    private final ByteBuf payload;
    private int nextSn;
    private int nowMs;
    private long read;

    SteadyReceiver(int windowSegments, int payloadBytes, int segmentsPerRound) {
        super(config(windowSegments).mtuBytes(MTU_BYTES).build(), MTU_BYTES);
        this.windowSegments = windowSegments;
        this.payloadBytes = payloadBytes;
        this.segmentsPerRound = segmentsPerRound;
        segmentsPerDatagram = MTU_BYTES / (SegmentHeader.LENGTH + payloadBytes);
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

    /**
     * Fills the first gaps and leaves the same number of new gaps at the end of the window. Each filled gap makes two segments readable.
     */
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
        SegmentHeader.write(inbound, CONV, SegmentHeader.CMD_PUSH, 0, windowSegments, nowMs, sn, 0, payloadBytes);
        inbound.writeBytes(payload, 0, payloadBytes);
        if ((index + 1) % segmentsPerDatagram == 0) {
            receive();
        }
    }

    private int acknowledge() {
        if (inbound.isReadable()) {
            receive();
        }
        kcp.flush(nowMs);
        nowMs++;
        return kcp.nextDeadline(nowMs);
    }

    private void receive() {
        input(nowMs);
        for (ByteBuf message = kcp.receive(); message != null; message = kcp.receive()) {
            read++;
            message.release();
        }
    }

    @Override
    public void close() {
        super.close();
        payload.release();
    }
}
