package io.kcp.bench;

import java.util.List;
import java.util.Locale;

/**
 * One figure of several contenders, a bar each; a thin line reaches from the least to the greatest of its runs. A bar that
 * would leave no room for the others is cut.
 */
final class BarChart {

    private static final int WIDTH = 460;
    private static final int LEFT = 118;
    private static final int RIGHT = 380;
    private static final int TOP = 6;
    private static final int ROW = 26;
    private static final int BAR = 16;
    private static final double THINNEST = 1.5;
    private static final double FAR_AHEAD = 4;
    private static final double CUT_AT = 1.5;

    private BarChart() {
    }

    /** Each series has one value. */
    static String draw(String title, Metric metric, List<Series> series) {
        double most = scale(series);
        Svg svg = new Svg(WIDTH, TOP + ROW * series.size() + 4, title + ", " + metric.label());
        int y = TOP;
        for (Series one : series) {
            double value = one.values().get(0);
            svg.openGroup(one.cssClass());
            svg.text("who end", LEFT - 8, y + BAR - 3, one.name());
            svg.rectangle("bar", LEFT, y, Math.max(THINNEST, x(value, most) - LEFT), BAR);
            if (value > most) {
                svg.path("cut", String.format(Locale.ROOT, "M%d %d l6 %d l5 0 l-6 %d z", RIGHT - 34, y + BAR + 1, -BAR - 2, BAR + 2));
            }
            double low = x(one.lows().get(0), most);
            double high = x(one.highs().get(0), most);
            if (high - low > 1) {
                svg.line("range", low, y + BAR / 2.0, high, y + BAR / 2.0);
            }
            svg.text("value", Math.max(high, x(value, most)) + 7, y + BAR - 3, Metric.format(value));
            svg.closeGroup();
            y += ROW;
        }
        return svg.line("axis", LEFT, TOP - 4, LEFT, y - ROW + BAR + 4).end();
    }

    /** Where the longest is far ahead of the second, a little more than the second. */
    private static double scale(List<Series> series) {
        double[] sorted = series.stream().mapToDouble(one -> one.highs().get(0)).sorted().toArray();
        double most = sorted[sorted.length - 1];
        double second = sorted.length > 2 ? sorted[sorted.length - 2] : most;
        return second > 0 && most > FAR_AHEAD * second ? CUT_AT * second : most;
    }

    private static double x(double value, double most) {
        return most > 0 ? LEFT + (RIGHT - LEFT) * Math.min(1, value / most) : LEFT;
    }
}
