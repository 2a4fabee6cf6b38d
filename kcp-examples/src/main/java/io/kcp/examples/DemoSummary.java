package io.kcp.examples;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Summarizes the results of the demo in one sentence. */
final class DemoSummary {

    private static final double PERCENT = 99;

    private DemoSummary() {
    }

    /** Returns a sentence that summarizes the results in the order in which they are given. */
    static String sentence(List<DemoResult> results, LinkConditions conditions) {
        List<String> each = results.stream()
            .map(result -> String.format(Locale.ROOT, "%.0f ms with %s", result.delays().percentileMs(PERCENT), result.name())).toList();
        String last = each.get(each.size() - 1);
        String within = each.size() == 1 ? last
            : each.stream().limit(each.size() - 1).collect(Collectors.joining(", ")) + (each.size() > 2 ? "," : "") + " and " + last;
        return String.format(Locale.ROOT, "On a link that loses %s %% of its packets and takes %s ms for a round trip, 99 of 100 messages"
            + " arrived within %s.", LinkConditions.plain(conditions.lossPercent()), roundTripMs(conditions), within);
    }

    private static String roundTripMs(LinkConditions conditions) {
        String least = LinkConditions.plain(2 * conditions.delayMs());
        return conditions.jitterMs() == 0 ? least
            : least + " to " + LinkConditions.plain(2 * (conditions.delayMs() + conditions.jitterMs()));
    }
}
