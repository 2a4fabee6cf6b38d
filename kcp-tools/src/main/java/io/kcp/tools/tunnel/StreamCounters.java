package io.kcp.tools.tunnel;

import java.util.concurrent.atomic.LongAdder;

/** Counts the relayed streams and their bytes. Thread safe. */
final class StreamCounters {

    private final LongAdder opened = new LongAdder();
    private final LongAdder closed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder bytesToSockets = new LongAdder();
    private final LongAdder bytesFromSockets = new LongAdder();

    void onOpened() {
        opened.increment();
    }

    void onClosed() {
        closed.increment();
    }

    /** Counts a connection that failed because the target refused it or no session could be opened. */
    void onFailed() {
        failed.increment();
    }

    void onBytesToSocket(int bytes) {
        bytesToSockets.add(bytes);
    }

    void onBytesFromSocket(int bytes) {
        bytesFromSockets.add(bytes);
    }

    long opened() {
        return opened.sum();
    }

    long active() {
        return opened.sum() - closed.sum();
    }

    long failed() {
        return failed.sum();
    }

    long bytesToSockets() {
        return bytesToSockets.sum();
    }

    long bytesFromSockets() {
        return bytesFromSockets.sum();
    }
}
