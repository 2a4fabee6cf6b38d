package io.kcp.examples;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Chooses a small subset of a test matrix that covers all pairs of features that matter. */
final class PairCover {

    private PairCover() {
    }

    /** Repeatedly chooses the cell that covers the most uncovered pairs, until all pairs are covered. */
    static <T> List<T> choose(List<T> all, Function<T, Set<String>> pairs) {
        Set<String> missing = new HashSet<>();
        all.forEach(cell -> missing.addAll(pairs.apply(cell)));
        List<T> chosen = new ArrayList<>();
        while (!missing.isEmpty()) {
            T best = all.get(0);
            long most = -1;
            for (T cell : all) {
                long news = pairs.apply(cell).stream().filter(missing::contains).count();
                if (news > most) {
                    most = news;
                    best = cell;
                }
            }
            missing.removeAll(pairs.apply(best));
            chosen.add(best);
        }
        return chosen;
    }
}
