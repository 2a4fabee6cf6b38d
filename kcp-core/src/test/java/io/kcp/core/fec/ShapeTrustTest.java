package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ShapeTrustTest {

    @ParameterizedTest
    @CsvSource({
        "UNKNOWN,      UNVERIFIED, UNKNOWN,     UNKNOWN,     UNKNOWN",
        "UNVERIFIED,   UNVERIFIED, CONFIRMED,   CONFIRMED,   UNVERIFIED",
        "CONFIRMED,    UNVERIFIED, CONFIRMED,   VERIFIED,    UNVERIFIED",
        "VERIFIED,     UNVERIFIED, VERIFIED,    VERIFIED,    CONTRADICTED",
        "CONTRADICTED, UNVERIFIED, RECONFIRMED, RECONFIRMED, CONTRADICTED",
        "RECONFIRMED,  UNVERIFIED, RECONFIRMED, VERIFIED,    CONTRADICTED",
        "FIXED,        FIXED,      FIXED,       FIXED,       FIXED"})
    void statesChangeAsInTheTable(ShapeTrust state, ShapeTrust adopted, ShapeTrust confirmedBySameGroup,
        ShapeTrust confirmedByAnotherGroup, ShapeTrust contradicted) {
        assertThat(state.onAdopted()).isEqualTo(adopted);
        assertThat(state.onConfirmed(false)).isEqualTo(confirmedBySameGroup);
        assertThat(state.onConfirmed(true)).isEqualTo(confirmedByAnotherGroup);
        assertThat(state.onContradicted()).isEqualTo(contradicted);
    }

    @ParameterizedTest
    @EnumSource
    void verifiedShapesWereVerified(ShapeTrust state) {
        assertThat(state.isVerified()).isEqualTo(state == ShapeTrust.VERIFIED || state == ShapeTrust.FIXED);
        assertThat(state.wasVerified() || !state.isVerified()).isTrue();
    }
}
