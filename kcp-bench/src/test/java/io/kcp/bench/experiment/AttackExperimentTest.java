package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.results.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each attack briefly, and checks what must hold at any speed. */
@Tag("slow")
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux lets a socket use any address of 127.0.0.0/8")
class AttackExperimentTest {

    private static final String ATTACK = "--peers none --no-pin --same-priority --sessions 10 --rate 5 --newcomers 5 --sources 50 "
        + "--rate-factor 0.05 --max-sessions 300 --rehearsal-seconds 0 --warmup 0.2 --quiet-seconds 0.5 --seconds 1 --recovery-seconds 0.5";

    @TempDir
    Path directory;

    /** Attacks with the largest share of reflected bytes, or null if the attacker does not use the address of a victim. */
    static Stream<Arguments> attacksLoseNothing() {
        return Stream.of(Arguments.of("openers-twice", 3.0), Arguments.of("openers-16", 3.0), Arguments.of("greeting-twice", 3.0),
            Arguments.of("replays", 0.0), Arguments.of("other-conv", null), Arguments.of("slow-readers", null),
            Arguments.of("segments", null));
    }

    @ParameterizedTest
    @MethodSource
    void attacksLoseNothing(String attack, @Nullable Double maxReflection) throws IOException {
        ResultFile file = new ExperimentProgram(directory).run("attack --attacks " + attack + ' ' + ATTACK);
        Map<String, Double> metrics = file.runs().get(0).metrics();
        assertThat(metrics).containsEntry("lost", 0.0).containsEntry("closed_sessions", 0.0);
        assertThat(metrics.get("attack_datagrams_s")).isPositive();
        assertThat(metrics.get("peak_sessions")).isLessThanOrEqualTo(300);
        if (maxReflection == null) {
            assertThat(metrics).doesNotContainKey("worst_reflection");
        } else {
            assertThat(metrics.get("worst_reflection")).isLessThanOrEqualTo(maxReflection);
        }
    }

    @Test
    void floodOfFirstDatagramsOpensSessionsUpToTheLimit() throws IOException {
        Map<String, Double> metrics = new ExperimentProgram(directory).run("attack --attacks openers " + ATTACK).runs().get(0).metrics();
        assertThat(metrics).containsEntry("lost", 0.0).containsKeys("p99_ms", "worst_reflection");
        assertThat(metrics.get("attack_datagrams_s")).isPositive();
        assertThat(metrics.get("peak_sessions")).isBetween(11.0, 300.0);
    }
}
