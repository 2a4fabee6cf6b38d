package io.kcp.core.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SerialNumberTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, Integer.MAX_VALUE - 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -2, -1})
    void orderHoldsAcrossBothWraps(int number) {
        assertThat(SerialNumber.isAfter(number + 1, number)).isTrue();
        assertThat(SerialNumber.isBefore(number, number + 1)).isTrue();
        assertThat(SerialNumber.isAfter(number, number + 1)).isFalse();
        assertThat(SerialNumber.isBefore(number + 1, number)).isFalse();
        assertThat(SerialNumber.diff(number + 5, number)).isEqualTo(5);
        assertThat(SerialNumber.diff(number, number + 5)).isEqualTo(-5);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void numberIsNeitherBeforeNorAfterItself(int number) {
        assertThat(SerialNumber.isAfter(number, number)).isFalse();
        assertThat(SerialNumber.isBefore(number, number)).isFalse();
        assertThat(SerialNumber.diff(number, number)).isZero();
    }

    @Test
    void distancesBelowHalfTheRangeAreOrdered() {
        assertThat(SerialNumber.isAfter(0x7FFFFFFF, 0)).isTrue();
        assertThat(SerialNumber.isAfter(0x80000000, 0)).isFalse();
        assertThat(SerialNumber.isBefore(0x80000000, 0)).isTrue();
    }
}
