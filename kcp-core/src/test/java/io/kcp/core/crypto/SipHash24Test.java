package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SipHash24Test {

    /** The vector for messages of 8 bytes of the reference implementation: key 00 to 0f, message 00 to 07. */
    @Test
    void agreesWithTheReferenceVector() {
        long hash = SipHash24.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x0706050403020100L);
        assertThat(hash).isEqualTo(0x93f5f5799a932462L);
    }
}
