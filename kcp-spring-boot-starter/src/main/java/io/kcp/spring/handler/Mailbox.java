package io.kcp.spring.handler;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Queues the events of one session and handles them one at a time, in order, on a thread that may block. Any thread may add events.
 */
final class Mailbox {

    /** Maximum number of events per task. Larger batches would delay other sessions, because virtual threads are not time-sliced. */
    private static final int BATCH = 64;

    private final Queue<Object> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final BlockingThreads threads;
    private final SessionEvents consumer;
    private final ReadGate gate;

    Mailbox(BlockingThreads threads, SessionEvents consumer, ReadGate gate) {
        this.threads = threads;
        this.consumer = consumer;
        this.gate = gate;
    }

    /** Adds an event. <b>Takes</b> the event. */
    void put(Object event) {
        gate.enter();
        events.add(event);
        if (size.getAndIncrement() == 0) {
            start();
        }
    }

    private void start() {
        try {
            threads.executor().execute(this::handleBatch);
        } catch (RuntimeException | OutOfMemoryError noThread) {
            consumer.closeAfterFailure("no thread could be started for its events", noThread);
            handleBatch();
        }
    }

    private void handleBatch() {
        for (int i = 0; i < BATCH; i++) {
            Object event = events.remove();
            try {
                consumer.handle(event);
            } finally {
                gate.leave();
                if (event == SessionEvents.CLOSED) {
                    threads.sessions().end();
                }
            }
            if (size.decrementAndGet() == 0) {
                return;
            }
        }
        start();
    }
}
