package io.kcp.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A linear chart axis that maps values from 0 to an upper end onto a range of pixels. */
final class Axis {

    private static final double[] ROUND = {1, 2, 5, 10};

    private final double step;
    private final double end;
    private final double fromPixel;
    private final double toPixel;

    /** Returns an axis that ends at a round number not below {@code max} and has about {@code steps} ticks. */
    static Axis roundedUp(double max, int steps, double fromPixel, double toPixel) {
        double step = roundStep(max / steps);
        return new Axis(step, Math.max(1, Math.ceil(max / step)) * step, fromPixel, toPixel);
    }

    /** Returns an axis that ends exactly at {@code max} and has about {@code steps} ticks. */
    static Axis upTo(double max, int steps, double fromPixel, double toPixel) {
        return new Axis(roundStep(max / steps), max, fromPixel, toPixel);
    }

    private Axis(double step, double end, double fromPixel, double toPixel) {
        this.step = step;
        this.end = end;
        this.fromPixel = fromPixel;
        this.toPixel = toPixel;
    }

    double pixel(double value) {
        return fromPixel + (toPixel - fromPixel) * Math.min(value, end) / end;
    }

    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i * step <= end * 1.0001; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    String label(double tick) {
        return step < 1 ? String.format(Locale.ROOT, "%.1f", tick) : String.format(Locale.ROOT, "%.0f", tick);
    }

    private static double roundStep(double roughStep) {
        double rough = Math.max(roughStep, 0.1);
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        for (double factor : ROUND) {
            if (factor * power >= rough * 0.9999) {
                return factor * power;
            }
        }
        return 10 * power;
    }
}
