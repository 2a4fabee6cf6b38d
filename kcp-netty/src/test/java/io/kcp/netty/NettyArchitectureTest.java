package io.kcp.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.kcp.core.Kcp;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The packages of kcp-core and kcp-netty have no cyclic dependencies. */
class NettyArchitectureTest {

    /** The packages of kcp-netty, each with the packages of kcp-netty that it may use. */
    private static final Map<String, Set<String>> USES = Map.ofEntries(
        entry("io.kcp.netty.base", Set.of()),
        entry("io.kcp.netty.socket", Set.of()),
        entry("io.kcp.netty.admission", Set.of("io.kcp.netty.base")),
        entry("io.kcp.netty.stats", Set.of()),
        entry("io.kcp.netty.session", Set.of("io.kcp.netty.base", "io.kcp.netty.socket", "io.kcp.netty.admission",
            "io.kcp.netty.stats")),
        entry("io.kcp.netty.loop", Set.of("io.kcp.netty.base", "io.kcp.netty.session", "io.kcp.netty.socket", "io.kcp.netty.stats")),
        entry("io.kcp.netty", Set.of("io.kcp.netty.base", "io.kcp.netty.loop", "io.kcp.netty.session", "io.kcp.netty.socket",
            "io.kcp.netty.admission", "io.kcp.netty.stats")),
        entry("io.kcp.netty.blocking", Set.of("io.kcp.netty", "io.kcp.netty.packet", "io.kcp.netty.smux")),
        entry("io.kcp.netty.metrics", Set.of("io.kcp.netty", "io.kcp.netty.smux")),
        entry("io.kcp.netty.packet", Set.of("io.kcp.netty.base")),
        entry("io.kcp.netty.reconnect", Set.of("io.kcp.netty")),
        entry("io.kcp.netty.registry", Set.of("io.kcp.netty")),
        entry("io.kcp.netty.smux", Set.of("io.kcp.netty.base")),
        entry("io.kcp.netty.tls", Set.of("io.kcp.netty", "io.kcp.netty.base", "io.kcp.netty.session")));

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

    @Test
    void packagesUseOnlyThePackagesBelowThem() {
        assertThat(MAIN).extracting(JavaClass::getPackageName).filteredOn(name -> name.startsWith("io.kcp.netty"))
            .hasSameElementsAs(USES.keySet());
        USES.forEach((from, allowed) -> noClasses().that().resideInAPackage(from)
            .should().dependOnClassesThat(DescribedPredicate.describe("are in a package of kcp-netty other than " + allowed,
                type -> type.getPackageName().startsWith("io.kcp.netty") && !type.getPackageName().equals(from)
                    && !allowed.contains(type.getPackageName())))
            .check(MAIN));
    }

    @Test
    void packetsDependOnlyOnNetty() {
        noClasses().that().resideInAPackage("io.kcp.netty.packet")
            .should().dependOnClassesThat(DescribedPredicate.describe("are neither of the JDK nor of Netty's buffers and channels",
                type -> !type.getPackageName().matches("io\\.kcp\\.netty\\.(packet|base)|java\\..*|org\\.jspecify\\..*"
                    + "|io\\.netty\\.(buffer|channel(\\.socket)?|util(\\..*)?)") && !type.isPrimitive() && !type.isArray()))
            .check(MAIN);
    }

    @Test
    void internalPackagesAreNotExported() throws Exception {
        Path classes = Path.of(KcpHandler.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (InputStream module = Files.newInputStream(classes.resolve("module-info.class"))) {
            assertThat(ModuleDescriptor.read(module).exports()).extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder("io.kcp.netty", "io.kcp.netty.blocking", "io.kcp.netty.metrics", "io.kcp.netty.packet",
                    "io.kcp.netty.reconnect", "io.kcp.netty.registry", "io.kcp.netty.smux", "io.kcp.netty.tls");
        }
    }
}
