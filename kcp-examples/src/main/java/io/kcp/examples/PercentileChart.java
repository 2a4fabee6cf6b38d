package io.kcp.examples;

import java.util.List;
import java.util.Locale;

/** Draws the delay percentiles of all contenders in one chart. The percentile axis is logarithmic, to show the rare long delays. */
final class PercentileChart {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 340;
    private static final int LEFT = 58;
    private static final int RIGHT = 872;
    private static final int TOP = 40;
    private static final int BOTTOM = 286;
    private static final double[] TICKS = {0, 50, 75, 90, 95, 99, 99.5, 99.8};
    private static final double LAST = 99.9;
    private static final double NINES = nines(LAST);

    private PercentileChart() {
    }

    static String draw(List<DemoResult> results) {
        double longestMs = results.stream().mapToDouble(result -> result.delays().percentileMs(LAST)).max().orElse(1);
        Axis delay = Axis.roundedUp(longestMs, 6, BOTTOM, TOP);
        Svg svg = new Svg(WIDTH, HEIGHT, "Delivery delay by percentile, one line for each contender");
        for (double tick : delay.ticks()) {
            svg.line("grid", LEFT, delay.pixel(tick), RIGHT, delay.pixel(tick));
            svg.text("tick end", LEFT - 8, delay.pixel(tick) + 4, delay.label(tick));
        }
        for (double tick : TICKS) {
            svg.line("grid", x(tick), TOP, x(tick), BOTTOM + 4);
            svg.text("tick middle", x(tick), BOTTOM + 18, plain(tick) + " %");
        }
        svg.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
        svg.textUpwards("label middle", 16, (TOP + BOTTOM) / 2.0, "delay, ms");
        svg.text("label middle", (LEFT + RIGHT) / 2.0, HEIGHT - 10, "share of the messages that took no longer than that");
        for (int i = 0; i < results.size(); i++) {
            series(svg, results.get(i), i, delay);
        }
        return svg.end();
    }

    private static void series(Svg svg, DemoResult result, int index, Axis delay) {
        DelaySeries delays = result.delays();
        svg.openGroup("s" + index, result.name());
        StringBuilder path = new StringBuilder();
        for (double pixel = LEFT; pixel <= RIGHT; pixel += 2) {
            double percentile = 100 - 100 * Math.pow(10, -NINES * (pixel - LEFT) / (RIGHT - LEFT));
            path.append(String.format(Locale.ROOT, "%s%.0f %.1f", pixel == LEFT ? "M" : "L", pixel,
                delay.pixel(delays.percentileMs(percentile))));
        }
        svg.path("curve", path);
        for (double percentile : new double[] {50, 90, 99}) {
            svg.circle("dot", x(percentile), delay.pixel(delays.percentileMs(percentile)), 3.5);
        }
        int legendX = LEFT + 14 + 150 * index;
        svg.line("curve", legendX, 16, legendX + 26, 16);
        svg.circle("dot", legendX + 13, 16, 3.5);
        svg.text("name", legendX + 34, 20, result.name());
        svg.closeGroup();
    }

    private static double x(double percentile) {
        return LEFT + (RIGHT - LEFT) * nines(percentile) / NINES;
    }

    /** Returns the number of nines of a percentile: 1 for 90 %, 2 for 99 %, 3 for 99.9 %. */
    private static double nines(double percentile) {
        return -Math.log10(1 - percentile / 100);
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
