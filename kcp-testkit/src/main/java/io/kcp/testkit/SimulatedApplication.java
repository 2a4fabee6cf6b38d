package io.kcp.testkit;

import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The application of one endpoint of a {@link KcpPair}. It writes the messages of a {@link TransferPlan}, and reads and verifies the
 * messages of the peer.
 */
public final class SimulatedApplication {

    private final SimulatedNetwork network;
    private final CountingAllocator buffers;
    private final Kcp kcp;
    private final Runnable wakeDriver;
    private @Nullable TransferWriter writer;
    private @Nullable TransferReader reader;
    private @Nullable DeliveryTimes deliveryTimes;
    private boolean reading = true;
    private long latestReadUs;
    private long longestReadPauseUs;
    private int mostWaitingSegments;
    private @Nullable String unexpected;

    SimulatedApplication(SimulatedNetwork network, CountingAllocator buffers, Kcp kcp, Runnable wakeDriver) {
        this.network = network;
        this.buffers = buffers;
        this.kcp = kcp;
        this.wakeDriver = wakeDriver;
    }

    void write(TransferPlan plan, int maxWaitingSegments) {
        write(plan, maxWaitingSegments, 0);
    }

    /** Writes the messages of a plan. If {@code intervalUs} is not 0, one message is written per interval. */
    void write(TransferPlan plan, int maxWaitingSegments, long intervalUs) {
        writer = new TransferWriter(plan, buffers, maxWaitingSegments, network.nowUs(), intervalUs);
        wakeDriver.run();
        if (intervalUs > 0) {
            scheduleWrite(writer, network.nowUs() + intervalUs, intervalUs);
        }
    }

    private void scheduleWrite(TransferWriter periodic, long atUs, long intervalUs) {
        network.schedule(atUs, () -> {
            wakeDriver.run();
            if (!periodic.isDone() && writer == periodic) {
                scheduleWrite(periodic, atUs + intervalUs, intervalUs);
            }
        });
    }

    void measureDelivery(long startUs, long intervalUs) {
        deliveryTimes = new DeliveryTimes(startUs, intervalUs);
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
            writer.pump(kcp, nowMs, network.nowUs());
        }
        mostWaitingSegments = Math.max(mostWaitingSegments, kcp.waitingSegments());
    }

    private void onMessage(ByteBuf message) {
        longestReadPauseUs = Math.max(longestReadPauseUs, network.nowUs() - latestReadUs);
        latestReadUs = network.nowUs();
        if (deliveryTimes != null) {
            deliveryTimes.onMessage(network.nowUs());
        }
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
     * Returns the time from the write of each message until the message was read, for transfers of
     * {@link KcpPair#sendPeriodicallyFromA}.
     *
     * @return the times in microseconds, in the order of the messages; empty for other transfers
     */
    public long[] deliveryTimesUs() {
        return deliveryTimes == null ? new long[0] : deliveryTimes.toArray();
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
