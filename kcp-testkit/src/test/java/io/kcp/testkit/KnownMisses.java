package io.kcp.testkit;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All limits that scenarios are known to miss. This list may only become shorter: a change that misses a further limit must be mended, and
 * a change that mends one removes its entry. The shares are rounded upwards from runs with 1,000 seeds, or from all seeds of a slow one.
 */
final class KnownMisses {

    /** The number of entries. A change may lower it, but not raise it. */
    static final int MAX_ENTRIES = 0;

    static final List<KnownMiss> ALL = List.of();

    private static final Set<KnownMiss> FOUND = new HashSet<>();

    private KnownMisses() {
    }

    /** Returns the known miss of a limit, or null if every run must meet the limit. */
    static @Nullable KnownMiss find(String scenario, Variant variant, String measurement) {
        for (KnownMiss miss : ALL) {
            if (miss.applies(scenario, variant, measurement)) {
                FOUND.add(miss);
                return miss;
            }
        }
        return null;
    }

    /** Returns {@code true} if a scenario has had a limit to which the entry applies. */
    static boolean wasFound(KnownMiss miss) {
        return FOUND.contains(miss);
    }
}
