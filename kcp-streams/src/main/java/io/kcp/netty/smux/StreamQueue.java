package io.kcp.netty.smux;

import io.kcp.netty.internal.base.LinkedQueue;
import org.jspecify.annotations.Nullable;

/** A FIFO queue that contains each stream at most once. */
abstract class StreamQueue extends LinkedQueue<AbstractSmuxStream> {

    /** Minimum number of ended streams above which they are removed from the queue. */
    private static final int MIN_ENDED = 64;

    /** Number of queued streams that have ended since the latest removal. */
    private int ended;

    private StreamQueue() {
    }

    /**
     * Counts a queued stream that has ended and has no frames to send. Removes all ended streams when they may be at least half of the
     * queue, because the queue is not processed while the parent channel is not writable.
     */
    void onStreamEnded(AbstractSmuxStream stream) {
        if (contains(stream) && ++ended > Math.max(MIN_ENDED, size() >> 1)) {
            ended = 0;
            for (int remaining = size(); remaining > 0; remaining--) {
                AbstractSmuxStream next = poll();
                if (next != null && !next.isEnded()) {
                    add(next);
                }
            }
        }
    }

    /** The queue of streams that have control frames to send. */
    static final class Control extends StreamQueue {

        @Override
        public @Nullable AbstractSmuxStream next(AbstractSmuxStream stream) {
            return stream.nextControl;
        }

        @Override
        protected void setNext(AbstractSmuxStream stream, @Nullable AbstractSmuxStream next) {
            stream.nextControl = next;
        }
    }

    /** The queue of streams that may send a data frame. */
    static final class Ready extends StreamQueue {

        @Override
        public @Nullable AbstractSmuxStream next(AbstractSmuxStream stream) {
            return stream.nextReady;
        }

        @Override
        protected void setNext(AbstractSmuxStream stream, @Nullable AbstractSmuxStream next) {
            stream.nextReady = next;
        }
    }

    /** The queue of streams whose {@code channelReadComplete} is due at the end of the current read batch. */
    static final class Reading extends StreamQueue {

        @Override
        public @Nullable AbstractSmuxStream next(AbstractSmuxStream stream) {
            return stream.nextReading;
        }

        @Override
        protected void setNext(AbstractSmuxStream stream, @Nullable AbstractSmuxStream next) {
            stream.nextReading = next;
        }
    }
}
