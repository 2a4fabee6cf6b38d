package io.kcp.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts bytes on event loops, and takes time and CPU time on another thread. */
final class LoadMeter {

    private static final long POLL_MS = 10;

    /** What happened between two moments, in this process; garbage is what its threads allocated. */
    record Measurement(long bytes, double seconds, double cpuMs, long garbageBytes) {

        double megabytesPerSecond() {
            return bytes / 1e6 / seconds;
        }

        JsonLine addTo(JsonLine line) {
            return line.put("bytes", bytes).put("seconds", seconds).put("mb_s", megabytesPerSecond()).put("cpu_ms", cpuMs)
                .put("garbage_bytes", garbageBytes);
        }
    }

    private record Moment(long bytes, long ns, double cpuMs, long garbageBytes) {

        Measurement until(Moment end) {
            return new Measurement(end.bytes - bytes, (end.ns - ns) / 1e9, end.cpuMs - cpuMs, end.garbageBytes - garbageBytes);
        }
    }

    private final LongAdder bytes = new LongAdder();

    void add(int count) {
        bytes.add(count);
    }

    private Moment now() {
        return new Moment(bytes.sum(), System.nanoTime(), ProcessMeter.cpuMs(), ProcessMeter.allocatedBytes());
    }

    /** Measures what a client does from now on. */
    Measurement over(double warmupSeconds, double seconds) {
        ProcessMeter.sleep((long) (warmupSeconds * 1_000));
        Moment begin = now();
        ProcessMeter.sleep((long) (seconds * 1_000));
        return begin.until(now());
    }

    /**
     * Measures what a server gets: from the end of the warm-up, which begins with the first byte, to the last byte before
     * a quiet time. A transfer shorter than the warm-up is measured whole.
     */
    Measurement untilQuiet(double warmupSeconds, long quietMs) {
        Moment begin = awaitFirst();
        Moment last = begin;
        long warmNs = begin.ns + (long) (warmupSeconds * 1e9);
        boolean warm = false;
        while (true) {
            ProcessMeter.sleep(POLL_MS);
            Moment now = now();
            if (now.bytes != last.bytes) {
                last = now;
                if (!warm && now.ns >= warmNs) {
                    warm = true;
                    begin = now;
                }
            } else if (now.ns - last.ns > TimeUnit.MILLISECONDS.toNanos(quietMs)) {
                return begin.until(last);
            }
        }
    }

    private Moment awaitFirst() {
        Moment now = now();
        while (now.bytes == 0) {
            ProcessMeter.sleep(POLL_MS);
            now = now();
        }
        return now;
    }
}
