package io.kcp.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measurements of one run of {@link LinkComparison}.
 *
 * @param goodputs received payload of each flow in MB/s
 * @param values   the other values, keyed by the names that this class defines
 */
record LinkComparisonResult(List<Double> goodputs, Map<String, Double> values) {

    /** Percentiles of the time that the packets to the server waited in the queue of the link, weighted by packets. */
    static final String QUEUE_P50 = "queue_p50_ms";
    static final String QUEUE_P95 = "queue_p95_ms";
    /** Share of the packets to the server that the full queue dropped. */
    static final String DROPPED = "dropped_percent";
    /** Share of the packets to the server that arrived more than 0.5 ms after the scheduled time. */
    static final String LATE = "late_percent";
    /** CPU time of the clients, the servers and the link, in percent of one processor. */
    static final String SENDER_CPU = "sender_cpu_percent";
    static final String RECEIVER_CPU = "receiver_cpu_percent";
    static final String LINK_CPU = "link_cpu_percent";
    /** Milliseconds per second for which processors did not run a waiting thread with real-time priority. */
    static final String STALLED = "stalled_ms_s";
    static final String STOLEN = "stolen_percent";

    private static final List<String> NAMES =
        List.of(QUEUE_P50, QUEUE_P95, DROPPED, SENDER_CPU, RECEIVER_CPU, LINK_CPU, LATE, STALLED, STOLEN);

    /** Returns a value, or NaN if the run has no such value. */
    double value(String name) {
        return values.getOrDefault(name, Double.NaN);
    }

    double totalGoodput() {
        return goodputs.stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Returns the share of the first flow in percent. */
    double sharePercent() {
        return 100 * goodputs.get(0) / totalGoodput();
    }

    /** Returns the median of each value. All results need the same number of flows. */
    static LinkComparisonResult median(List<LinkComparisonResult> results) {
        Map<String, Double> medians = new LinkedHashMap<>();
        NAMES.forEach(name -> medians.put(name, Statistics.median(results.stream().mapToDouble(result -> result.value(name)).toArray())));
        List<Double> goodputs = IntStream.range(0, results.get(0).goodputs.size()).mapToObj(flow ->
            Statistics.median(results.stream().mapToDouble(result -> result.goodputs.get(flow)).toArray())).toList();
        return new LinkComparisonResult(goodputs, medians);
    }

    /** Adds all fields to an event, with null for missing values. */
    ObjectNode addTo(ObjectNode event) {
        event.set("mb_s", Json.MAPPER.valueToTree(goodputs));
        NAMES.forEach(name -> {
            if (Double.isFinite(value(name))) {
                event.put(name, value(name));
            } else {
                event.putNull(name);
            }
        });
        return event;
    }
}
