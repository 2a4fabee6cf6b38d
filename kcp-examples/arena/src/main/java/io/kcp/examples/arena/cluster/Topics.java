package io.kcp.examples.arena.cluster;

import io.kcp.examples.arena.room.Subscription;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Inputs and snapshots of all rooms: what may be lost, so Redis' publish and subscribe will do. Lives on the thread of its backplane. */
final class Topics {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Topics.class);

    /** Closing takes effect on the thread of the backplane; the flag, at once. */
    private static final class Listener implements Subscription {
        private final Consumer<byte[]> consumer;
        private final Runnable onClosed;
        private volatile boolean closed;

        Listener(Consumer<byte[]> consumer, Runnable onClosed) {
            this.consumer = consumer;
            this.onClosed = onClosed;
        }

        void tell(byte[] message) {
            if (!closed) {
                try {
                    consumer.accept(message);
                } catch (RuntimeException mistake) {
                    LOGGER.warn("{} threw", consumer, mistake);
                }
            }
        }

        @Override
        public void close() {
            closed = true;
            onClosed.run();
        }
    }

    private final StatefulRedisPubSubConnection<String, byte[]> connection;
    private final EventExecutor executor;
    private final Map<String, List<Listener>> listeners = new HashMap<>();

    Topics(StatefulRedisPubSubConnection<String, byte[]> connection, EventExecutor executor) {
        this.connection = connection;
        this.executor = executor;
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String topic, byte[] message) {
                Topics.this.executor.execute(() -> tell(topic, message));
            }
        });
    }

    /** Listens from now on. From any thread. */
    Subscription listen(String topic, Consumer<byte[]> consumer) {
        Listener[] itself = new Listener[1];
        Listener listener = new Listener(consumer, () -> executor.execute(() -> remove(topic, itself[0])));
        itself[0] = listener;
        executor.execute(() -> add(topic, listener));
        return listener;
    }

    private void add(String topic, Listener listener) {
        listeners.computeIfAbsent(topic, first -> {
            connection.async().subscribe(first);
            return new ArrayList<>();
        }).add(listener);
    }

    private void remove(String topic, Listener listener) {
        List<Listener> those = listeners.get(topic);
        if (those != null && those.remove(listener) && those.isEmpty()) {
            listeners.remove(topic);
            connection.async().unsubscribe(topic);
        }
    }

    private void tell(String topic, byte[] message) {
        listeners.getOrDefault(topic, List.of()).forEach(listener -> listener.tell(message));
    }
}
