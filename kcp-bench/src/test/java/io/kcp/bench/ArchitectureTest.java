package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.test.ClassCycles;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void atMostThreeClassesOfOnePackageFormCycle() {
        assertThat(ClassCycles.ofMoreThan(3, KcpLoad.class)).isEmpty();
    }
}
