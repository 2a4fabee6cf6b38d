package io.kcp.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures how well servers withstand hostile traffic. Legitimate sessions send messages to an echo server at a constant rate before,
 * during and after an attack. All addresses are in 127.0.0.0/8, so that no datagram leaves the machine. Each attack stops after a fixed
 * time. The server runs in a separate process on the first processor. The attacker and the legitimate clients, which use this library, run
 * in this process on the other processors. Each attack first runs for {@code --rehearsal-seconds} without being measured, so that the
 * result does not depend on the JIT compiler.
 *
 * <pre>
 * src/interop/install.sh --bench
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Attack --out kcp-bench/target/report/attack.json
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Attack --servers ours --attacks openers,greeting
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Attack --list
 * </pre>
 *
 * <p>The command prints one line for each attack and server. At the end, it prints the table and the requirements that were not reached.
 * Addresses of 127.0.0.0/8 are trusted by default, so the server of this library is started with no trusted prefixes.
 */
@Command(name = "attack", description = "Measures how well servers withstand hostile traffic.", mixinStandardHelpOptions = true)
final class Attack implements Callable<Integer> {

    /**
     * Heap options of this library's server. A JVM uses its whole heap before it collects closed sessions, so a larger heap would appear as
     * growth of the resident memory, although no attack retains that memory.
     */
    private static final List<String> OUR_JVM_OPTIONS = List.of("-Xms128m", "-Xmx128m", "-Xmn32m");
    private static final List<String> OTHER_JVM_OPTIONS = List.of("-Xmx1g");
    private static final Set<String> ATTACKED_PEERS = Set.of(Scenarios.KCP_GO, Scenarios.JAVA_KCP, Scenarios.QUIC);

    @Option(names = "--attacks", split = ",", description = "names of the attacks (all)")
    @Nullable List<String> attackNames;

    @Option(names = "--servers", split = ",", description = "ours, kcp-go, java-kcp, quic (all)")
    @Nullable List<String> serverNames;

    @Mixin
    AttackOptions options = new AttackOptions();

    @Option(names = "--no-pin", description = "do not pin the server to one processor and this process to the others")
    boolean noPin;

    @Mixin
    ComparisonOptions comparison = new ComparisonOptions();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    private final List<AttackResult> results = new ArrayList<>();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Attack()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<AttackKind> attacks = attacks();
        if (comparison.list) {
            attacks.forEach(attack -> System.out.printf("%-14s %s %s%n", attack, attack.title(), attack.parts()));
            return 0;
        }
        List<AttackTarget> targets = targets();
        ObjectNode file = Json.MAPPER.valueToTree(
            ResultsFile.describe(spec.commandLine().getParseResult().originalArgs(), 1, options.seconds, false));
        file.remove(List.of("rounds", "quick", "scenarios"));
        for (AttackKind attack : attacks) {
            for (AttackTarget target : targets) {
                if (target.supports(attack)) {
                    results.add(target.isQuic() ? new QuicAttackRun(target, attack, options).run()
                        : new AttackRun(target, attack, options).run());
                    System.out.print(AttackResult.head() + results.get(results.size() - 1).row());
                    write(file);
                }
            }
        }
        System.out.print("\n" + AttackResult.head() + results.stream().map(AttackResult::row).collect(Collectors.joining()));
        results.forEach(result -> result.missed().forEach(missed ->
            System.out.println("NOT REACHED: " + result.server() + ", " + result.attack().title() + ": " + missed.text())));
        return results.stream().anyMatch(result -> result.server().equals(Scenarios.OURS) && result.failure() != null)
            ? CommandLine.ExitCode.SOFTWARE : 0;
    }

    List<AttackResult> results() {
        return results;
    }

    private List<AttackKind> attacks() {
        List<AttackKind> all = Arrays.asList(AttackKind.values());
        List<String> names = attackNames;
        if (names == null) {
            return all;
        }
        List<String> known = all.stream().map(AttackKind::toString).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new ParameterException(spec.commandLine(), "--attacks: " + name + " (expected: " + String.join(", ", known) + ')');
            }
        }
        return all.stream().filter(attack -> names.contains(attack.toString())).toList();
    }

    private List<AttackTarget> targets() throws IOException, InterruptedException {
        List<String> prefix = !noPin && pinThisProcess() ? List.of("taskset", "--cpu-list", "0") : List.of();
        List<String> ourOptions = new ArrayList<>(OUR_JVM_OPTIONS);
        ourOptions.addAll(comparison.jvmOptions);
        List<AttackTarget> targets = new ArrayList<>();
        targets.add(new AttackTarget(Peer.ours(List.of()), ourOptions, prefix));
        for (Peer peer : comparison.installedPeers(other -> ATTACKED_PEERS.contains(other.name()))) {
            targets.add(new AttackTarget(peer, peer.name().equals(Scenarios.KCP_GO) ? List.of() : OTHER_JVM_OPTIONS, prefix));
        }
        List<String> names = serverNames;
        return names == null ? targets : targets.stream().filter(target -> names.contains(target.name())).toList();
    }

    /** Moves all threads of this process to the processors other than the first, and returns {@code true} if that succeeds. */
    private static boolean pinThisProcess() throws IOException, InterruptedException {
        int processors = Runtime.getRuntime().availableProcessors();
        if (processors < 2) {
            System.err.println("not pinned: this machine has one processor");
            return false;
        }
        try {
            Process taskset = new ProcessBuilder("taskset", "--all-tasks", "--cpu-list", "--pid", "1-" + (processors - 1),
                Long.toString(ProcessHandle.current().pid())).redirectErrorStream(true).start();
            String output = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (taskset.waitFor() != 0) {
                System.err.println("not pinned: " + output.strip());
                return false;
            }
            return true;
        } catch (IOException missing) {
            System.err.println("not pinned: " + missing.getMessage());
            return false;
        }
    }

    private void write(ObjectNode file) throws IOException {
        Path out = comparison.out;
        if (out != null) {
            file.set("attacks", Json.MAPPER.valueToTree(results));
            Files.createDirectories(out.toAbsolutePath().resolveSibling("."));
            Files.writeString(out, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(file) + '\n');
        }
    }
}
