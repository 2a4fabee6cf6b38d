package io.kcp.core;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What runs on top of one side of a {@link KcpPair}: writes a plan, reads and checks the peer's, and may stop reading. */
public final class KcpApplication {

    private final SimulatedNetwork network;
    private final CountingAllocator buffers;
    private final Kcp kcp;
    private final Runnable wakeDriver;
    private @Nullable TransferWriter writer;
    private @Nullable TransferReader reader;
    private boolean reading = true;
    private long latestReadUs;
    private long longestReadPauseUs;
    private int mostWaitingSegments;
    private @Nullable String unexpected;

    KcpApplication(SimulatedNetwork network, CountingAllocator buffers, Kcp kcp, Runnable wakeDriver) {
        this.network = network;
        this.buffers = buffers;
        this.kcp = kcp;
        this.wakeDriver = wakeDriver;
    }

    void write(TransferPlan plan, int maxWaitingSegments) {
        writer = new TransferWriter(plan, buffers, maxWaitingSegments);
        wakeDriver.run();
    }

    void expect(TransferPlan plan, boolean boundariesKept) {
        reader = new TransferReader(plan, boundariesKept);
        latestReadUs = network.nowUs();
    }

    /** Reads what there is and writes what fits; called by the driver between input and flush. */
    void step(int nowMs) {
        if (reading) {
            for (ByteBuf message = kcp.receive(); message != null; message = kcp.receive()) {
                onMessage(message);
            }
        }
        if (writer != null) {
            writer.pump(kcp, nowMs);
        }
        mostWaitingSegments = Math.max(mostWaitingSegments, kcp.waitingSegments());
    }

    private void onMessage(ByteBuf message) {
        longestReadPauseUs = Math.max(longestReadPauseUs, network.nowUs() - latestReadUs);
        latestReadUs = network.nowUs();
        if (reader == null) {
            unexpected = "read " + message.readableBytes() + " bytes that nobody sent";
            message.release();
        } else {
            reader.onMessage(message);
        }
    }

    /**
     * Lets the application read, or stop reading.
     *
     * @param reading whether it reads
     */
    public void reading(boolean reading) {
        this.reading = reading;
        if (reading) {
            wakeDriver.run();
        }
    }

    /**
     * Returns what was read.
     *
     * @return bytes
     */
    public long readBytes() {
        return reader == null ? 0 : reader.readBytes();
    }

    /**
     * Returns what was written.
     *
     * @return bytes
     */
    public long writtenBytes() {
        return writer == null ? 0 : writer.writtenBytes();
    }

    /**
     * Returns when something was read last.
     *
     * @return milliseconds of virtual time
     */
    public long latestReadMs() {
        return latestReadUs / 1_000;
    }

    /**
     * Returns the longest time that passed between two reads.
     *
     * @return milliseconds
     */
    public long longestReadPauseMs() {
        return longestReadPauseUs / 1_000;
    }

    /**
     * Returns the most segments that were queued or in flight after a write.
     *
     * @return segments
     */
    public int mostWaitingSegments() {
        return mostWaitingSegments;
    }

    /** Whether everything is written and acknowledged, and everything expected is read. */
    boolean isDone() {
        return (writer == null || writer.isDone()) && (reader == null || reader.isDone()) && kcp.isIdle();
    }

    /** Returns what was wrong with what was read, null if nothing was. */
    @Nullable String failure() {
        return unexpected != null || reader == null ? unexpected : reader.failure();
    }
}
