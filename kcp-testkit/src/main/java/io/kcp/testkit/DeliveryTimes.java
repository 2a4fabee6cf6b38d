package io.kcp.testkit;

import java.util.Arrays;

/** Measures the delivery times of messages that are written at a constant interval. */
final class DeliveryTimes {

    private final long startUs;
    private final long intervalUs;
    private long[] timesUs = new long[64];
    private int count;

    DeliveryTimes(long startUs, long intervalUs) {
        this.startUs = startUs;
        this.intervalUs = intervalUs;
    }

    void onMessage(long nowUs) {
        if (count == timesUs.length) {
            timesUs = Arrays.copyOf(timesUs, 2 * count);
        }
        timesUs[count] = nowUs - startUs - count * intervalUs;
        count++;
    }

    long[] toArray() {
        return Arrays.copyOf(timesUs, count);
    }
}
