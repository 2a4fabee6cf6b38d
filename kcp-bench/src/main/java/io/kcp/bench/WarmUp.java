package io.kcp.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;

/**
 * Measures how long a server that was just started needs until it has its full throughput. A client is started at the same time, so the
 * result includes the warm-up of the client. The server runs on the first processor and the client on the others.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.WarmUp --scenarios one-way,fleet-2000
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.WarmUp --scenarios fleet-2000 --peers ours,kcp-go --rounds 3
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.WarmUp --seconds 20 --server-jvm-option=-XX:AOTCacheOutput=load.aot
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.WarmUp --server-jvm-option=-XX:AOTCache=load.aot
 * </pre>
 *
 * <p>Each line contains the time from the start of the server process until it is bound, the time from its first datagram until a second
 * with 95 % of the steady throughput begins, the CPU time of the server and of its JIT compilers in the first ten seconds, and the share of
 * a processor that the C2 compiler uses after 20 seconds. The steady throughput is the median of the second half of the time.
 */
@Command(name = "warm-up", description = "Measures the warm-up of servers.", mixinStandardHelpOptions = true)
final class WarmUp implements Callable<Integer> {

    private static final int READY_SECONDS = 30;
    private static final int RESPONSE_SECONDS = 30;
    /** Time in which a server can write an archive of its classes or an AOT cache. */
    private static final int EXIT_SECONDS = 120;
    private static final long SAMPLE_MS = 100;
    private static final double FIRST_SECONDS = 10;
    private static final double LATE_SECONDS = 20;
    private static final String ROW = "%-14s %-10s %9s %9s %12s %10s %10s %14s  %s%n";

    @Option(names = "--scenarios", split = ",", defaultValue = "one-way,fleet-2000",
        description = "one-way, echo, small, and fleet scenarios of SideBySide (${DEFAULT-VALUE})")
    List<String> scenarioNames = new ArrayList<>();

    @Option(names = "--peers", split = ",", defaultValue = Scenarios.OURS, description = "libraries to measure (${DEFAULT-VALUE})")
    List<String> peerNames = new ArrayList<>();

    @Option(names = "--rounds", defaultValue = "1", description = "number of runs (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--seconds", defaultValue = "40", description = "duration of the load in seconds (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--server-jvm-option", description = "JVM option of this library's server; may be repeated")
    List<String> serverJvmOptions = new ArrayList<>();

    @Option(names = "--client-jvm-option", description = "JVM option of this library's client; may be repeated")
    List<String> clientJvmOptions = new ArrayList<>();

    @Option(names = "--warm-clients", description = "this library's client first sends the load to another server, so that its own warm-up "
        + "does not count")
    boolean warmClients;

    @Mixin
    PinningOption pinning = new PinningOption();

    @Mixin
    ComparisonOptions comparison = new ComparisonOptions();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    /** Measurement of one run. */
    record Result(String scenario, String server, double readySeconds, double steadySeconds, double cpuSeconds, double compilerSeconds,
        double lateC2Percent, double steadyPerSecond, double hostCpuPercent) {

        String row() {
            return String.format(Locale.ROOT, ROW, scenario, server, Metric.format(readySeconds), Metric.format(steadySeconds),
                Metric.format(cpuSeconds), Metric.format(compilerSeconds), Metric.format(lateC2Percent), Metric.format(steadyPerSecond),
                StolenTime.text(hostCpuPercent));
        }
    }

    private final List<Result> results = new ArrayList<>();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new WarmUp()).execute(arguments));
    }

    List<Result> results() {
        return results;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (comparison.list) {
            Scenarios.all().stream().filter(WarmUp::hasSteadyThroughput)
                .forEach(scenario -> System.out.printf("%-16s %s%n", scenario.name(), scenario.title()));
            return 0;
        }
        List<Scenario> scenarios = Scenarios.named(scenarioNames, spec.commandLine());
        for (Scenario scenario : scenarios) {
            if (!hasSteadyThroughput(scenario)) {
                throw new ParameterException(spec.commandLine(), "--scenarios: " + scenario.name() + " has no steady throughput");
            }
        }
        ComparisonOptions.requireKnown("--peers", peerNames, Peer.names(), spec.commandLine());
        Pinning processors = pinning.pinning();
        Map<String, Peer> peers = comparison.peers(List.of(), peerNames::contains);
        RowsFile file = new RowsFile(comparison.out, spec.commandLine(), "results", rounds, seconds);
        System.out.printf(Locale.ROOT, ROW, "scenario", "server", "ready s", "95 % s", "CPU s of 10", "JIT s of 10", "C2 % >20 s",
            "steady/s", "");
        for (int round = 0; round < rounds; round++) {
            for (Scenario scenario : scenarios) {
                for (Peer peer : peers.values()) {
                    Result result = run(scenario, peer, processors);
                    results.add(result);
                    System.out.print(result.row());
                    file.write(results);
                }
            }
        }
        return 0;
    }

    private static boolean hasSteadyThroughput(Scenario scenario) {
        return scenario.writeBytes() > 0 && scenario.work() != LoadClient.Work.PINGPONG;
    }

    private Result run(Scenario scenario, Peer peer, Pinning processors) throws InterruptedException {
        long startNs = System.nanoTime();
        try (ChildProcess process = startServer(scenario, peer, processors)) {
            String port = port(process);
            double readySeconds = (System.nanoTime() - startNs) / 1e9;
            List<String> options = new ArrayList<>(List.of("--connect", port, "--work",
                scenario.work().name().toLowerCase(Locale.ROOT), "--warmup", "0", "--seconds", Double.toString(seconds)));
            options.addAll(scenario.clientOptions());
            try (ChildProcess rehearsal = warmClients && peer.reportsStats() ? startServer(scenario, peer, processors) : null) {
                if (rehearsal != null) {
                    options.addAll(List.of("--rehearsal-port", port(rehearsal)));
                }
                Contender contender = contender(peer, clientJvmOptions);
                try (ChildProcess client = peer.start("client", processors.clients(), scenario, contender, options)) {
                    StolenTime start = StolenTime.now();
                    WarmUpSamples samples = sample(process);
                    double hostCpuPercent = start.percentUntilNow();
                    client.end(EXIT_SECONDS);
                    process.end(EXIT_SECONDS);
                    return result(scenario, peer.name(), readySeconds, samples, hostCpuPercent);
                }
            }
        }
    }

    private ChildProcess startServer(Scenario scenario, Peer peer, Pinning processors) {
        return peer.start("server", processors.server(), scenario, contender(peer, serverJvmOptions),
            List.of("--work", scenario.serverWork()));
    }

    private static String port(ChildProcess server) throws InterruptedException {
        return server.await("ready", READY_SECONDS).path("port").asString();
    }

    private static Contender contender(Peer peer, List<String> jvmOptions) {
        Contender plain = Contender.of(peer.name());
        return peer.reportsStats() ? plain.withJvm(jvmOptions.toArray(String[]::new)) : plain;
    }

    private WarmUpSamples sample(ChildProcess server) throws InterruptedException {
        WarmUpSamples samples = new WarmUpSamples();
        CompilerTime compilers = new CompilerTime(server.pid());
        double firstNs = Double.NaN;
        while (samples.lastSeconds() < seconds) {
            JsonNode mark = server.ask("mark", RESPONSE_SECONDS);
            compilers.update();
            double ns = Json.number(mark, "ns");
            if (Double.isNaN(firstNs) && Json.number(mark, "bytes") > 0) {
                firstNs = ns;
            }
            if (!Double.isNaN(firstNs)) {
                samples.add(new WarmUpSamples.Sample((ns - firstNs) / 1e9, Json.number(mark, "bytes"), Json.number(mark, "cpu_ms"),
                    compilers.c1Ms(), compilers.c2Ms()));
            }
            TimeUnit.MILLISECONDS.sleep(SAMPLE_MS);
        }
        return samples;
    }

    private static Result result(Scenario scenario, String server, double readySeconds, WarmUpSamples samples, double hostCpuPercent) {
        WarmUpSamples.Sample first = samples.at(FIRST_SECONDS);
        WarmUpSamples.Sample late = samples.at(LATE_SECONDS);
        WarmUpSamples.Sample last = samples.at(samples.lastSeconds());
        double lateMs = (last.seconds() - late.seconds()) * 1e3;
        return new Result(scenario.name(), server, readySeconds, samples.secondsUntilSteady(), first.cpuMs() / 1e3,
            (first.c1Ms() + first.c2Ms()) / 1e3, 100 * (last.c2Ms() - late.c2Ms()) / lateMs,
            samples.steadyPerSecond() / scenario.writeBytes(), hostCpuPercent);
    }
}
