package io.kcp.examples;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Help.Ansi;

/**
 * Shows a progress bar, the rate and the remaining time. On a terminal one line is updated in place. Otherwise a new line is printed
 * at most every two seconds.
 */
final class ProgressLine {

    private static final int BAR_CELLS = 16;
    private static final int LABEL_CHARS = 20;
    private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PRINT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PrintWriter out;
    private final String label;
    private final boolean terminal;
    /** A shutdown hook that ends the line, so that the shell prompt starts on a new line after Ctrl-C. */
    private final Thread newline;
    private final long startNanos = System.nanoTime();
    private long shownNanos = startNanos;
    private int drawnChars;

    private ProgressLine(PrintWriter out, String label, boolean terminal) {
        this.out = out;
        this.label = label.length() > LABEL_CHARS ? label.substring(0, LABEL_CHARS - 2) + ".." : label;
        this.terminal = terminal;
        newline = new Thread(out::println);
    }

    static ProgressLine on(PrintWriter out, String label) {
        return new ProgressLine(out, label, Ansi.AUTO.enabled());
    }

    /** Updates the line, unless it was updated a short time ago. */
    void show(long done, long total, String detail) {
        long nowNanos = System.nanoTime();
        if (nowNanos - shownNanos >= (terminal ? REDRAW_NANOS : PRINT_NANOS)) {
            shownNanos = nowNanos;
            draw(line(done, total, detail, nowNanos));
        }
    }

    /** Replaces the line with the given text, unless it was updated a short time ago. */
    void show(String text) {
        long nowNanos = System.nanoTime();
        if (nowNanos - shownNanos >= (terminal ? REDRAW_NANOS : PRINT_NANOS)) {
            shownNanos = nowNanos;
            draw(text);
        }
    }

    /** Shows the final state and ends the line. */
    void end(long done, long total, String detail) {
        draw(line(done, total, detail, System.nanoTime()));
        interrupt();
    }

    /** Ends the line, so that other output can be printed below it. */
    void interrupt() {
        if (drawnChars > 0) {
            out.println();
            drawnChars = 0;
            try {
                Runtime.getRuntime().removeShutdownHook(newline);
            } catch (IllegalStateException alreadyShuttingDown) {
                // The JVM runs the hook, which ends the line.
            }
        }
    }

    void println(String text) {
        interrupt();
        out.println(text);
        out.flush();
    }

    /** Returns a bar of which the given fraction is filled. */
    static String bar(double fraction) {
        int cells = (int) (Math.min(1, fraction) * BAR_CELLS);
        return '[' + "#".repeat(cells) + ".".repeat(BAR_CELLS - cells) + ']';
    }

    private String line(long done, long total, String detail, long nowNanos) {
        double fraction = total == 0 ? 1 : Math.min(1, done / (double) total);
        double seconds = Math.max(1e-3, (nowNanos - startNanos) / 1e9);
        double rate = done / seconds;
        String left = fraction < 1 ? rate > 0 ? HumanUnits.duration(Math.round((total - done) / rate)) : "?"
            : HumanUnits.duration(Math.round(seconds));
        return String.format(Locale.ROOT, "%-6s %s %3d %%  %s  %s %s%s", label, bar(fraction), (int) (fraction * 100),
            HumanUnits.rate(rate), fraction < 1 ? "left" : "took", left, detail.isEmpty() ? "" : "  " + detail);
    }

    private void draw(String line) {
        if (terminal) {
            if (drawnChars == 0) {
                Runtime.getRuntime().addShutdownHook(newline);
            }
            out.print("\r" + line + " ".repeat(Math.max(0, drawnChars - line.length())));
            drawnChars = line.length();
        } else {
            out.println(line);
        }
        out.flush();
    }
}
