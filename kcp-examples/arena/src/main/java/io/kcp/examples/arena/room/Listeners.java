package io.kcp.examples.arena.room;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Who listens to one thing. Lives on one thread, save that a subscription may be ended from any. */
final class Listeners<T> {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RoomBackplane.class);

    /** One that listens until it is closed. */
    static final class Listener<T> implements Subscription {

        private final Consumer<T> consumer;
        private volatile boolean closed;

        Listener(Consumer<T> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void close() {
            closed = true;
        }

        void tell(T event) {
            if (!closed) {
                try {
                    consumer.accept(event);
                } catch (RuntimeException mistake) {
                    LOGGER.warn("{} threw", consumer, mistake);
                }
            }
        }
    }

    private final List<Listener<T>> listeners = new ArrayList<>();

    void add(Listener<T> listener) {
        listeners.add(listener);
    }

    void tell(T event) {
        listeners.removeIf(listener -> listener.closed);
        listeners.forEach(listener -> listener.tell(event));
    }

    boolean isEmpty() {
        listeners.removeIf(listener -> listener.closed);
        return listeners.isEmpty();
    }
}
