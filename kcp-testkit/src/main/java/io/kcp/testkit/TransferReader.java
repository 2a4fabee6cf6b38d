package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Verifies each received message against a {@link TransferPlan}. */
final class TransferReader {

    private final TransferPlan plan;
    private final boolean boundariesKept;
    private final SeededContent content;
    private final TransferPlan.Sizes sizes;
    private long readBytes;
    private long readMessages;
    private @Nullable String failure;

    /**
     * Creates a reader.
     *
     * @param boundariesKept {@code true} if each written message must arrive as one message
     */
    TransferReader(TransferPlan plan, boolean boundariesKept) {
        this.plan = plan;
        this.boundariesKept = boundariesKept;
        content = plan.content();
        sizes = plan.sizes();
    }

    /** Verifies and releases one message, or one piece of the stream in stream mode. */
    void onMessage(ByteBuf message) {
        int bytes = message.readableBytes();
        if (failure == null) {
            failure = check(message, bytes);
        }
        readBytes += bytes;
        readMessages++;
        message.release();
    }

    long readBytes() {
        return readBytes;
    }

    boolean isDone() {
        return readBytes >= plan.totalBytes();
    }

    /** Returns a description of the first deviation from the plan, or null if the data has matched the plan. */
    @Nullable String failure() {
        return failure;
    }

    private @Nullable String check(ByteBuf message, int bytes) {
        if (readBytes + bytes > plan.totalBytes()) {
            return "read " + (readBytes + bytes) + " bytes of " + plan.totalBytes();
        }
        if (boundariesKept) {
            int expected = sizes.hasNext() ? sizes.next() : -1;
            if (bytes != expected) {
                return "message " + readMessages + " has " + bytes + " bytes instead of " + expected;
            }
        }
        long mismatch = content.mismatch(message, readBytes);
        return mismatch < 0 ? null : "byte " + mismatch + " differs (message " + readMessages + ')';
    }
}
