package io.kcp.bench.experiment;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Non-inferiority test of paired ratios, where a ratio below 1 means that the new version is worse. The test passes if the lower end of the
 * confidence interval is at least the floor. It looks at the ratios several times and stops as soon as it can decide.
 *
 * <p>Several looks give a version that is too slow several chances to pass by luck. Each look therefore uses the error of the 95 % interval
 * divided by the number of looks (Bonferroni), so that a version at the floor passes in at most 2.5 % of all tests. A test that is
 * undecided after the last look fails.
 */
final class SequentialGate {

    /** Result of a look. */
    enum Verdict { UNDECIDED, PASSED, FAILED }

    /** Maximum number of pairs. */
    static final int MAX_PAIRS = 60;

    private static final List<Integer> LOOKS = List.of(8, 15, 25, 40, MAX_PAIRS);
    /**
     * First look at which a mean below the floor ends the test. A version that is too slow can then hardly pass any more, and stopping
     * early cannot make a slow version pass.
     */
    private static final int FIRST_FUTILE_LOOK = 25;

    private final double floor;
    private final List<Integer> looks;

    /**
     * Creates a test.
     *
     * @param maxPairs number of pairs at the last look, at least 2
     */
    SequentialGate(double floor, int maxPairs) {
        if (maxPairs < 2) {
            throw new IllegalArgumentException("pairs: " + maxPairs + " (expected: at least 2)");
        }
        this.floor = floor;
        looks = IntStream.concat(LOOKS.stream().mapToInt(Integer::intValue).filter(look -> look < maxPairs), IntStream.of(maxPairs))
            .boxed().toList();
    }

    /**
     * Result of a test.
     *
     * @param pairs    number of pairs at the look that decided, or of all pairs
     * @param interval the interval of these pairs, whose confidence is higher than 95 % if there are several looks
     */
    record Decision(Verdict verdict, int pairs, RatioInterval interval) {

        @Override
        public String toString() {
            return interval + " after " + pairs + " pairs";
        }
    }

    /**
     * Returns the decision of the first look that could decide, or an undecided one.
     *
     * @param ratios at least two ratios
     * @param isLast whether there are no further pairs, for example because the time is up; this counts as the next look, but cannot pass
     *               before the first one
     */
    Decision decide(List<Double> ratios, boolean isLast) {
        for (int look : looks) {
            if (look <= ratios.size()) {
                Decision decision = look(ratios.subList(0, look), false);
                if (decision.verdict != Verdict.UNDECIDED) {
                    return decision;
                }
            }
        }
        Decision last = look(ratios, isLast);
        return isLast ? last : new Decision(Verdict.UNDECIDED, last.pairs, last.interval);
    }

    private Decision look(List<Double> ratios, boolean isLast) {
        int pairs = ratios.size();
        RatioInterval interval = RatioInterval.of(ratios, 1 - (1 - RatioInterval.CONFIDENCE) / looks.size());
        boolean futile = pairs >= FIRST_FUTILE_LOOK && interval.mean() < floor;
        boolean failed = isLast || pairs >= looks.get(looks.size() - 1) || futile || interval.upper() < floor;
        boolean passed = pairs >= looks.get(0) && interval.lower() >= floor;
        return new Decision(passed ? Verdict.PASSED : failed ? Verdict.FAILED : Verdict.UNDECIDED, pairs, interval);
    }
}
