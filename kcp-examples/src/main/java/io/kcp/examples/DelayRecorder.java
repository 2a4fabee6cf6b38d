package io.kcp.examples;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Records the delivery time of each message of a player. Delays are measured from the time at which a message was scheduled to be sent,
 * so they include the delay of a late sender.
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

    /**
     * Sets the start time, a value of {@link System#nanoTime} to which all scheduled send times are relative. Must be called before the
     * first delivery.
     */
    void begin(long nowNanos) {
        startNanos = nowNanos;
    }

    /** Records the delivery of the next bytes, which may belong to several messages. Must always be called on the same thread. */
    void onDelivered(int newBytes, long nowNanos) {
        bytes += newBytes;
        int complete = (int) (bytes / traffic.messageBytes());
        int message = delivered;
        while (message < complete) {
            deliveredNanos.set(message++, nowNanos);
        }
        delivered = message;
    }

    /** Returns the number of messages that have been delivered. May be called from any thread. */
    int delivered() {
        return delivered;
    }

    boolean isComplete() {
        return delivered == traffic.messages();
    }

    /** Returns the send times and delivery times of all delivered messages. */
    Stream<DelaySeries.Message> messages() {
        return IntStream.range(0, delivered)
            .mapToObj(message -> new DelaySeries.Message(startNanos + traffic.plannedNanos(message), deliveredNanos.get(message)));
    }
}
