package io.kcp.examples;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Help.Ansi;

/** A bar, the rate and the time that is left: one line that rewrites itself on a terminal, now and then a line elsewhere. */
final class ProgressLine {

    private static final int BAR_CELLS = 16;
    private static final int LABEL_CHARS = 20;
    private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PRINT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PrintWriter out;
    private final String label;
    private final boolean terminal;
    /** What comes next, after Ctrl-C say, begins on a line of its own. */
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

    /** Shows how far it is, if enough time passed since the last one. */
    void show(long done, long total, String detail) {
        long nowNanos = System.nanoTime();
        if (nowNanos - shownNanos >= (terminal ? REDRAW_NANOS : PRINT_NANOS)) {
            shownNanos = nowNanos;
            draw(line(done, total, detail, nowNanos));
        }
    }

    /** Shows a text of the caller's instead, if enough time passed since the last one. */
    void show(String text) {
        long nowNanos = System.nanoTime();
        if (nowNanos - shownNanos >= (terminal ? REDRAW_NANOS : PRINT_NANOS)) {
            shownNanos = nowNanos;
            draw(text);
        }
    }

    /** Shows how far it came, and that there is no more. */
    void end(long done, long total, String detail) {
        draw(line(done, total, detail, System.nanoTime()));
        interrupt();
    }

    /** Leaves the line as it is, so that something else can be printed. */
    void interrupt() {
        if (drawnChars > 0) {
            out.println();
            drawnChars = 0;
            try {
                Runtime.getRuntime().removeShutdownHook(newline);
            } catch (IllegalStateException alreadyShuttingDown) {
                // It is running then.
            }
        }
    }

    void println(String text) {
        interrupt();
        out.println(text);
        out.flush();
    }

    /** Returns a bar that is filled that far. */
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
