package io.kcp.core.fec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Generates patterns of lost shards of a group: all sets up to a given size, or a seeded sample if there are too many sets. */
final class ErasurePatterns {

    private ErasurePatterns() {
    }

    static List<int[]> of(int total, int most, int limit, long seed) {
        List<int[]> patterns = new ArrayList<>();
        for (int size = 1; size <= most; size++) {
            if (!addAll(patterns, new int[size], 0, 0, total, limit)) {
                return sample(total, most, limit, seed);
            }
        }
        return patterns;
    }

    private static boolean addAll(List<int[]> patterns, int[] pattern, int at, int from, int total, int limit) {
        if (at == pattern.length) {
            patterns.add(pattern.clone());
            return patterns.size() <= limit;
        }
        for (int position = from; position < total; position++) {
            pattern[at] = position;
            if (!addAll(patterns, pattern, at + 1, position + 1, total, limit)) {
                return false;
            }
        }
        return true;
    }

    private static List<int[]> sample(int total, int most, int limit, long seed) {
        Random random = new Random(seed);
        List<int[]> patterns = new ArrayList<>();
        for (int i = 0; i < Math.min(limit, 400); i++) {
            int size = i % 4 == 0 ? most : 1 + random.nextInt(most);
            int[] pattern = random.ints(0, total).distinct().limit(size).toArray();
            Arrays.sort(pattern);
            patterns.add(pattern);
        }
        return patterns;
    }
}
