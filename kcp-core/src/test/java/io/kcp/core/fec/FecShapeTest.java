package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FecShapeTest {

    @ParameterizedTest
    @ValueSource(strings = {"10:3", "1:1", "254:1", "1:254", "200:55"})
    void parseReadsTheFormatOfToString(String text) {
        assertThat(FecShape.parse(text)).hasToString(text);
    }

    @Test
    void parseReadsDataAndParity() {
        assertThat(FecShape.parse(" 10 : 3 ")).isEqualTo(new FecShape(10, 3));
        assertThat(new FecShape(10, 3).totalShards()).isEqualTo(13);
    }

    @ParameterizedTest
    @CsvSource({"0, 3, dataShards: 0", "-1, 3, dataShards: -1", "10, 0, parityShards: 0", "200, 56, dataShards + parityShards: 256",
        "2147483647, 1, dataShards + parityShards: 2147483648"})
    void invalidNumbersAreNamed(int dataShards, int parityShards, String named) {
        assertThatThrownBy(() -> new FecShape(dataShards, parityShards)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "10:", ":3", "10-3", "10:3:1", "a:b", "99999999999:1"})
    void otherFormatsAreRejectedWithTheText(String text) {
        assertThatThrownBy(() -> FecShape.parse(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("shape: " + text);
    }

    @ParameterizedTest
    @CsvSource({"10:3, 4294967287", "3:2, 4294967295", "200:55, 4294967295", "1:1, 4294967294"})
    void seqidsWrapAtTheLargestMultipleOfTheSize(String shape, String paws) {
        assertThat(Integer.toUnsignedString(FecShape.parse(shape).paws())).isEqualTo(paws);
    }

    @Test
    void settingsOfNumbersEqualThoseOfAShape() {
        assertThat(FecConfig.of(10, 3)).hasToString(FecConfig.of(new FecShape(10, 3)).toString());
        assertThatThrownBy(() -> FecConfig.of(10, 0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("parityShards: 0 (expected: at least 1)");
    }

    @Test
    void toStringShowsTheSettings() {
        FecConfig config = FecConfig.of(new FecShape(10, 3));
        assertThat(config).hasToString("10:3");
        assertThat(config.isShapeFixed()).isFalse();
        assertThat(config.isAdaptive()).isFalse();
        FecConfig other = config.withFixedShape().adaptive(1, 6);
        assertThat(other).hasToString("10:6, fixed, parity 1 to 6");
        assertThat(other.minParityShards()).isEqualTo(1);
        assertThat(other.firstParityShards()).isEqualTo(3);
        assertThat(other.shape()).hasToString("10:6");
        assertThat(other.isAdaptive()).isTrue();
        assertThat(other.isShapeFixed()).isTrue();
        assertThat(config.isShapeFixed()).as("unchanged").isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 3, minParity: 0", "4, 5, minParity: 4", "1, 2, maxParity: 2", "1, 246, maxParity: 246"})
    void invalidBoundsAreNamed(int min, int max, String named) {
        FecConfig config = FecConfig.of(new FecShape(10, 3));
        assertThatThrownBy(() -> config.adaptive(min, max)).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(named);
    }
}
