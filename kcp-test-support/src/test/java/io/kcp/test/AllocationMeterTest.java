package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class AllocationMeterTest {

    private static final int BYTES = 100_000;

    private byte[] memory = new byte[0];
    private int runs;

    /** Allocates in the runs that the predicate selects; the first run is number 0. */
    private void run(AllocationMeter meter, IntPredicate allocates) {
        boolean now = allocates.test(runs++);
        meter.measure(() -> memory = now ? new byte[BYTES] : memory);
    }

    @Test
    void allocationOfTheWarmUpDoesNotCount() {
        assertThat(AllocationMeter.medianBytes(meter -> run(meter, number -> number < 5))).isLessThan(BYTES);
    }

    @Test
    void allocationInMostRunsCounts() {
        assertThat(AllocationMeter.medianBytes(meter -> run(meter, number -> number % 5 < 3))).isGreaterThanOrEqualTo(BYTES);
    }

    @Test
    void inputThatAllocatesInEveryRunFails() {
        assertThatThrownBy(() -> AllocationMeter.checkInput(meter -> run(meter, number -> true))).isInstanceOf(AssertionError.class);
        AllocationMeter.checkInput(meter -> run(meter, number -> false));
        assertThat(memory).hasSize(BYTES);
    }
}
