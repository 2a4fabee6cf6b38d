package io.kcp.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.kcp.test.ClassCycles;
import org.junit.jupiter.api.Test;

/** Dependencies between the packages of the starter run in one direction. */
class StarterArchitectureTest {

    private static final JavaClasses STARTER =
        new ClassFileImporter().importUrl(KcpServers.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void rulesCheckMainClassesOnly() {
        assertThat(STARTER.contain(KcpServers.class)).isTrue();
        assertThat(STARTER.contain(StarterArchitectureTest.class)).isFalse();
    }

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("io.kcp.(**)").should().beFreeOfCycles().check(STARTER);
    }

    @Test
    void atMostThreeClassesOfOnePackageFormCycle() {
        assertThat(ClassCycles.ofMoreThan(3, KcpServers.class)).isEmpty();
    }

    @Test
    void packagesDependInOneDirection() {
        layeredArchitecture().consideringOnlyDependenciesInLayers()
            .layer("API").definedBy("io.kcp.spring")
            .layer("properties").definedBy("io.kcp.spring.properties")
            .layer("server").definedBy("io.kcp.spring.server")
            .layer("client").definedBy("io.kcp.spring.client")
            .layer("controllers").definedBy("io.kcp.spring.handler")
            .layer("Actuator").definedBy("io.kcp.spring.actuate")
            .whereLayer("API").mayNotAccessAnyLayer()
            .whereLayer("properties").mayNotAccessAnyLayer()
            .whereLayer("server").mayOnlyAccessLayers("API", "properties")
            .whereLayer("client").mayOnlyAccessLayers("API", "properties")
            .whereLayer("controllers").mayOnlyAccessLayers("API")
            .whereLayer("Actuator").mayOnlyAccessLayers("API", "server")
            .check(STARTER);
    }

    @Test
    void everyClassBelongsToOneOfThePackages() {
        classes().should().resideInAnyPackage("io.kcp.spring", "io.kcp.spring.properties", "io.kcp.spring.server", "io.kcp.spring.client",
            "io.kcp.spring.handler", "io.kcp.spring.actuate").check(STARTER);
    }

    @Test
    void onlyActuateDependsOnActuatorAndMicrometer() {
        noClasses().that().resideOutsideOfPackage("io.kcp.spring.actuate").should().dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot.actuate..", "org.springframework.boot.health..", "io.micrometer..")
            .check(STARTER);
    }
}
