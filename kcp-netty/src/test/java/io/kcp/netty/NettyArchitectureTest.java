package io.kcp.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.kcp.core.Kcp;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The packages of kcp-core and kcp-netty have no cyclic dependencies. */
class NettyArchitectureTest {

    /** Packages that do not depend on sessions. {@code io.kcp.netty} depends on them. */
    private static final String[] BELOW_SESSIONS = {"io.kcp.netty.socket..", "io.kcp.netty.admission..", "io.kcp.netty.stats.."};

    private static final JavaClasses MAIN = new ClassFileImporter().importUrls(List.of(
        Kcp.class.getProtectionDomain().getCodeSource().getLocation(),
        KcpHandler.class.getProtectionDomain().getCodeSource().getLocation()));

    @Test
    void rulesCoverTheMainClassesOfBothModules() {
        assertThat(MAIN.contain(Kcp.class)).isTrue();
        assertThat(MAIN.contain(KcpHandler.class)).isTrue();
        assertThat(MAIN.contain(NettyArchitectureTest.class)).isFalse();
    }

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("io.kcp.(**)").should().beFreeOfCycles().check(MAIN);
    }

    /** Of kcp-netty, the parts of sessions use only the packages that know no session. */
    @Test
    void partsOfSessionsUseNeitherHandlersNorTheApi() {
        noClasses().that().resideInAPackage("io.kcp.netty.session..")
            .should().dependOnClassesThat().resideInAnyPackage("io.kcp.netty", "io.kcp.netty.metrics..", "io.kcp.netty.reconnect..",
                "io.kcp.netty.registry..")
            .check(MAIN);
    }

    @Test
    void packagesBelowSessionsUseNoOtherNettyPackage() {
        for (String below : BELOW_SESSIONS) {
            noClasses().that().resideInAPackage(below)
                .should().dependOnClassesThat(DescribedPredicate.describe("are elsewhere in kcp-netty",
                    type -> type.getPackageName().startsWith("io.kcp.netty") && !below.startsWith(type.getPackageName() + "..")))
                .check(MAIN);
        }
    }
}
