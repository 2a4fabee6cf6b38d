package io.kcp.bench.rig;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Once per second, prints the current transfer rates to standard error if data was transferred. */
final class LoadProgress implements Runnable {

    private static final double CPU_MS_PER_PERCENT = 10;

    private final String name;
    private final LoadMeter meter;
    private final long startNs = System.nanoTime();
    private LoadMeter.Snapshot before;

    private LoadProgress(String name, LoadMeter meter) {
        this.name = name;
        this.meter = meter;
        before = meter.snapshot();
    }

    /** Starts printing on a daemon thread. */
    static void start(String name, LoadMeter meter) {
        Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("progress", true))
            .scheduleAtFixedRate(new LoadProgress(name, meter), 1, 1, TimeUnit.SECONDS);
    }

    @Override
    public void run() {
        LoadMeter.Snapshot now = meter.snapshot();
        LoadMeter.Snapshot second = now.since(before);
        before = now;
        if (second.bytesIn() + second.bytesOut() > 0) {
            System.err.println(line(name, (now.ns() - startNs) / 1e9, second));
        }
    }

    static String line(String name, double atSeconds, LoadMeter.Snapshot second) {
        double seconds = second.seconds();
        return String.format(Locale.ROOT, "%s %4.0f s: in %.1f MB/s, %.0f messages/s; out %.1f MB/s, %.0f messages/s; CPU %.0f %%", name,
            atSeconds, second.bytesIn() / 1e6 / seconds, second.messagesIn() / seconds, second.bytesOut() / 1e6 / seconds,
            second.messagesOut() / seconds, second.cpuMs() / seconds / CPU_MS_PER_PERCENT);
    }
}
