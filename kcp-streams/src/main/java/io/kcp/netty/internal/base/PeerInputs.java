package io.kcp.netty.internal.base;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** The partial inputs of one connection, that is, of a channel or of all streams of a channel. */
final class PeerInputs {

    private final ExecutorInputs executor;
    private final Channel connection;
    private final Chain.Link<PeerInputs> link = new Chain.Link<>(this);
    private final Chain<PartialInput> inputs = new Chain<>();
    private @Nullable Chain<PeerInputs> list;
    private long bytes;

    PeerInputs(ExecutorInputs executor, Channel connection) {
        this.executor = executor;
        this.connection = connection;
    }

    ExecutorInputs executor() {
        return executor;
    }

    /** Returns {@code true} unless the address of the peer may be forged. */
    boolean isValidated() {
        return !(connection instanceof ConnectionChannel session) || session.isPeerValidated();
    }

    /** Moves this connection to another list, or removes it from its list. */
    void moveTo(@Nullable Chain<PeerInputs> next) {
        Chain<PeerInputs> before = list;
        if (before == next) {
            return;
        }
        if (before != null) {
            before.remove(link);
        }
        if (next != null) {
            next.add(link);
        }
        list = next;
    }

    long bytes() {
        return bytes;
    }

    /** Changes the memory of an input. Returns {@code false}, without changing it, if all inputs would use too much memory. */
    boolean tryChange(PartialInput input, int beforeBytes, int afterBytes) {
        long after = bytes - beforeBytes + afterBytes;
        if (!executor.tryChange(this, bytes, after)) {
            return false;
        }
        bytes = after;
        if (beforeBytes == 0 && afterBytes > 0) {
            inputs.add(input.link());
            executor.add(input);
        } else if (beforeBytes > 0 && afterBytes == 0) {
            inputs.remove(input.link());
            executor.remove(input);
        }
        return true;
    }

    /** Discards all inputs of this connection to free memory. Returns their number. */
    int discard(String message) {
        int discarded = 0;
        for (PartialInput input = inputs.first(); input != null; input = inputs.first()) {
            input.discard(PartialInput.Cause.MEMORY, message);
            discarded++;
        }
        return discarded;
    }
}
