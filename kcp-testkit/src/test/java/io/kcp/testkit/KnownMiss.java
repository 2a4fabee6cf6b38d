package io.kcp.testkit;

import java.util.Set;

/**
 * A limit that a scenario is known to miss in a share of its runs, until an issue is resolved.
 *
 * @param test        the class and the method of the scenario, as in {@code Class#method}
 * @param scenario    the name of the scenario without the variant
 * @param variants    the variants that miss the limit
 * @param measurement the measurement that is limited
 * @param limit       the limit
 * @param share       the share of the runs that miss the limit today
 * @param worst       the worst value that any run may have, so that the miss does not become larger
 * @param issue       the issue that is to remove the cause
 */
record KnownMiss(String test, String scenario, Set<Variant> variants, String measurement, double limit, double share, double worst,
    String issue) {

    boolean applies(String name, Variant variant, String limited) {
        return scenario.equals(name) && variants.contains(variant) && measurement.equals(limited);
    }
}
