package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** Runs short and weak attacks, and checks the requirements that do not depend on the speed of the machine. Delays are not checked. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux lets a socket use any address of 127.0.0.0/8")
class AttackTest {

    private static final int MAX_SESSIONS = 300;
    private static final int SESSIONS = 10;

    @TempDir
    Path directory;

    @Test
    void openerFloodLosesNothingAndStaysBelowSessionLimit() {
        AttackResult result = run("openers");
        assertThat(result.attack()).isEqualTo(AttackKind.OPENERS);
        assertThat(result.peakSessions()).isGreaterThan(SESSIONS).isLessThanOrEqualTo(MAX_SESSIONS);
        assertThat(result.stats()).isNotNull();
    }

    @Test
    void repeatedOpenersLoseNothing() {
        for (String attack : List.of("openers-twice", "openers-16", "greeting-twice")) {
            AttackResult result = run(attack);
            assertThat(result.worstReflection()).isLessThanOrEqualTo(3);
            assertThat(result.peakSessions()).isLessThanOrEqualTo(MAX_SESSIONS);
        }
    }

    @Test
    void replayedOpenersReflectAlmostNothing() {
        AttackResult result = run("replays");
        assertThat(result.worstReflection()).isLessThanOrEqualTo(3);
        assertThat(result.reflection()).isZero();
    }

    @Test
    void forgedConversationsDoNotCloseLiveSessions() throws Exception {
        Path file = directory.resolve("sub").resolve("attack.json");
        AttackResult result = run("other-conv", "--out", file.toString());
        assertThat(result.closedSessions()).isZero();
        JsonNode json = Json.MAPPER.readTree(file.toFile());
        assertThat(json.path("attacks").path(0).path("attack").asString()).isEqualTo("other-conv");
        assertThat(json.path("attacks").path(0).path("lost").asInt()).isZero();
        assertThat(json.path("cores").asInt()).isPositive();
        assertThat(json.path("command").asString()).startsWith("Attack --servers ours --attacks other-conv");
    }

    @Test
    void slowReadersAndManySegmentsLoseNothing() {
        run("slow-readers");
        run("segments");
    }

    @Test
    void unknownAttackIsRejected() {
        assertThat(new CommandLine(new Attack()).execute("--attacks", "opener")).isEqualTo(2);
    }

    @Test
    void unknownServerIsRejected() {
        assertThat(new CommandLine(new Attack()).execute("--servers", "our")).isEqualTo(2);
    }

    /**
     * Runs one attack, during which no message of a legitimate session may be lost. On a busy machine, an attacker with a lower priority
     * than the clients might send nothing.
     */
    private static AttackResult run(String attack, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--servers", "ours", "--attacks", attack, "--no-pin", "--same-priority",
            "--sessions", Integer.toString(SESSIONS), "--rate", "5", "--newcomers", "5", "--sources", "50", "--rate-factor", "0.05",
            "--max-sessions", Integer.toString(MAX_SESSIONS), "--rehearsal-seconds", "0", "--warmup", "0.2", "--quiet-seconds", "0.5",
            "--seconds", "1", "--recovery-seconds", "0.5"));
        arguments.addAll(Arrays.asList(more));
        Attack command = new Attack();
        assertThat(new CommandLine(command).execute(arguments.toArray(String[]::new))).isZero();
        AttackResult result = command.results().get(0);
        assertThat(result.failure()).isNull();
        assertThat(result.sent()).isPositive();
        assertThat(result.lost()).isZero();
        assertThat(result.datagramsPerSecond()).isPositive();
        return result;
    }
}
