package io.kcp.examples.arena.cluster;

import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.room.Subscription;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.function.Consumer;

/** One that listens to the log of a room. Lives on the thread of its backplane; may be closed from any. */
final class LogSubscription implements Subscription {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LogSubscription.class);

    private final Consumer<RoomEntry> listener;
    private final Runnable onClosed;
    private RoomPosition last;
    private boolean live;
    private volatile boolean closed;

    LogSubscription(RoomPosition after, Consumer<RoomEntry> listener, Runnable onClosed) {
        this.last = after;
        this.listener = listener;
        this.onClosed = onClosed;
    }

    /** Returns the position up to which it has heard all. */
    RoomPosition last() {
        return last;
    }

    /** It has caught up with the reader, and hears what that brings. */
    void setLive() {
        live = true;
    }

    boolean isLive() {
        return live;
    }

    boolean isClosed() {
        return closed;
    }

    /** Hands an entry over if it was not before. */
    void tell(RoomEntry entry) {
        if (closed || !entry.position().isAfter(last)) {
            return;
        }
        last = entry.position();
        try {
            listener.accept(entry);
        } catch (RuntimeException mistake) {
            LOGGER.warn("{} threw", listener, mistake);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            onClosed.run();
        }
    }
}
