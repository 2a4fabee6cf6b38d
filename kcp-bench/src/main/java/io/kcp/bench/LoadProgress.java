package io.kcp.bench;

import java.util.Locale;

/** Says on standard error what goes on, a line each second in which something does. */
final class LoadProgress implements Runnable {

    private static final long EVERY_MS = 1_000;
    private static final double PERCENT_OF_A_CORE = 10;

    private final String name;
    private final LoadMeter meter;
    private final long startNs = System.nanoTime();

    private LoadProgress(String name, LoadMeter meter) {
        this.name = name;
        this.meter = meter;
    }

    /** Begins on a thread of its own, which does not keep the process alive. */
    static void start(String name, LoadMeter meter) {
        Thread thread = new Thread(new LoadProgress(name, meter), "progress");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        LoadMeter.Moment before = meter.now();
        while (true) {
            ProcessMeter.sleep(EVERY_MS);
            LoadMeter.Moment now = meter.now();
            LoadMeter.Moment second = now.since(before);
            before = now;
            if (second.bytesIn() + second.bytesOut() > 0) {
                System.err.println(line(name, (now.ns() - startNs) / 1e9, second));
            }
        }
    }

    static String line(String name, double atSeconds, LoadMeter.Moment second) {
        double seconds = second.seconds();
        return String.format(Locale.ROOT, "%s %4.0f s: in %.1f MB/s, %.0f messages/s; out %.1f MB/s, %.0f messages/s; CPU %.0f %%", name,
            atSeconds, second.bytesIn() / 1e6 / seconds, second.messagesIn() / seconds, second.bytesOut() / 1e6 / seconds,
            second.messagesOut() / seconds, second.cpuMs() / seconds / PERCENT_OF_A_CORE);
    }
}
