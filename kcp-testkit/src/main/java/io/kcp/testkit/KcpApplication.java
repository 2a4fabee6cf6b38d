package io.kcp.testkit;

import io.kcp.core.Kcp;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The application of one endpoint of a {@link KcpPair}. It writes the messages of a {@link TransferPlan}, and reads and verifies the
 * messages of the peer.
 */
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

    /**
     * Reads all available messages and writes as many as the conversation accepts. The endpoint calls this method between input and flush.
     */
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
            unexpected = "read " + message.readableBytes() + " bytes although the peer wrote nothing";
            message.release();
        } else {
            reader.onMessage(message);
        }
    }

    /**
     * Stops or resumes reading. While the application does not read, its receive window fills up.
     *
     * @param reading {@code true} to read received messages
     */
    public void reading(boolean reading) {
        this.reading = reading;
        if (reading) {
            wakeDriver.run();
        }
    }

    /**
     * Returns the number of bytes that the application has read.
     *
     * @return the number of bytes
     */
    public long readBytes() {
        return reader == null ? 0 : reader.readBytes();
    }

    /**
     * Returns the number of bytes that the application has written.
     *
     * @return the number of bytes
     */
    public long writtenBytes() {
        return writer == null ? 0 : writer.writtenBytes();
    }

    /**
     * Returns the time at which the application read its most recent message.
     *
     * @return the virtual time in milliseconds
     */
    public long latestReadMs() {
        return latestReadUs / 1_000;
    }

    /**
     * Returns the longest time without a received message: between two consecutive messages, or from the start of the transfer to the
     * first message.
     *
     * @return the time in milliseconds
     */
    public long longestReadPauseMs() {
        return longestReadPauseUs / 1_000;
    }

    /**
     * Returns the highest number of segments that have been queued or in flight immediately after a write.
     *
     * @return the number of segments
     */
    public int mostWaitingSegments() {
        return mostWaitingSegments;
    }

    /** Returns {@code true} if all messages are written and acknowledged, and all expected messages are read. */
    boolean isDone() {
        return (writer == null || writer.isDone()) && (reader == null || reader.isDone()) && kcp.isIdle();
    }

    /** Returns a description of the first error in the received messages, or null if there was none. */
    @Nullable String failure() {
        return unexpected != null || reader == null ? unexpected : reader.failure();
    }
}
