package io.kcp.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.test.ClassCycles;
import io.kcp.test.ExportedPackages;
import io.kcp.test.UpwardImports;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages of kcp-core, kcp-streams and kcp-netty have no cyclic dependencies. */
class NettyArchitectureTest {

    private static final String INTERNAL = "io.kcp.netty.internal.";

    /** The internal packages of kcp-streams ("base") and kcp-netty. Each may use those before it, and io.kcp.netty. */
    private static final List<String> LAYERS = List.of("base", "stats", "socket", "admission", "session", "loop", "channel", "codec",
        "roaming", "accept", "handler", "server");

    /** The public packages of kcp-streams and kcp-netty, each with the packages that it may use. "io.kcp.netty" contains only the API. */
    private static final Map<String, Set<String>> PUBLIC_USES = Map.of(
        "io.kcp.netty", Set.of(),
        "io.kcp.netty.bootstrap", Set.of("io.kcp.netty", INTERNAL + "*"),
        "io.kcp.netty.blocking", Set.of("io.kcp.netty", "io.kcp.netty.bootstrap", "io.kcp.netty.packet", "io.kcp.netty.smux"),
        "io.kcp.netty.metrics", Set.of("io.kcp.netty", "io.kcp.netty.smux"),
        "io.kcp.netty.packet", Set.of(INTERNAL + "base"),
        "io.kcp.netty.reconnect", Set.of("io.kcp.netty", "io.kcp.netty.bootstrap"),
        "io.kcp.netty.registry", Set.of("io.kcp.netty"),
        "io.kcp.netty.smux", Set.of(INTERNAL + "base"),
        "io.kcp.netty.tls", Set.of("io.kcp.netty", INTERNAL + "base", INTERNAL + "session"));

    /** The public packages of kcp-streams. */
    private static final Set<String> STREAMS = Set.of("io.kcp.netty.packet", "io.kcp.netty.smux");

    private static final JavaClasses MAIN = new ClassFileImporter().importUrls(List.of(
        Kcp.class.getProtectionDomain().getCodeSource().getLocation(),
        SmuxHandler.class.getProtectionDomain().getCodeSource().getLocation(),
        KcpHandler.class.getProtectionDomain().getCodeSource().getLocation()));

    @Test
    void rulesCoverTheMainClassesOfAllModules() {
        assertThat(MAIN.contain(Kcp.class)).isTrue();
        assertThat(MAIN.contain(KcpHandler.class)).isTrue();
        assertThat(MAIN.contain(SmuxHandler.class)).isTrue();
        assertThat(MAIN.contain(NettyArchitectureTest.class)).isFalse();
    }

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("io.kcp.(**)").should().beFreeOfCycles().check(MAIN);
    }

    @Test
    void atMostThreeClassesOfOnePackageFormCycle() {
        assertThat(ClassCycles.ofMoreThan(3, KcpHandler.class)).isEmpty();
    }

    @Test
    void publicPackagesUseOnlyThePackagesBelowThem() {
        assertThat(MAIN).extracting(JavaClass::getPackageName).filteredOn(name -> name.startsWith("io.kcp.netty"))
            .hasSameElementsAs(Stream.concat(PUBLIC_USES.keySet().stream(), LAYERS.stream().map(INTERNAL::concat)).toList());
        PUBLIC_USES.forEach(NettyArchitectureTest::assertUsesOnly);
    }

    @Test
    void internalPackagesUseOnlyThePackagesBelowThem() {
        for (int i = 0; i < LAYERS.size(); i++) {
            assertUsesOnly(INTERNAL + LAYERS.get(i), Stream.concat(Stream.of("io.kcp.netty"),
                LAYERS.subList(0, i).stream().map(INTERNAL::concat)).collect(Collectors.toSet()));
        }
    }

    @Test
    void commentsAndConstantsImportNothingFromAbove() throws Exception {
        List<String> layers = Stream.of(Stream.of("io.kcp.netty"), LAYERS.stream().map(INTERNAL::concat),
                Stream.of("io.kcp.netty.bootstrap"))
            .flatMap(each -> each).toList();
        assertThat(UpwardImports.find(Path.of("src/main/java"), layers)).isEmpty();
        assertThat(UpwardImports.find(Path.of("../kcp-streams/src/main/java"), layers)).isEmpty();
    }

    private static void assertUsesOnly(String from, Set<String> allowed) {
        noClasses().that().resideInAPackage(from)
            .should().dependOnClassesThat(DescribedPredicate.describe("are in a package of kcp-netty other than " + allowed,
                type -> type.getPackageName().startsWith("io.kcp.netty") && !type.getPackageName().equals(from)
                    && !allowed.contains(type.getPackageName())
                    && !(allowed.contains(INTERNAL + "*") && type.getPackageName().startsWith(INTERNAL))))
            .check(MAIN);
    }

    @Test
    void noTwoClassesHaveOneName() {
        assertThat(MAIN).filteredOn(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .extracting(JavaClass::getSimpleName).doesNotHaveDuplicates();
    }

    @Test
    void packetsDependOnlyOnNetty() {
        noClasses().that().resideInAPackage("io.kcp.netty.packet")
            .should().dependOnClassesThat(DescribedPredicate.describe("are neither of the JDK nor of Netty's buffers and channels",
                type -> !type.getPackageName().matches("io\\.kcp\\.netty\\.(packet|internal\\.base)|java\\..*|org\\.jspecify\\..*"
                    + "|io\\.netty\\.(buffer|channel(\\.socket)?|util(\\..*)?)") && !type.isPrimitive() && !type.isArray()))
            .check(MAIN);
    }

    @Test
    void internalPackagesAreNotExported() throws Exception {
        assertThat(ExportedPackages.ofModule(KcpHandler.class)).extracting(ModuleDescriptor.Exports::source)
            .containsExactlyInAnyOrderElementsOf(PUBLIC_USES.keySet().stream().filter(name -> !STREAMS.contains(name)).toList());
    }

    @Test
    void streamsDoNotDependOnSessions() {
        noClasses().that().resideInAnyPackage("io.kcp.netty.smux", "io.kcp.netty.packet", INTERNAL + "base").should()
            .dependOnClassesThat().resideInAnyPackage("io.kcp.core..").check(MAIN);
    }
}
