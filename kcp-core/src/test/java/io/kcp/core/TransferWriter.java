package io.kcp.core;

import io.netty.buffer.ByteBuf;

/** An application that writes a {@link TransferPlan} into a conversation as fast as that accepts it. */
final class TransferWriter {

    private final TransferPlan plan;
    private final TransferPlan.Sizes sizes;
    private final SeededContent content;
    private final CountingAllocator buffers;
    private final int maxWaitingSegments;
    private long writtenBytes;

    /**
     * Creates a writer.
     *
     * @param maxWaitingSegments where the application holds itself back, beside the send window
     */
    TransferWriter(TransferPlan plan, CountingAllocator buffers, int maxWaitingSegments) {
        this.plan = plan;
        this.buffers = buffers;
        this.maxWaitingSegments = maxWaitingSegments;
        sizes = plan.sizes();
        content = plan.content();
    }

    /** Writes while there is room; returns whether anything was written. */
    boolean pump(Kcp kcp, int nowMs) {
        boolean wrote = false;
        while (sizes.hasNext() && kcp.canSend() && kcp.waitingSegments() < maxWaitingSegments) {
            int bytes = sizes.next();
            ByteBuf message = buffers.buffer(bytes);
            content.write(message, writtenBytes, bytes);
            writtenBytes += bytes;
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
