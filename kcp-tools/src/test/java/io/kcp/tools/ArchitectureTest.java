package io.kcp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.test.ClassCycles;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void atMostThreeClassesOfOnePackageFormCycle() {
        assertThat(ClassCycles.ofMoreThan(3, KcpCommand.class)).isEmpty();
    }
}
