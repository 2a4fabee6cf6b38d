package io.kcp.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
    private static final List<String> SERVERS = List.of(Scenarios.OURS, Scenarios.KCP_GO, Scenarios.JAVA_KCP, Scenarios.QUIC);

    @Option(names = "--attacks", split = ",", description = "names of the attacks (all)")
    @Nullable List<String> attackNames;

    @Option(names = "--servers", split = ",", description = "ours, kcp-go, java-kcp, quic (all)")
    @Nullable List<String> serverNames;

    @Mixin
    AttackOptions options = new AttackOptions();

    @Mixin
    PinningOption pinning = new PinningOption();

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
        RowsFile file = new RowsFile(comparison.out, spec.commandLine(), "attacks", 1, options.seconds);
        for (AttackKind attack : attacks) {
            for (AttackTarget target : targets) {
                if (target.supports(attack)) {
                    results.add(target.isQuic() ? new QuicAttackRun(target, attack, options).run()
                        : new AttackRun(target, attack, options).run());
                    System.out.print(AttackResult.head() + results.get(results.size() - 1).row());
                    file.write(results);
                }
            }
        }
        EventResult.print(AttackResult.head(), results);
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
        ComparisonOptions.requireKnown("--attacks", names, all.stream().map(AttackKind::toString).toList(), spec.commandLine());
        return all.stream().filter(attack -> names.contains(attack.toString())).toList();
    }

    private List<AttackTarget> targets() {
        List<String> names = serverNames;
        ComparisonOptions.requireKnown("--servers", names, SERVERS, spec.commandLine());
        List<String> prefix = pinning.pinThisProcess().server();
        return comparison.peers(OUR_JVM_OPTIONS, names == null ? SERVERS::contains : names::contains)
            .values().stream().map(peer -> new AttackTarget(peer, jvmOptions(peer), prefix)).toList();
    }

    /** Returns the JVM options of a server in addition to those of its peer. */
    private static List<String> jvmOptions(Peer peer) {
        return peer.name().equals(Scenarios.JAVA_KCP) || peer.name().equals(Scenarios.QUIC) ? OTHER_JVM_OPTIONS : List.of();
    }
}
