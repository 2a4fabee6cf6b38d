package io.kcp.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * Values that were measured in one run over a lossy link, keyed by field name. They are percentiles of the delivery delay, the number of
 * messages that were not delivered within 20 s after the last one was sent, goodput, the client's throughput in IP packets, and the time
 * for which processors of this machine stalled. Values that the kind of measurement does not have, or that a failed run lacks, are missing.
 */
record LossyResult(Map<String, Double> values) {

    static final LossyResult FAILED = new LossyResult(Map.of());

    private static final String STALLED = "stalled_ms_s";
    private static final List<String> FIELDS = List.of("p50_ms", "p90_ms", "p99_ms", "mb_s", "wire_mb_s", "missing", STALLED);

    double value(String field) {
        return values.getOrDefault(field, Double.NaN);
    }

    /**
     * Returns the time, in milliseconds per second and summed over all processors, for which processors were stalled. The value is infinite
     * for a failed run.
     */
    double stalledMsPerSecond() {
        return values.getOrDefault(STALLED, Double.POSITIVE_INFINITY);
    }

    /** Returns the median of each value. A missing value counts as larger than all others. */
    static LossyResult median(List<LossyResult> results) {
        Map<String, Double> medians = new LinkedHashMap<>();
        FIELDS.forEach(field ->
            medians.put(field, Statistics.median(results.stream().mapToDouble(result -> result.value(field)).toArray())));
        return new LossyResult(medians);
    }

    /** Adds all fields to an event, with null for missing values. */
    ObjectNode addTo(ObjectNode event) {
        FIELDS.forEach(field -> {
            if (Double.isFinite(value(field))) {
                event.put(field, value(field));
            } else {
                event.putNull(field);
            }
        });
        return event;
    }
}
