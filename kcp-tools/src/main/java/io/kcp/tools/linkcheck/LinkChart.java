package io.kcp.tools.linkcheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Draws the measurements of a link over time as an SVG image with three panels: rate, round trip and loss. */
final class LinkChart {

    private static final int WIDTH = 720;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int PANEL = 150;
    private static final int PANEL_TOP = 34;
    private static final int PANEL_BOTTOM = 12;
    private static final int AXIS = 44;
    private static final int CAPTION = 16;
    private static final int TICKS = 4;
    private static final int TIME_TICKS = 10;
    private static final int LEGEND_COLUMN = 130;
    private static final double[] STEPS = {1, 2, 5, 10};
    private static final String BLUE = "#0072b2";
    private static final String ORANGE = "#d55e00";

    /** A line of a panel. Samples for which the value is null are skipped. */
    private record Line(String name, String color, Function<LinkSamples.Sample, @Nullable Double> value) {
    }

    private final String title;
    private final String caption;
    private final List<LinkSamples.Sample> samples;
    private final double seconds;
    private final StringBuilder out = new StringBuilder();

    /** Creates a picture with a title above the panels and a caption below them. */
    LinkChart(String title, String caption, List<LinkSamples.Sample> samples) {
        this.title = title;
        this.caption = caption;
        this.samples = samples;
        seconds = samples.isEmpty() ? 1 : samples.get(samples.size() - 1).second();
    }

    void write(Path path) throws IOException {
        Files.createDirectories(path.toAbsolutePath().resolveSibling("."));
        Files.writeString(path, svg());
    }

    String svg() {
        out.setLength(0);
        int height = 24 + 3 * PANEL + AXIS + CAPTION;
        append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            + "font-family=\"sans-serif\" font-size=\"12\"><title>%s</title>%n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n",
            WIDTH, height, WIDTH, height, escape(title));
        append("<text x=\"%d\" y=\"20\" font-size=\"15\" font-weight=\"bold\">%s</text>%n", LEFT, escape(title));
        panel(0, "payload, Mbit/s", List.of(new Line("to the server", BLUE, LinkSamples.Sample::megabitsToServer),
            new Line("from the server", ORANGE, LinkSamples.Sample::megabitsFromServer)));
        panel(1, "round trip, ms", List.of(new Line("median", BLUE, LinkSamples.Sample::rttMs)));
        panel(2, "loss, %", List.of(new Line("retransmitted", BLUE, LinkSamples.Sample::retransmittedPercent),
            new Line("lost from the server", ORANGE, LinkSamples.Sample::lostPercent)));
        timeAxis(24 + 3 * PANEL);
        append("<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT, 24 + 3 * PANEL + AXIS + 4, escape(caption));
        return out.append("</svg>\n").toString();
    }

    private void panel(int index, String name, List<Line> lines) {
        int top = 24 + index * PANEL + PANEL_TOP;
        int bottom = 24 + (index + 1) * PANEL - PANEL_BOTTOM;
        double highest = lines.stream().flatMap(line -> samples.stream().map(line.value)).filter(Objects::nonNull)
            .mapToDouble(value -> Objects.requireNonNull(value)).max().orElse(0);
        double step = step(Math.max(highest, 0.1), TICKS);
        double max = Math.max(1, Math.ceil(highest / step - 1e-9)) * step;
        append("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>%n", LEFT, top - 10, escape(name));
        for (double tick = 0; tick < max + step / 2; tick += step) {
            double y = bottom - tick / max * (bottom - top);
            append("<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n", LEFT, y,
                WIDTH - RIGHT, LEFT - 6, y + 4, number(tick));
        }
        for (int i = 0; i < lines.size(); i++) {
            Line line = lines.get(i);
            append("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", line.color);
            for (LinkSamples.Sample sample : samples) {
                Double value = line.value.apply(sample);
                if (value != null) {
                    append("%.1f,%.1f ", x(sample.second()), bottom - value / max * (bottom - top));
                }
            }
            append("\"/>%n");
            int left = WIDTH - RIGHT - (lines.size() - i) * LEGEND_COLUMN;
            append("<path d=\"M%d %dh18\" stroke=\"%s\" stroke-width=\"2\"/><text x=\"%d\" y=\"%d\">%s</text>%n", left, top - 14,
                line.color, left + 24, top - 10, escape(line.name));
        }
    }

    private void timeAxis(int top) {
        double step = step(seconds, TIME_TICKS);
        for (double tick = 0; tick <= seconds + 1e-9; tick += step) {
            append("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n", x(tick), top + 8, number(tick));
        }
        append("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">seconds</text>%n", (LEFT + WIDTH - RIGHT) / 2, top + 28);
    }

    private double x(double second) {
        return LEFT + second / seconds * (WIDTH - RIGHT - LEFT);
    }

    /** Returns the smallest step of 1, 2 or 5 times a power of ten with which at most the given number of steps reach a value. */
    private static double step(double max, int steps) {
        double rough = max / steps;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        for (double factor : STEPS) {
            if (factor * power >= rough * 0.999) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private static String number(double value) {
        double rounded = Math.round(value * 1_000) / 1e3;
        return rounded == Math.rint(rounded) ? String.format(Locale.ROOT, "%.0f", rounded) : Double.toString(rounded);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private void append(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format.replace("%n", "\n"), values));
    }
}
