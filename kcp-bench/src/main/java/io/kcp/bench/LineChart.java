package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** Several contenders at several places, a line each, on a logarithmic scale. */
final class LineChart {

    private static final int WIDTH = 940;
    private static final int HEIGHT = 336;
    private static final int LEFT = 70;
    private static final int RIGHT = 738;
    private static final int TOP = 30;
    private static final int BOTTOM = 284;
    private static final int LEGEND_ROW = 24;
    private static final double[] STEPS = {1, 2, 5};
    private static final double[] FINE_STEPS = {1, 1.5, 2, 3, 4, 5, 7};
    private static final double NARROW = 10;
    private static final double WIDE = 1_000;

    private final double least;
    private final double most;
    private final int places;

    private LineChart(List<Series> series, int places) {
        double[] values = series.stream().flatMapToDouble(one -> one.values().stream().mapToDouble(Double::doubleValue))
            .filter(value -> value > 0).toArray();
        least = below(DoubleStream.of(values).min().orElse(1));
        most = Math.max(above(DoubleStream.of(values).max().orElse(10)), least * 2);
        this.places = places;
    }

    /** Places have names; {@code unit} is that of the values. */
    static String draw(String title, String unit, String placesTitle, List<String> places, List<Series> series) {
        return new LineChart(series, places.size()).svg(title, unit, placesTitle, places, series);
    }

    private String svg(String title, String unit, String placesTitle, List<String> placeNames, List<Series> series) {
        Svg svg = new Svg(WIDTH, HEIGHT, title);
        for (double power = power(least); power <= most * 1.0001; power *= 10) {
            for (double step : most / least <= NARROW ? FINE_STEPS : STEPS) {
                double tick = power * step;
                if (tick >= least * 0.9999 && tick <= most * 1.0001) {
                    svg.line("grid", LEFT, y(tick), RIGHT, y(tick));
                    if (step == 1 || most / least <= WIDE) {
                        svg.text("tick end", LEFT - 8, y(tick) + 4, tick(tick));
                    }
                }
            }
        }
        for (int place = 0; place < places; place++) {
            svg.text("tick middle", x(place), BOTTOM + 20, placeNames.get(place));
        }
        svg.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
        svg.text("label end", LEFT - 8, TOP - 14, unit);
        svg.text("label middle", (LEFT + RIGHT) / 2.0, HEIGHT - 8, placesTitle);
        int legendY = TOP + 12;
        for (Series one : series) {
            svg.openGroup(one.cssClass());
            curve(svg, one.values());
            svg.line("curve", RIGHT + 20, legendY, RIGHT + 46, legendY);
            svg.circle("dot", RIGHT + 33, legendY, 3.5);
            svg.text("who", RIGHT + 54, legendY + 4, one.name());
            svg.closeGroup();
            legendY += LEGEND_ROW;
        }
        return svg.end();
    }

    private void curve(Svg svg, List<Double> values) {
        StringBuilder path = new StringBuilder();
        for (int place = 0; place < values.size(); place++) {
            double value = values.get(place);
            if (value > 0) {
                path.append(String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : "L", x(place), y(value)));
            }
        }
        svg.path("curve", path);
        for (int place = 0; place < values.size(); place++) {
            if (values.get(place) > 0) {
                svg.circle("dot", x(place), y(values.get(place)), 3.5);
            }
        }
    }

    private double x(int place) {
        double margin = (RIGHT - LEFT) / (2.0 * places);
        return LEFT + margin + (RIGHT - LEFT - 2 * margin) * place / Math.max(1, places - 1);
    }

    private double y(double value) {
        return BOTTOM - (BOTTOM - TOP) * Math.log(value / least) / Math.log(most / least);
    }

    private static double power(double value) {
        return Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    }

    /** The next of 1, 2, 5 times a power of ten. */
    private static double below(double value) {
        double power = power(value);
        return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1);
    }

    private static double above(double value) {
        double power = power(value);
        return power * (value <= power * 1.0001 ? 1 : value <= 2 * power ? 2 : value <= 5 * power ? 5 : 10);
    }

    private static String tick(double value) {
        return value >= 1 ? String.format(Locale.ROOT, "%,.0f", value) : Json.number(value);
    }
}
