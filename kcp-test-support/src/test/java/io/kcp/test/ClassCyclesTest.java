package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.test.cycle.First;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClassCyclesTest {

    private static final String PACKAGE = First.class.getPackageName() + '.';

    /** The four classes of the package {@code cycle} form a cycle, of which one arrow starts in a nested class. */
    @Test
    void cycleIsFound() {
        assertThat(ClassCycles.ofMoreThan(3, First.class))
            .contains(Set.of(PACKAGE + "First", PACKAGE + "Second", PACKAGE + "Third", PACKAGE + "Fourth"));
        assertThat(ClassCycles.ofMoreThan(4, First.class)).noneMatch(cycle -> cycle.contains(PACKAGE + "First"));
    }

    @Test
    void classesOutsideTheCycleAreNotPartOfIt() {
        assertThat(ClassCycles.ofMoreThan(1, First.class)).noneMatch(cycle -> cycle.contains(PACKAGE + "Outside"));
    }
}
