package io.kcp.bench.experiment;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Target for one metric of one contender. The target limits either the metric's value or the ratio of this value to the best value of other
 * contenders.
 *
 * @param whose   name of the contender
 * @param atLeast {@code true} for a lower bound, {@code false} for an upper bound
 * @param wanted  the bound of the value, or of the ratio if {@code against} is not empty
 * @param against names of the contenders to compare with; the name of a peer with several settings stands for the best of them
 * @param or      another target for the same metric, which may be reached instead of this one, or null
 */
record Target(Metric metric, String whose, boolean atLeast, double wanted, List<String> against, @Nullable Target or) {

    static Target atLeast(double wanted, Metric metric, String... against) {
        return new Target(metric, Peer.OURS, true, wanted, List.of(against), null);
    }

    static Target atMost(double wanted, Metric metric, String... against) {
        return new Target(metric, Peer.OURS, false, wanted, List.of(against), null);
    }

    Target of(String contender) {
        return new Target(metric, contender, atLeast, wanted, against, or == null ? null : or.of(contender));
    }

    /** Returns a target that is reached if this or another target for the same metric is reached. */
    Target or(Target other) {
        return new Target(metric, whose, atLeast, wanted, against, other);
    }

    /** Compares the medians of a group with the target. Returns null if one of them is unknown. */
    @Nullable Requirement evaluate(Results results, String group) {
        Requirement own = evaluateThis(results, group);
        if (or == null || own != null && own.reached()) {
            return own;
        }
        Requirement other = or.evaluate(results, group);
        return other != null && other.reached() || own == null ? other : own;
    }

    private @Nullable Requirement evaluateThis(Results results, String group) {
        Cell own = results.best(group, whose, metric);
        Cell best = against.stream().map(other -> results.best(group, other, metric)).filter(Objects::nonNull)
            .reduce((one, other) -> Results.isBetter(metric, results.median(other, metric), results.median(one, metric)) ? other : one)
            .orElse(null);
        if (own == null || best == null && !against.isEmpty()) {
            return null;
        }
        double value = results.median(own, metric) / (best == null ? 1 : results.median(best, metric));
        List<Double> rounds = Stream.of(own).flatMap(cell -> results.runs(cell).stream()).flatMap(run -> best == null
            ? Stream.of(run.value(metric))
            : results.runs(best).stream().filter(other -> other.round() == run.round()).map(other ->
                run.value(metric) / other.value(metric))).filter(each -> !each.isNaN()).toList();
        String range = rounds.size() < 2 ? ""
            : " (" + Metric.format(Collections.min(rounds)) + '–' + Metric.format(Collections.max(rounds)) + ')';
        String measured = Metric.format(value) + range + (best == null ? "" : "× " + best.contender());
        return new Requirement(group + ", " + whose + ": " + metric.label() + ' ' + measured + ", target " + text(),
            atLeast ? value >= wanted : value <= wanted);
    }

    /** Returns the target as text, for example {@code ≥ 4× kcp-go}. */
    String text() {
        return or == null ? ownText() : ownText() + " or " + or.text();
    }

    private String ownText() {
        String bound = (atLeast ? "≥ " : "≤ ") + (wanted == Math.rint(wanted) ? String.format(Locale.ROOT, "%,d", (long) wanted)
            : Double.toString(wanted));
        return against.isEmpty() ? bound : bound + "× " + String.join(" or ", against);
    }
}
