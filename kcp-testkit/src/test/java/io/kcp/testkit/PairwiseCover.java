package io.kcp.testkit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Computes a small set of combinations that contains each pair of values of each two settings, because most defects depend on at most two
 * settings. The algorithm is greedy and deterministic.
 */
final class PairwiseCover {

    private static final int CANDIDATES = 50;

    private final int[] sizes;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Set<Integer> uncovered = new HashSet<>();

    private PairwiseCover(int... sizes) {
        this.sizes = sizes;
        for (int a = 0; a < sizes.length; a++) {
            for (int b = a + 1; b < sizes.length; b++) {
                for (int valueOfA = 0; valueOfA < sizes[a]; valueOfA++) {
                    for (int valueOfB = 0; valueOfB < sizes[b]; valueOfB++) {
                        uncovered.add(pair(a, valueOfA, b, valueOfB));
                    }
                }
            }
        }
    }

    /**
     * Returns the combinations.
     *
     * @param sizes the number of values of each setting
     * @return rows with the index of one value per setting
     */
    static List<int[]> rows(int... sizes) {
        PairwiseCover cover = new PairwiseCover(sizes);
        List<int[]> rows = new ArrayList<>();
        while (!cover.uncovered.isEmpty()) {
            rows.add(cover.nextRow());
        }
        return rows;
    }

    private int[] nextRow() {
        // Starts from a pair that is not covered yet, so that every row covers at least one more pair.
        int missing = uncovered.iterator().next();
        int[] best = new int[sizes.length];
        int bestGain = 0;
        for (int i = 0; i < CANDIDATES; i++) {
            int[] row = new int[sizes.length];
            for (int setting = 0; setting < sizes.length; setting++) {
                row[setting] = random.nextInt(sizes[setting]);
            }
            row[missing >> 24] = missing >> 16 & 0xFF;
            row[missing >> 8 & 0xFF] = missing & 0xFF;
            int gain = visit(row, false);
            if (gain > bestGain) {
                bestGain = gain;
                best = row;
            }
        }
        visit(best, true);
        return best;
    }

    private int visit(int[] row, boolean cover) {
        int gain = 0;
        for (int a = 0; a < row.length; a++) {
            for (int b = a + 1; b < row.length; b++) {
                int pair = pair(a, row[a], b, row[b]);
                gain += (cover ? uncovered.remove(pair) : uncovered.contains(pair)) ? 1 : 0;
            }
        }
        return gain;
    }

    private static int pair(int a, int valueOfA, int b, int valueOfB) {
        return a << 24 | valueOfA << 16 | b << 8 | valueOfB;
    }
}
