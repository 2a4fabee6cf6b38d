package io.kcp.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldMemoryLimitTest {

    @Test
    void limitIsDerivedFromTheMemoryOfTheJvm() {
        assertThat(HeldMemoryLimit.bytesPerLoop(128 << 20, 256 << 20, 2)).isEqualTo(16 << 20);
        assertThat(HeldMemoryLimit.bytesPerLoop(-1, 256 << 20, 1)).isEqualTo(64 << 20);
        assertThat(HeldMemoryLimit.bytesPerLoop(1 << 20, 256 << 20, 64)).as("at least").isEqualTo(1 << 20);
    }
}
