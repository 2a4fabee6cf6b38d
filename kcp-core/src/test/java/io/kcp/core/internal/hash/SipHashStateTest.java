package io.kcp.core.internal.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SipHashStateTest {

    /** The key of the reference vectors, which consists of the bytes 00 to 0f. */
    private static final long K0 = 0x0706050403020100L;
    private static final long K1 = 0x0f0e0d0c0b0a0908L;

    private static SipHashState state() {
        return new SipHashState(K0, K1);
    }

    /**
     * Vectors from {@code vectors.h} of the reference implementation, for messages of 0, 1, 7, 8, 15 and 16 bytes with the content 00 01 02
     * and so on.
     */
    @Test
    void sipHash24EqualsTheReferenceVectors() {
        assertThat(state().finish(0, 0, 2, 4)).isEqualTo(0x726fdb47dd0e0e31L);
        assertThat(state().finish(0, 1, 2, 4)).isEqualTo(0x74f839c593dc67fdL);
        assertThat(state().finish(0x06050403020100L, 7, 2, 4)).isEqualTo(0xab0200f58b01d137L);
        assertThat(state().add(K0, 2).finish(0, 8, 2, 4)).isEqualTo(0x93f5f5799a932462L);
        assertThat(state().add(K0, 2).finish(0x0e0d0c0b0a0908L, 15, 2, 4)).isEqualTo(0xa129ca6149be45e5L);
        assertThat(state().add(K0, 2).add(K1, 2).finish(0, 16, 2, 4)).isEqualTo(0x3f2acc7f57c29bdbL);
    }
}
