package io.kcp.netty.smux;

import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue that contains each stream at most once. It is linked through a field of the streams, so that it needs no allocation.
 */
abstract class StreamQueue {

    /** The queue of streams that have control frames to send. */
    static final class Control extends StreamQueue {

        @Override
        @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream) {
            return stream.nextControl;
        }

        @Override
        void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next) {
            stream.nextControl = next;
        }
    }

    /** The queue of streams that may send a data frame. */
    static final class Ready extends StreamQueue {

        @Override
        @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream) {
            return stream.nextReady;
        }

        @Override
        void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next) {
            stream.nextReady = next;
        }
    }

    /** The queue of streams whose {@code channelReadComplete} is due at the end of the current read batch. */
    static final class Reading extends StreamQueue {

        @Override
        @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream) {
            return stream.nextReading;
        }

        @Override
        void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next) {
            stream.nextReading = next;
        }
    }

    private @Nullable DefaultSmuxStreamChannel first;
    private @Nullable DefaultSmuxStreamChannel last;

    private StreamQueue() {
    }

    abstract @Nullable DefaultSmuxStreamChannel next(DefaultSmuxStreamChannel stream);

    abstract void setNext(DefaultSmuxStreamChannel stream, @Nullable DefaultSmuxStreamChannel next);

    boolean isEmpty() {
        return first == null;
    }

    /** Appends a stream, unless it is already in the queue. */
    void add(DefaultSmuxStreamChannel stream) {
        DefaultSmuxStreamChannel before = last;
        if (stream == before || next(stream) != null) {
            return;
        }
        if (before == null) {
            first = stream;
        } else {
            setNext(before, stream);
        }
        last = stream;
    }

    /** Removes and returns the stream that was added first, or returns null if the queue is empty. */
    @Nullable DefaultSmuxStreamChannel poll() {
        DefaultSmuxStreamChannel stream = first;
        if (stream != null) {
            first = next(stream);
            setNext(stream, null);
            if (first == null) {
                last = null;
            }
        }
        return stream;
    }
}
