package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A chart with lines and points as an SVG element. The horizontal scale is linear, and the vertical scale is linear or logarithmic. */
public final class LineChart {

    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 40;
    private static final int BOTTOM = 84;
    private static final int TICKS = 6;
    private static final int LEGEND_COLUMN = 215;
    private static final double[] STEPS = {1, 2, 5, 10};

    /**
     * A line or a set of points.
     *
     * @param color a CSS color
     * @param dash  the SVG dash pattern of a line, empty for a solid line, or {@code points} for points
     */
    public record Series(String name, String color, String dash, List<Double> x, List<Double> y) {
    }

    private final String title;
    private final String xTitle;
    private final String yTitle;
    private final boolean logarithmic;
    private final List<Series> series = new ArrayList<>();

    /** Creates an empty chart. */
    public LineChart(String title, String xTitle, String yTitle, boolean logarithmic) {
        this.title = title;
        this.xTitle = xTitle;
        this.yTitle = yTitle;
        this.logarithmic = logarithmic;
    }

    /** Adds a line or points. */
    public void add(Series one) {
        series.add(one);
    }

    /** Returns the SVG element. */
    public String svg() {
        double maxX = series.stream().flatMapToDouble(one -> one.x.stream().mapToDouble(Double::doubleValue)).max().orElse(1);
        double maxY = series.stream().flatMapToDouble(one -> one.y.stream().mapToDouble(Double::doubleValue)).max().orElse(1);
        double minY = series.stream().flatMapToDouble(one -> one.y.stream().mapToDouble(Double::doubleValue)).min().orElse(0);
        List<Double> yTicks = logarithmic ? logarithmicTicks(minY, maxY) : linearTicks(maxY);
        List<Double> xTicks = linearTicks(maxX);
        Scale x = new Scale(0, xTicks.get(xTicks.size() - 1), LEFT, WIDTH - RIGHT, false);
        Scale y = new Scale(yTicks.get(0), yTicks.get(yTicks.size() - 1), HEIGHT - BOTTOM, TOP, logarithmic);

        StringBuilder out = new StringBuilder(16_384);
        append(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            + "font-family=\"sans-serif\" font-size=\"12\"><title>%s</title>%n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, escape(title));
        append(out, "<text x=\"%d\" y=\"20\" font-size=\"15\" font-weight=\"bold\">%s</text>%n", LEFT, escape(title));
        for (double tick : yTicks) {
            append(out, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                LEFT, y.at(tick), WIDTH - RIGHT, LEFT - 6, y.at(tick) + 4, number(tick));
        }
        for (double tick : xTicks) {
            append(out, "<path d=\"M%.1f %dv5\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
                x.at(tick), HEIGHT - BOTTOM, x.at(tick), HEIGHT - BOTTOM + 18, number(tick));
        }
        append(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>%n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
        append(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>%n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 36,
            escape(xTitle));
        append(out, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n", (TOP + HEIGHT - BOTTOM) / 2,
            escape(yTitle));
        for (Series one : series) {
            appendSeries(out, one, x, y);
        }
        appendLegend(out);
        return out.append("</svg>\n").toString();
    }

    private static void appendSeries(StringBuilder out, Series one, Scale x, Scale y) {
        if (one.dash.equals("points")) {
            append(out, "<g fill=\"%s\" fill-opacity=\"0.35\">%n", one.color);
            for (int i = 0; i < one.x.size(); i++) {
                append(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>", x.at(one.x.get(i)), y.at(one.y.get(i)));
            }
            append(out, "</g>%n");
            return;
        }
        append(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"", one.color,
            one.dash.isEmpty() ? "none" : one.dash);
        for (int i = 0; i < one.x.size(); i++) {
            append(out, "%.1f,%.1f ", x.at(one.x.get(i)), y.at(one.y.get(i)));
        }
        append(out, "\"/>%n");
    }

    private void appendLegend(StringBuilder out) {
        int place = 0;
        for (Series one : series) {
            if (one.dash.equals("points")) {
                continue;
            }
            int left = LEFT + place % 3 * LEGEND_COLUMN;
            int top = HEIGHT - 28 + place / 3 * 18;
            append(out, "<path d=\"M%d %dh26\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/><text x=\"%d\" "
                + "y=\"%d\">%s</text>%n", left, top - 4, one.color, one.dash.isEmpty() ? "none" : one.dash, left + 32, top,
                escape(one.name));
            place++;
        }
    }

    private static List<Double> linearTicks(double max) {
        double rough = Math.max(max, 1e-9) / TICKS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double step = power;
        for (double factor : STEPS) {
            step = factor * power;
            if (step >= rough * 0.999) {
                break;
            }
        }
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i == 0 || ticks.get(i - 1) < max * 0.9999; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    private static List<Double> logarithmicTicks(double min, double max) {
        List<Double> ticks = new ArrayList<>();
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(min, 1e-9))));
        while (true) {
            for (double factor : new double[] {1, 2, 5}) {
                double tick = factor * power;
                if (!ticks.isEmpty() && tick <= min) {
                    ticks.set(0, tick);
                } else {
                    ticks.add(tick);
                }
                if (tick >= max) {
                    return ticks;
                }
            }
            power *= 10;
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : String.format(Locale.ROOT, "%.1f", value);
    }

    /** Replaces the characters that have a meaning in XML. */
    public static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    static void append(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format.replace("%n", "\n"), values));
    }

    /** Maps values to pixels. */
    private record Scale(double from, double to, double fromPixel, double toPixel, boolean logarithmic) {

        double at(double value) {
            double share = logarithmic ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
            return fromPixel + share * (toPixel - fromPixel);
        }
    }
}
