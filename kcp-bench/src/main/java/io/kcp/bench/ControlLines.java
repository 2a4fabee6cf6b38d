package io.kcp.bench;

import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Obeys the lines on standard input of a load program, see {@link KcpLoad}; its end is the program's. */
final class ControlLines implements Runnable {

    private static final String OPEN = "open ";

    private final InputStream in;
    private final PrintStream out;
    private final LoadMeter meter;
    private final Supplier<SessionCounts> counts;
    private final LoadEnd end;
    private final int histogramRows;
    private IntConsumer opener = count -> {
        throw new IllegalArgumentException("nothing to open (expected: work idle)");
    };
    private @Nullable ClassHistogram histogram;
    private volatile long lastLineNs = System.nanoTime();

    ControlLines(InputStream in, PrintStream out, LoadMeter meter, Supplier<SessionCounts> counts, LoadEnd end, int histogramRows) {
        this.in = in;
        this.out = out;
        this.meter = meter;
        this.counts = counts;
        this.end = end;
        this.histogramRows = histogramRows;
    }

    /** Sets what {@code open N} does; it must not take its time. */
    void onOpen(IntConsumer action) {
        opener = action;
    }

    /** Begins on a thread of its own, which does not keep the process alive. */
    void start() {
        Thread thread = new Thread(this, "standard input");
        thread.setDaemon(true);
        thread.start();
    }

    /** When the last line came, by {@code System.nanoTime()}. */
    long lastLineNs() {
        return lastLineNs;
    }

    @Override
    public void run() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                obey(line.strip());
                lastLineNs = System.nanoTime();
            }
            end.inputEnded();
        } catch (IOException | RuntimeException failure) {
            end.failed(failure);
        }
    }

    private void obey(String line) {
        if (line.equals("mark")) {
            meter.now().addTo(JsonLine.event("mark")).printTo(out);
        } else if (line.equals("stats")) {
            counts.get().addTo(JsonLine.event("stats")).printTo(out);
        } else if (line.equals("memory")) {
            JsonLine.event("memory").put("live_bytes", ProcessMeter.heapAfterCollectionBytes())
                .put("direct_bytes", PlatformDependent.usedDirectMemory()).put("rss_bytes", ProcessMeter.residentBytes()).printTo(out);
            printHistogram();
        } else if (line.startsWith(OPEN)) {
            opener.accept(Integer.parseInt(line.substring(OPEN.length())));
        } else if (!line.isEmpty()) {
            throw new IllegalArgumentException("line: " + line + " (expected: mark, stats, memory or open N)");
        }
    }

    private void printHistogram() {
        if (histogramRows == 0) {
            return;
        }
        ClassHistogram now = ClassHistogram.take();
        if (histogram != null) {
            now.printGrowth(histogram, histogramRows, System.err);
        }
        histogram = now;
    }
}
