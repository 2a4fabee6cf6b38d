package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;

/**
 * Measures how long a server that was just started needs until it has its full throughput. A client is started at the same time, so the
 * result includes the warm-up of the client. The server runs on the first processor and the client on the others. The steady throughput is
 * the median of the second half of the time.
 */
@Command(name = "warm-up", description = "Measures the warm-up of servers.", mixinStandardHelpOptions = true)
final class WarmUp extends ScenarioCommand {

    private static final int READY_SECONDS = 30;
    private static final int RESPONSE_SECONDS = 30;
    /** Time in which a server can write an archive of its classes or an AOT cache. */
    private static final int EXIT_SECONDS = 120;
    private static final long SAMPLE_MS = 100;
    private static final double FIRST_SECONDS = 10;
    private static final double LATE_SECONDS = 20;
    private static final List<Metric> METRICS = List.of(Metric.STEADY_S, Metric.READY_S, Metric.CPU_S_OF_10, Metric.COMPILER_S_OF_10,
        Metric.LATE_C2_PERCENT, Metric.STEADY_OPERATIONS_S);

    @Option(names = "--server-jvm-option", description = "JVM option of this library's server; may be repeated")
    List<String> serverJvmOptions = new ArrayList<>();

    @Option(names = "--client-jvm-option", description = "JVM option of this library's client; may be repeated")
    List<String> clientJvmOptions = new ArrayList<>();

    @Option(names = "--warm-clients", description = "this library's client first sends the load to another server, so that its own warm-up "
        + "does not count")
    boolean warmClients;

    @Option(names = "--no-pin", description = "do not pin the server to one processor and the clients to the others")
    boolean noPin;

    WarmUp() {
        super(new RunOptions(1, 40, 0), List.of("one-way", "fleet-2000"));
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        Pinning pinning = PinnedCommand.pinning(noPin);
        List<Scenario> scenarios = scenarios(pinning);
        for (Scenario scenario : scenarios) {
            if (scenario.writeBytes() == 0 || scenario.work() == Scenario.Work.PINGPONG) {
                throw new ParameterException(spec.commandLine(), "--scenarios: " + scenario.name() + " has no steady throughput");
            }
        }
        Peers.check(run, scenarios.stream().flatMap(scenario -> scenario.contenders().stream()).toList(), spec.commandLine());
        Peers peers = new Peers(run);
        List<Cell> cells = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            cells.addAll(cells(scenario, scenario.contenders(), METRICS, peers,
                (contender, peer) -> round -> measure(scenario, contender, peer, pinning)));
        }
        return cells;
    }

    private Map<Metric, Double> measure(Scenario scenario, Contender contender, Peer peer, Pinning pinning) throws InterruptedException {
        long startNs = System.nanoTime();
        try (ChildProcess server = startServer(scenario, contender, peer, pinning)) {
            String port = port(server);
            double readySeconds = (System.nanoTime() - startNs) / 1e9;
            List<String> options = new ArrayList<>(List.of("--connect", port, "--work", scenario.work().toString(), "--warmup", "0",
                "--seconds", Double.toString(run.seconds)));
            options.addAll(scenario.clientOptions());
            try (ChildProcess rehearsal = warmClients && peer.isOurs() ? startServer(scenario, contender, peer, pinning) : null) {
                if (rehearsal != null) {
                    options.addAll(List.of("--rehearsal-port", port(rehearsal)));
                }
                Peer program = peer.isOurs() ? peer.withJvm(clientJvmOptions) : peer;
                try (ChildProcess client =
                    LoadRun.start(scenario, contender, program, Peer.CLIENT, pinning.clients(), options)) {
                    WarmUpSamples samples = sample(server);
                    client.end(EXIT_SECONDS);
                    server.end(EXIT_SECONDS);
                    return metrics(scenario, readySeconds, samples);
                }
            }
        }
    }

    private ChildProcess startServer(Scenario scenario, Contender contender, Peer peer, Pinning pinning) {
        return LoadRun.start(scenario, contender, peer.isOurs() ? peer.withJvm(serverJvmOptions) : peer, Peer.SERVER, pinning.server(),
            List.of("--work", scenario.serverWork()));
    }

    private static String port(ChildProcess server) throws InterruptedException {
        return server.await("ready", READY_SECONDS).path("port").asString();
    }

    private WarmUpSamples sample(ChildProcess server) throws InterruptedException {
        WarmUpSamples samples = new WarmUpSamples();
        CompilerTime compilers = new CompilerTime(server.pid());
        double firstNs = Double.NaN;
        while (samples.lastSeconds() < run.seconds) {
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

    private static Map<Metric, Double> metrics(Scenario scenario, double readySeconds, WarmUpSamples samples) {
        WarmUpSamples.Sample first = samples.at(FIRST_SECONDS);
        WarmUpSamples.Sample late = samples.at(LATE_SECONDS);
        WarmUpSamples.Sample last = samples.at(samples.lastSeconds());
        double lateMs = (last.seconds() - late.seconds()) * 1e3;
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        metrics.put(Metric.READY_S, readySeconds);
        metrics.put(Metric.STEADY_S, samples.secondsUntilSteady());
        metrics.put(Metric.CPU_S_OF_10, first.cpuMs() / 1e3);
        metrics.put(Metric.COMPILER_S_OF_10, (first.c1Ms() + first.c2Ms()) / 1e3);
        metrics.put(Metric.LATE_C2_PERCENT, 100 * (last.c2Ms() - late.c2Ms()) / lateMs);
        metrics.put(Metric.STEADY_OPERATIONS_S, samples.steadyPerSecond() / scenario.writeBytes());
        metrics.values().removeIf(value -> !Double.isFinite(value));
        return metrics;
    }
}
