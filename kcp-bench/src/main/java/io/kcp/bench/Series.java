package io.kcp.bench;

import java.util.List;

/**
 * Figures of one contender in a chart.
 *
 * @param name   whose
 * @param values one for each place of the chart, NaN where there is none
 * @param lows   the least of several runs, or the same as {@code values}
 * @param highs  the greatest of them
 */
record Series(String name, List<Double> values, List<Double> lows, List<Double> highs) {

    private static final List<String> COLOURED = List.of(Scenarios.OURS, Scenarios.KCP_GO, Scenarios.KCP_NETTY, Scenarios.JAVA_KCP,
        Scenarios.TCP, Scenarios.QUIC, Scenarios.UDP);

    /** Drawn dotted, to be told from other parity of the same contender. */
    private static final String SMALL_GROUPS = "FEC 2:1";

    static Series of(String name, List<Double> values) {
        return new Series(name, values, values, values);
    }

    /** A contender has the same colour everywhere; with parity, or by another name, it is dashed or dotted. */
    String cssClass() {
        if (COLOURED.contains(name)) {
            return "s" + COLOURED.indexOf(name);
        }
        String known = COLOURED.stream().filter(peer -> name.startsWith(peer)).findFirst().orElse(Scenarios.OURS);
        return "s" + COLOURED.indexOf(known) + (name.endsWith(SMALL_GROUPS) ? " variant dotted" : " variant");
    }
}
