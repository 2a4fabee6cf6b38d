package io.kcp.bench.experiment;

import io.kcp.bench.attack.AttackKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The cells and metrics of the experiments, for the test of the descriptions of tables. */
public final class KnownCells {

    private static final Set<String> ATTACKS = Arrays.stream(AttackKind.values()).map(AttackKind::toString).collect(Collectors.toSet());

    private KnownCells() {
    }

    /** Returns the names of all metrics in result files. */
    public static Set<String> metrics() {
        return Arrays.stream(Metric.values()).map(Metric::key).collect(Collectors.toSet());
    }

    /** Returns {@code true} if an experiment has a cell with these entries, of which an empty value means that the key is missing. */
    public static boolean exist(String file, Map<String, String> entries) {
        return switch (file) {
            case "loopback", "sessions", "pinned", "packets" -> Scenarios.all().stream()
                .filter(scenario -> scenario.name().equals(entries.get("scenario")))
                .anyMatch(scenario -> anyMatch(scenario.contenders(), entries));
            case "warm-up", "warm-up-jdk25" -> Scenarios.all().stream()
                .anyMatch(scenario -> scenario.name().equals(entries.get("scenario")));
            case "lossy-link" -> anyMatch(LossyLink.contenders(), entries)
                && Stream.of(LinkKind.values()).anyMatch(kind -> kind.toString().equals(entries.get("kind")));
            case "link-comparison" -> anyMatch(LinkComparison.contenders(), entries);
            case "attack", "attack-priority" -> ATTACKS.contains(entries.getOrDefault("attack", ""));
            default -> true;
        };
    }

    private static boolean anyMatch(List<Contender> contenders, Map<String, String> entries) {
        return contenders.stream().anyMatch(contender -> contender.peer().equals(entries.getOrDefault("peer", ""))
            && contender.settings().equals(entries.getOrDefault("settings", contender.settings())));
    }
}
