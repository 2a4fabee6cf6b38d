package io.kcp.examples;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Notes when each message of a player was delivered. Delays count from the time at which a message was to be sent, so that a message
 * which the sender sent late is late.
 */
final class DelayRecorder {

    private final DemoTraffic traffic;
    private final AtomicLongArray deliveredNanos;
    private volatile int delivered;
    private volatile long startNanos;
    private long bytes;

    DelayRecorder(DemoTraffic traffic) {
        this.traffic = traffic;
        deliveredNanos = new AtomicLongArray(traffic.messages());
    }

    DemoTraffic traffic() {
        return traffic;
    }

    /** Notes the time, by {@link System#nanoTime}, from which planned times count. Called before anything is delivered. */
    void begin(long nowNanos) {
        startNanos = nowNanos;
    }

    /** Notes that the next bytes were delivered, of one message or of several. Always called on the same thread. */
    void onDelivered(int newBytes, long nowNanos) {
        bytes += newBytes;
        int complete = (int) (bytes / traffic.messageBytes());
        int message = delivered;
        while (message < complete) {
            deliveredNanos.set(message++, nowNanos);
        }
        delivered = message;
    }

    /** Returns how many messages were delivered, on any thread. */
    int delivered() {
        return delivered;
    }

    boolean isComplete() {
        return delivered == traffic.messages();
    }

    /** Returns when a message was to be sent, by {@link System#nanoTime}. */
    long plannedNanos(int message) {
        return startNanos + traffic.plannedNanos(message);
    }

    long deliveredNanos(int message) {
        return deliveredNanos.get(message);
    }
}
