package io.kcp.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DecryptionBudgetTest {

    private static final int PERCENT = 20;
    private static final long START_NANOS = 77;

    private final DecryptionBudget budget = new DecryptionBudget();

    @Test
    void nothingIsMeasuredWithoutUselessDatagrams() {
        assertThat(budget.isMeasuring()).isFalse();
        budget.onUseless(START_NANOS);
        assertThat(budget.isMeasuring()).isTrue();
        budget.refill(START_NANOS + DecryptionBudget.UNMEASURED_NANOS * 100 / PERCENT - 1, PERCENT);
        assertThat(budget.isMeasuring()).isTrue();
        budget.refill(START_NANOS + DecryptionBudget.UNMEASURED_NANOS * 100 / PERCENT + 10, PERCENT);
        assertThat(budget.isMeasuring()).isFalse();
    }

    @Test
    void budgetIsUsedUpForOneSecond() {
        budget.onUseless(START_NANOS);
        assertThat(budget.begin(START_NANOS, PERCENT, 0)).isTrue();
        assertThat(budget.isCharging()).isTrue();
        budget.charge(TimeBudget.CAPACITY_NANOS);
        assertThat(budget.isCharging()).isFalse();
        assertThat(budget.begin(START_NANOS, PERCENT, 0)).isFalse();
        assertThat(budget.isUsedUp(START_NANOS + TimeUnit.SECONDS.toNanos(1) - 1)).isTrue();
        assertThat(budget.isUsedUp(START_NANOS + TimeUnit.SECONDS.toNanos(1))).isFalse();
    }

    @Test
    void pauseDuringADecryptionCostsAtMostTheCapacity() {
        budget.onUseless(START_NANOS);
        assertThat(budget.begin(START_NANOS, PERCENT, 0)).isTrue();
        budget.charge(TimeUnit.SECONDS.toNanos(5));
        assertThat(budget.begin(START_NANOS + TimeBudget.CAPACITY_NANOS * 100 / PERCENT + 10, PERCENT, 0)).isTrue();
    }

    @Test
    void partOfTheBudgetIsReservedForOtherAddresses() {
        budget.onUseless(START_NANOS);
        budget.charge(TimeBudget.CAPACITY_NANOS / 2);
        assertThat(budget.begin(START_NANOS, PERCENT, 3)).as("a tenth is available to any address").isTrue();
        budget.charge(TimeBudget.CAPACITY_NANOS / 10);
        assertThat(budget.begin(START_NANOS, PERCENT, 2)).isFalse();
        assertThat(budget.isCharging()).isFalse();
        assertThat(budget.isUsedUp(START_NANOS)).isTrue();
        assertThat(budget.begin(START_NANOS, PERCENT, 1)).isTrue();
        budget.charge(TimeBudget.CAPACITY_NANOS / 4);
        assertThat(budget.begin(START_NANOS, PERCENT, 1)).isFalse();
        assertThat(budget.begin(START_NANOS, PERCENT, 0)).isTrue();
    }

    /** Other addresses use up the budget, but leave a tenth of the time to the addresses that yield to them. */
    @Test
    void addressesThatYieldAreNotLockedOut() {
        budget.onUseless(START_NANOS);
        long yieldingNanos = 0;
        long othersNanos = 0;
        for (long now = START_NANOS; now < START_NANOS + TimeUnit.SECONDS.toNanos(10); now += 10_000) {
            if (budget.begin(now, PERCENT, 0)) {
                budget.charge(10_000);
                othersNanos += 10_000;
            }
            if (budget.begin(now, PERCENT, 2)) {
                budget.charge(10_000);
                yieldingNanos += 10_000;
            }
        }
        assertThat(yieldingNanos / 10_000_000 / 10.0).as("percent").isBetween(1.8, 2.2);
        assertThat((othersNanos + yieldingNanos) / 10_000_000 / 10.0).as("percent").isBetween(19.5, 20.5);
    }
}
