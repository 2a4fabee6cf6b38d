package io.kcp.netty.smux;

import io.kcp.netty.base.LinkedQueue;
import org.jspecify.annotations.Nullable;

/** A FIFO queue that contains each stream at most once. */
abstract class StreamQueue extends LinkedQueue<DefaultSmuxStreamChannel> {

    private StreamQueue() {
    }

    /** The queue of streams that have control frames to send. */
    static final class Control extends StreamQueue {

        @Override
        public @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream) {
            return stream.nextControl;
        }

        @Override
        protected void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next) {
            stream.nextControl = next;
        }
    }

    /** The queue of streams that may send a data frame. */
    static final class Ready extends StreamQueue {

        @Override
        public @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream) {
            return stream.nextReady;
        }

        @Override
        protected void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next) {
            stream.nextReady = next;
        }
    }

    /** The queue of streams whose {@code channelReadComplete} is due at the end of the current read batch. */
    static final class Reading extends StreamQueue {

        @Override
        public @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream) {
            return stream.nextReading;
        }

        @Override
        protected void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next) {
            stream.nextReading = next;
        }
    }
}
