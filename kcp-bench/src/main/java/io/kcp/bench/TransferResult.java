package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What came of one transfer, or the median of several.
 *
 * @param kind         what was done
 * @param value        MB/s, or the median round trip in microseconds
 * @param p99Us        99th percentile of the round trip, NaN for others than ping-pong
 * @param cpuMsPerUnit CPU time of both ends for a megabyte, or for a thousand round trips
 */
record TransferResult(TransferKind kind, double value, double p99Us, double cpuMsPerUnit) {

    JsonLine addTo(JsonLine line) {
        line.put("kind", kind.label()).put(kind == TransferKind.PING_PONG ? "median_us" : "mb_s", value);
        if (kind == TransferKind.PING_PONG) {
            line.put("p99_us", p99Us);
        }
        return line.put("cpu_ms_per_" + kind.cpuUnit().toLowerCase(Locale.ROOT), cpuMsPerUnit);
    }

    static TransferResult median(List<TransferResult> results) {
        return new TransferResult(results.get(0).kind, median(results, TransferResult::value),
            median(results, TransferResult::p99Us), median(results, TransferResult::cpuMsPerUnit));
    }

    private static double median(List<TransferResult> results, ToDoubleFunction<TransferResult> figure) {
        double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
