package io.kcp.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one run over a lossy link gave; figures that a kind does not have are NaN.
 *
 * @param missing            messages that did not arrive within the patience after the last was sent
 * @param stalledMsPerSecond how much the machine stood still meanwhile, all processors together
 */
record LossyResult(double p50Ms, double p90Ms, double p99Ms, double megabytesPerSecond, double wireMegabytesPerSecond,
    double missing, double stalledMsPerSecond) {

    /** Of a run that failed. */
    static final LossyResult NONE =
        new LossyResult(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.POSITIVE_INFINITY);

    /** Figure by figure. */
    static LossyResult median(List<LossyResult> results) {
        return new LossyResult(median(results, LossyResult::p50Ms), median(results, LossyResult::p90Ms),
            median(results, LossyResult::p99Ms), median(results, LossyResult::megabytesPerSecond),
            median(results, LossyResult::wireMegabytesPerSecond), median(results, LossyResult::missing),
            median(results, LossyResult::stalledMsPerSecond));
    }

    private static double median(List<LossyResult> results, ToDoubleFunction<LossyResult> figure) {
        double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    JsonLine addTo(JsonLine line) {
        return line.put("p50_ms", p50Ms).put("p90_ms", p90Ms).put("p99_ms", p99Ms).put("mb_s", megabytesPerSecond)
            .put("wire_mb_s", wireMegabytesPerSecond).put("missing", missing).put("stalled_ms_s", stalledMsPerSecond);
    }
}
