package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One setting that an experiment measures, such as one peer in one scenario. Cells with equal labels other than {@value #PEER} and
 * {@value #SETTINGS} form a group, whose members are compared.
 *
 * @param labels      the labels in result files
 * @param metrics     the metrics of the printed table; the first one decides which settings of a peer are the best
 * @param measurement measures the cell once
 */
record Cell(Map<String, String> labels, List<Metric> metrics, Measurement measurement) {

    static final String PEER = "peer";
    static final String SETTINGS = "settings";

    /** Starts all programs that a cell needs, and measures them. */
    @FunctionalInterface
    interface Measurement {

        /**
         * Measures the cell once.
         *
         * @param round number of the round, counted from 1
         */
        Map<Metric, Double> run(int round) throws IOException, InterruptedException;
    }

    /** Creates the cell of a contender. The other labels are alternately a name and a value. */
    static Cell of(Contender contender, List<Metric> metrics, Measurement measurement, String... others) {
        Map<String, String> labels = new LinkedHashMap<>();
        for (int i = 0; i < others.length; i += 2) {
            labels.put(others[i], others[i + 1]);
        }
        labels.put(PEER, contender.peer());
        if (!contender.settings().isEmpty()) {
            labels.put(SETTINGS, contender.settings());
        }
        return new Cell(labels, metrics, measurement);
    }

    String peer() {
        return labels.getOrDefault(PEER, "");
    }

    String settings() {
        return labels.getOrDefault(SETTINGS, "");
    }

    /** Returns the name of the contender, which is unique in the group. */
    String contender() {
        return Contender.name(peer(), settings());
    }

    /** Returns the name of the group: the value of its first label, followed by the other labels with their values. */
    String group() {
        String text = labels.entrySet().stream().filter(label -> !label.getKey().equals(PEER) && !label.getKey().equals(SETTINGS))
            .map(label -> label.getKey().replace('_', ' ') + ' ' + label.getValue()).collect(Collectors.joining(", "));
        return text.substring(text.indexOf(' ') + 1);
    }
}
