package io.kcp.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Date;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Checks that the core uses no I/O, clock, randomness, thread or logger. Time and randomness are arguments. */
class CoreArchitectureTest {

    private static final JavaClasses CORE =
        new ClassFileImporter().importUrl(Kcp.class.getProtectionDomain().getCodeSource().getLocation());

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

    @Test
    void packagesHaveNoCycle() {
        check(slices().matching("io.kcp.(**)").should().beFreeOfCycles());
    }

    @Test
    void noStateIsShared() {
        check(fields().that().areStatic().should().beFinal());
    }

    private static void check(ArchRule rule) {
        rule.check(CORE);
    }
}
