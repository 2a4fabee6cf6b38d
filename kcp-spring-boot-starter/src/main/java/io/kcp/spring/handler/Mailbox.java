package io.kcp.spring.handler;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What happened to a session, in order, for threads that handle it one at a time. Any thread may put something in. */
final class Mailbox {

    /** How much one thread handles before others have their turn: virtual threads are not interrupted. */
    private static final int TURN = 64;

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

    /** Puts an event in, <b>taken</b>. */
    void put(Object event) {
        gate.enter();
        events.add(event);
        if (size.getAndIncrement() == 0) {
            start();
        }
    }

    private void start() {
        try {
            threads.executor().execute(this::handleSome);
        } catch (RuntimeException | OutOfMemoryError noThread) {
            consumer.giveUp("there is no thread for its events", noThread);
            handleSome();
        }
    }

    private void handleSome() {
        for (int i = 0; i < TURN; i++) {
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
