package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.smux.SmuxHandler;
import io.kcp.test.ClassCycles;
import io.kcp.test.ExportedPackages;
import java.lang.module.ModuleDescriptor;
import org.junit.jupiter.api.Test;

/** {@code NettyArchitectureTest} of kcp-netty checks which packages the classes of this module use. */
class StreamsArchitectureTest {

    @Test
    void atMostThreeClassesOfOnePackageFormCycle() {
        assertThat(ClassCycles.ofMoreThan(3, SmuxHandler.class)).isEmpty();
    }

    @Test
    void onlyTheApiIsExportedToAll() throws Exception {
        assertThat(ExportedPackages.ofModule(SmuxHandler.class)).filteredOn(export -> !export.isQualified())
            .extracting(ModuleDescriptor.Exports::source).containsExactlyInAnyOrder("io.kcp.netty.packet", "io.kcp.netty.smux");
    }
}
