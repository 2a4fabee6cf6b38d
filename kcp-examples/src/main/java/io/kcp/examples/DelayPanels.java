package io.kcp.examples;

import java.util.List;
import java.util.Locale;

/** Draws the delay of every message over time, with one panel for each contender. All panels use the same scales. */
final class DelayPanels {

    private static final int WIDTH = 960;
    private static final int LEFT = 58;
    private static final int RIGHT = 872;
    private static final int TITLE = 30;
    private static final int PLOT = 110;
    private static final int PANEL = TITLE + PLOT + 22;
    private static final int BOTTOM = 26;
    private static final int LABEL_SPACING = 13;
    private static final double COLUMN = 1.5;

    private DelayPanels() {
    }

    static String draw(List<DemoResult> results) {
        double longestMs = results.stream().mapToDouble(result -> result.delays().maxMs()).max().orElse(1);
        double longestSeconds = results.stream().mapToDouble(result -> result.delays().durationSeconds()).max().orElse(1);
        Axis time = Axis.upTo(longestSeconds, 8, LEFT, RIGHT);
        Svg svg = new Svg(WIDTH, PANEL * results.size() + BOTTOM, "Delivery delay over time, one panel for each contender");
        for (int i = 0; i < results.size(); i++) {
            int top = PANEL * i + TITLE;
            panel(svg, results.get(i), i, time, Axis.roundedUp(longestMs, 4, top + PLOT, top));
        }
        svg.text("label middle", (LEFT + RIGHT) / 2.0, PANEL * results.size() + BOTTOM - 8,
            "time at which the message was sent, seconds");
        return svg.end();
    }

    private static void panel(Svg svg, DemoResult result, int index, Axis time, Axis delay) {
        DelaySeries delays = result.delays();
        double bottom = delay.pixel(0);
        double top = bottom - PLOT;
        svg.openGroup("s" + index, result.name());
        svg.rectangle("swatch", LEFT, top - 19, 11, 11);
        svg.text("name", LEFT + 18, top - 9, result.name());
        svg.text("label end", RIGHT, top - 9, String.format(Locale.ROOT, "longest %.0f ms", delays.maxMs()));
        for (double tick : delay.ticks()) {
            svg.line("grid", LEFT, delay.pixel(tick), RIGHT, delay.pixel(tick));
            svg.text("tick end", LEFT - 8, delay.pixel(tick) + 4, delay.label(tick));
        }
        for (double tick : time.ticks()) {
            svg.line("axis", time.pixel(tick), bottom, time.pixel(tick), bottom + 4);
            svg.text("tick middle", time.pixel(tick), bottom + 17, time.label(tick));
        }
        svg.textUpwards("label middle", 16, bottom - PLOT / 2.0, "delay, ms");
        svg.path("range", strokes(delays, time, delay));
        svg.line("axis", LEFT, bottom, RIGHT, bottom);
        double median = delay.pixel(delays.percentileMs(50));
        double high = delay.pixel(delays.percentileMs(99));
        mark(svg, median, median, String.format(Locale.ROOT, "p50 %.0f ms", delays.percentileMs(50)));
        mark(svg, high, Math.min(high, median - LABEL_SPACING), String.format(Locale.ROOT, "p99 %.0f ms", delays.percentileMs(99)));
        svg.closeGroup();
    }

    private static void mark(Svg svg, double y, double labelY, String label) {
        svg.line("mark", LEFT, y, RIGHT, y);
        svg.text("tick", RIGHT + 6, labelY + 4, label);
    }

    /** Returns an SVG path with one vertical line per pixel column, from the bottom to the greatest delay in that column. */
    private static CharSequence strokes(DelaySeries delays, Axis time, Axis delay) {
        StringBuilder path = new StringBuilder();
        int message = 0;
        while (message < delays.size()) {
            double x = time.pixel(delays.plannedAtSeconds(message));
            double greatest = 0;
            while (message < delays.size() && time.pixel(delays.plannedAtSeconds(message)) < x + COLUMN) {
                greatest = Math.max(greatest, delays.delayMs(message));
                message++;
            }
            path.append(String.format(Locale.ROOT, "M%.1f %.1fV%.1f", x + COLUMN / 2, delay.pixel(0), delay.pixel(greatest)));
        }
        return path;
    }
}
