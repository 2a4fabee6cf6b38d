package io.kcp.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.kcp.core.conversation.Kcp;
import io.kcp.test.ClassCycles;
import io.kcp.test.ExportedPackages;
import io.kcp.test.UpwardImports;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Checks that the core uses no I/O, clock, randomness, thread or logger. Time and randomness are arguments. */
class CoreArchitectureTest {

    private static final JavaClasses CORE =
        new ClassFileImporter().importUrl(Kcp.class.getProtectionDomain().getCodeSource().getLocation());

    /**
     * The packages from the lowest to the highest. Each may use those before it. {@code io.kcp.core} contains the settings and what a
     * conversation requires of its owner.
     */
    private static final List<String> LAYERS = List.of("internal.base", "", "internal.hash", "internal.reedsolomon", "internal.session",
        "internal.memory", "internal.congestion", "internal.loss", "internal.peer", "internal.datagram", "internal.receive",
        "internal.send", "internal.path", "conversation", "fec", "crypto");

    @Test
    void rulesCheckMainClasses() {
        assertThat(CORE.contain(Kcp.class)).isTrue();
        assertThat(CORE.contain(CoreArchitectureTest.class)).isFalse();
    }

    @Test
    void coreDoesNoInputOrOutput() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..",
            "io.netty.channel..", "io.netty.handler..", "io.netty.bootstrap.."));
    }

    @Test
    void coreStartsNoThreadAndTakesNoLock() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.util.concurrent..", "io.netty.util.concurrent.."));
        check(noClasses().should().dependOnClassesThat().areAssignableTo(Thread.class));
        check(noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.util.Timer"));
    }

    @Test
    void timeIsAnArgument() {
        check(noClasses().should().callMethod(System.class, "currentTimeMillis"));
        check(noClasses().should().callMethod(System.class, "nanoTime"));
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.time.."));
        check(noClasses().should().dependOnClassesThat().areAssignableTo(Date.class));
    }

    @Test
    void randomnessIsAnArgument() {
        check(noClasses().should().dependOnClassesThat().areAssignableTo(Random.class));
        check(noClasses().should().dependOnClassesThat().areAssignableTo(ThreadLocalRandom.class));
        check(noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.security.SecureRandom"));
        check(noClasses().should().callMethod(RandomGenerator.class, "getDefault"));
        check(noClasses().should().callMethod(Math.class, "random"));
    }

    @Test
    void coreLogsNothing() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.util.logging..", "org.slf4j..",
            "org.apache.logging..", "io.netty.util.internal.logging.."));
        check(noClasses().should().dependOnClassesThat().areAssignableTo(System.Logger.class));
        check(noClasses().should().accessField(System.class, "out").orShould().accessField(System.class, "err"));
        check(noClasses().should().callMethod(Throwable.class, "printStackTrace"));
    }

    private static String qualified(String layer) {
        return layer.isEmpty() ? "io.kcp.core" : "io.kcp.core." + layer;
    }

    @Test
    void packagesUseOnlyThoseBelowThem() {
        assertThat(CORE).extracting(JavaClass::getPackageName).filteredOn(name -> name.startsWith("io.kcp.core"))
            .hasSameElementsAs(LAYERS.stream().map(CoreArchitectureTest::qualified).toList());
        for (int i = 0; i < LAYERS.size(); i++) {
            check(noClasses().that().resideInAPackage(qualified(LAYERS.get(i))).should().dependOnClassesThat()
                .resideInAnyPackage(LAYERS.subList(i + 1, LAYERS.size()).stream().map(CoreArchitectureTest::qualified)
                    .toArray(String[]::new)).allowEmptyShould(true));
        }
    }

    @Test
    void commentsAndConstantsImportNothingFromAbove() throws Exception {
        assertThat(UpwardImports.find(Path.of("src/main/java"), LAYERS.stream().map(CoreArchitectureTest::qualified).toList())).isEmpty();
    }

    @Test
    void onlyTheApiIsExportedToAll() throws Exception {
        assertThat(ExportedPackages.ofModule(Kcp.class)).filteredOn(export -> !export.isQualified())
            .extracting(ModuleDescriptor.Exports::source)
            .containsExactlyInAnyOrder("io.kcp.core", "io.kcp.core.conversation", "io.kcp.core.crypto", "io.kcp.core.fec");
    }

    @Test
    void noTwoClassesHaveOneName() {
        assertThat(CORE).filteredOn(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .extracting(JavaClass::getSimpleName).doesNotHaveDuplicates();
    }

    @Test
    void packagesHaveNoCycle() {
        check(slices().matching("io.kcp.(**)").should().beFreeOfCycles());
    }

    @Test
    void atMostThreeClassesOfOnePackageFormCycle() {
        assertThat(ClassCycles.ofMoreThan(3, Kcp.class)).isEmpty();
    }

    @Test
    void noStateIsShared() {
        check(fields().that().areStatic().should().beFinal());
    }

    private static void check(ArchRule rule) {
        rule.check(CORE);
    }
}
