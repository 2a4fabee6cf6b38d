package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpStats;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KcpStatsTest {

    private static final Class<?>[] TYPES = Arrays.stream(KcpStats.class.getRecordComponents()).map(RecordComponent::getType)
        .toArray(Class<?>[]::new);

    /** Returns statistics whose counters are consecutive multiples of a number. */
    private static KcpStats multiples(long factor) throws ReflectiveOperationException {
        Object[] values = new Object[TYPES.length];
        Arrays.setAll(values, index -> factor * (index + 1));
        return KcpStats.class.getDeclaredConstructor(TYPES).newInstance(values);
    }

    @Test
    void sumAddsEachCounter() throws ReflectiveOperationException {
        assertThat(multiples(1).plus(multiples(1_000))).isEqualTo(multiples(1_001));
        assertThat(multiples(7).plus(KcpStats.ZERO)).isEqualTo(multiples(7));
    }

    @Test
    void retransmissionsAreTheSumOfTheirKinds() throws ReflectiveOperationException {
        KcpStats stats = multiples(3);
        assertThat(stats.retransmissions())
            .isEqualTo(stats.fastRetransmissions() + stats.earlyRetransmissions() + stats.timeoutRetransmissions()).isPositive();
    }
}
