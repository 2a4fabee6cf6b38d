package io.kcp.testkit;

import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBuf;

/** Writes the messages of a {@link TransferPlan} to a conversation as fast as the conversation accepts them. */
final class TransferWriter {

    private final TransferPlan plan;
    private final TransferPlan.Sizes sizes;
    private final SeededContent content;
    private final CountingAllocator buffers;
    private final int maxWaitingSegments;
    private final long startUs;
    private final long intervalUs;
    private long writtenBytes;
    private long writtenMessages;

    /**
     * Creates a writer.
     *
     * @param maxWaitingSegments the number of queued and unacknowledged segments at which the application pauses; the conversation may
     *                           limit the number further
     * @param startUs            the time of the first message
     * @param intervalUs         the time between two messages, or 0 to write messages as fast as possible
     */
    TransferWriter(TransferPlan plan, CountingAllocator buffers, int maxWaitingSegments, long startUs, long intervalUs) {
        this.startUs = startUs;
        this.intervalUs = intervalUs;
        this.plan = plan;
        this.buffers = buffers;
        this.maxWaitingSegments = maxWaitingSegments;
        sizes = plan.sizes();
        content = plan.content();
    }

    /** Writes as many of the remaining messages as the conversation accepts. Returns {@code true} if at least one was written. */
    boolean pump(Kcp kcp, int nowMs, long nowUs) {
        boolean wrote = false;
        while (sizes.hasNext() && startUs + writtenMessages * intervalUs <= nowUs && kcp.canSend()
            && kcp.waitingSegments() < maxWaitingSegments) {
            int bytes = sizes.next();
            ByteBuf message = buffers.buffer(bytes);
            content.write(message, writtenBytes, bytes);
            writtenBytes += bytes;
            writtenMessages++;
            kcp.send(message, nowMs);
            wrote = true;
        }
        return wrote;
    }

    long writtenBytes() {
        return writtenBytes;
    }

    boolean isDone() {
        return writtenBytes == plan.totalBytes();
    }
}
