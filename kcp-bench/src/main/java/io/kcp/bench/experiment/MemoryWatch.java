package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Records the peak of the resident memory of a server, and kills the server before it exhausts the memory of this machine. */
final class MemoryWatch implements AutoCloseable {

    private static final long INTERVAL_MS = 50;
    private static final double BYTES_PER_MB = 1e6;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final ChildProcess server;
    private final long maxBytes;
    private final AtomicLong peakBytes = new AtomicLong();
    private long startBytes;

    MemoryWatch(ChildProcess server, long maxBytes) {
        this.server = server;
        this.maxBytes = maxBytes;
    }

    /** Starts to watch. The growth is that since this call. */
    void start() {
        startBytes = server.residentBytes();
        thread.scheduleAtFixedRate(this::watch, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    private void watch() {
        if (peakBytes.accumulateAndGet(server.residentBytes(), Math::max) > maxBytes) {
            server.kill();
        }
    }

    double growthMb() {
        return (peakBytes.get() - startBytes) / BYTES_PER_MB;
    }

    /** Throws an exception if the server has exited, for example because it was killed. */
    void requireAlive() {
        if (peakBytes.get() > maxBytes) {
            throw new IllegalStateException("the server was killed when it used more than " + (long) (maxBytes / BYTES_PER_MB) + " MB");
        }
        if (!server.isAlive()) {
            throw new IllegalStateException("the server exited");
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
