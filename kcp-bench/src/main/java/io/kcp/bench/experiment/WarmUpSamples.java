package io.kcp.bench.experiment;

import io.kcp.bench.Statistics;
import java.util.ArrayList;
import java.util.List;

/** Counters of a server that was started recently, at increasing times. Times are in seconds since the first received datagram. */
final class WarmUpSamples {

    /**
     * Counters at one time.
     *
     * @param received bytes of payload received so far
     * @param cpuMs    CPU time of the process
     * @param c2Ms     CPU time of the C2 compiler
     */
    record Sample(double seconds, double received, double cpuMs, double c1Ms, double c2Ms) {
    }

    /** Share of the steady throughput that has to be reached. */
    private static final double REACHED = 0.95;
    private static final double WINDOW_SECONDS = 1;

    private final List<Sample> samples = new ArrayList<>();

    void add(Sample sample) {
        samples.add(sample);
    }

    double lastSeconds() {
        return samples.isEmpty() ? 0 : samples.get(samples.size() - 1).seconds;
    }

    /** Returns the first sample at or after a time, or the last one. */
    Sample at(double seconds) {
        return samples.stream().filter(sample -> sample.seconds >= seconds).findFirst().orElse(samples.get(samples.size() - 1));
    }

    /** Returns the median throughput of the windows in the second half of the time, in bytes per second. */
    double steadyPerSecond() {
        List<Double> rates = new ArrayList<>();
        for (double from = lastSeconds() / 2; from + WINDOW_SECONDS <= lastSeconds(); from += WINDOW_SECONDS) {
            rates.add(rate(at(from), at(from + WINDOW_SECONDS)));
        }
        return Statistics.median(rates.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** Returns the start of the first window with 95 % of the steady throughput. */
    double secondsUntilSteady() {
        double wanted = REACHED * steadyPerSecond();
        for (Sample sample : samples) {
            if (sample.seconds + WINDOW_SECONDS <= lastSeconds() && rate(sample, at(sample.seconds + WINDOW_SECONDS)) >= wanted) {
                return sample.seconds;
            }
        }
        return Double.NaN;
    }

    private static double rate(Sample from, Sample until) {
        return (until.received - from.received) / (until.seconds - from.seconds);
    }
}
