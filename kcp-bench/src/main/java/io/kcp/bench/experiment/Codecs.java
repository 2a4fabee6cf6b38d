package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import io.kcp.bench.Json;
import io.kcp.bench.DatagramCipherBenchmark;
import io.kcp.bench.DatagramCipherBenchmark.CipherProvider;
import io.kcp.bench.ReedSolomonBenchmark;
import io.kcp.core.crypto.CryptoConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;

/**
 * Compares the ciphers and the Reed–Solomon code of this library with those of kcp-go, on one thread. All times include nonce and CRC. The
 * times of this library for opening also include copying the sealed datagram to the buffer.
 */
@Command(name = "codecs", mixinStandardHelpOptions = true,
    description = "Compares the ciphers and FEC of this library with those of kcp-go.")
final class Codecs extends ExperimentCommand {

    private static final List<Metric> CIPHER =
        List.of(Metric.SEAL_NS, Metric.OPEN_NS, Metric.SEAL_ALLOCATED_BYTES, Metric.OPEN_ALLOCATED_BYTES);
    private static final List<Metric> FEC = List.of(Metric.GB_S);
    private static final List<Contender> CONTENDERS = List.of(Contender.of(Peer.OURS), Contender.of(Peer.KCP_GO));
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final int EVENT_SECONDS = 60;
    private static final int GROUP_BYTES = 10 * 1_400;
    private static final int ITERATIONS = 3;

    /** What a FEC benchmark measures, and its names in the benchmarks of both libraries. */
    private record FecWork(String name, String ours, String kcpGo) {
    }

    private static final List<FecWork> FEC_WORKS = List.of(new FecWork("encode", "encode", "encode"),
        new FecWork("reconstruct", "reconstruct", "reconstruct-every-pattern"));

    @Option(names = "--ciphers", split = ",", description = "names of the ciphers to compare (all)")
    List<String> ciphers = CryptoConfig.names().stream().filter(name -> !name.equals("null")).toList();

    @Option(names = "--payload-bytes", split = ",", defaultValue = "1400", description = "sizes of the payload (${DEFAULT-VALUE})")
    List<Integer> payloadBytes = List.of();

    @Option(names = "--no-fec", description = "measure only ciphers")
    boolean noFec;

    Codecs() {
        super(new RunOptions(3, 1.5, 1.5));
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        if (run.before != null) {
            throw new ParameterException(spec.commandLine(), "--before: " + run.before + " (codecs compares only this build with kcp-go)");
        }
        requireKnown("--ciphers", ciphers, List.copyOf(CryptoConfig.names()));
        Peers.check(run, CONTENDERS, spec.commandLine());
        Peers peers = new Peers(run);
        List<Cell> cells = new ArrayList<>();
        for (Contender contender : peers.select(CONTENDERS)) {
            boolean isOurs = contender.peer().equals(Peer.OURS);
            for (String cipher : ciphers) {
                for (int bytes : payloadBytes) {
                    for (CipherProvider provider : isOurs ? providers(cipher) : List.of(CipherProvider.JDK)) {
                        String settings = provider == CipherProvider.JDK ? "" : provider.name().toLowerCase(Locale.ROOT);
                        cells.add(Cell.of(Contender.of(contender.peer(), settings), CIPHER,
                            round -> isOurs ? ours(cipher, provider, bytes) : kcpGo(cipher, bytes, peers.program(contender)),
                            "cipher", cipher, "payload_bytes", Integer.toString(bytes)));
                    }
                }
            }
            for (FecWork work : noFec ? List.<FecWork>of() : FEC_WORKS) {
                cells.add(Cell.of(contender, FEC, round -> Map.of(Metric.GB_S, isOurs
                    ? GROUP_BYTES / score(benchmark(ReedSolomonBenchmark.class, work.ours, Map.of("shape", "10:3")))
                    : Json.number(kcpGo("fecbench", "kind", work.kcpGo, peers.program(contender)), "gb_s")), "fec", work.name));
            }
        }
        return cells;
    }

    private static List<CipherProvider> providers(String cipher) {
        return cipher.endsWith("-gcm") ? List.of(CipherProvider.JDK, CipherProvider.CORRETTO)
            : cipher.equals("chacha20-poly1305") ? List.of(CipherProvider.JDK, CipherProvider.CONSCRYPT) : List.of(CipherProvider.JDK);
    }

    private Map<Metric, Double> ours(String cipher, CipherProvider provider, int bytes) {
        Map<String, String> parameters =
            Map.of("cipherName", cipher, "provider", provider.name(), "payloadBytes", Integer.toString(bytes));
        RunResult sealing = benchmark(DatagramCipherBenchmark.class, "sealing", parameters);
        RunResult opening = benchmark(DatagramCipherBenchmark.class, "opening", parameters);
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        values.put(Metric.SEAL_NS, score(sealing));
        values.put(Metric.OPEN_NS, score(opening));
        values.put(Metric.SEAL_ALLOCATED_BYTES, allocatedBytes(sealing));
        values.put(Metric.OPEN_ALLOCATED_BYTES, allocatedBytes(opening));
        return values;
    }

    /** Runs a JMH benchmark in a process of its own. */
    private RunResult benchmark(Class<?> type, String method, Map<String, String> parameters) {
        ChainedOptionsBuilder options = new OptionsBuilder().include(type.getName() + '\\' + '.' + method + '$').forks(1)
            .warmupIterations(ITERATIONS).warmupTime(time(run.warmupSeconds)).measurementIterations(ITERATIONS)
            .measurementTime(time(run.seconds)).addProfiler(GCProfiler.class).shouldFailOnError(true).verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        try {
            Collection<RunResult> results = new org.openjdk.jmh.runner.Runner(options.build()).run();
            return results.iterator().next();
        } catch (RunnerException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static TimeValue time(double seconds) {
        return TimeValue.milliseconds(Math.round(seconds * 1e3 / ITERATIONS));
    }

    private static double score(RunResult result) {
        return result.getPrimaryResult().getScore();
    }

    private static double allocatedBytes(RunResult result) {
        for (String name : result.getSecondaryResults().keySet()) {
            if (name.endsWith(ALLOCATED)) {
                return result.getSecondaryResults().get(name).getScore();
            }
        }
        return Double.NaN;
    }

    private Map<Metric, Double> kcpGo(String cipher, int bytes, Peer peer) throws InterruptedException {
        JsonNode event = kcpGo("cryptbench", "crypt", cipher, peer, "--ciphers", cipher, "--payload-bytes", Integer.toString(bytes));
        return Map.of(Metric.SEAL_NS, Json.number(event, "seal_ns"), Metric.OPEN_NS, Json.number(event, "open_ns"));
    }

    /** Runs a kcp-go benchmark and returns the first event whose field has the given value. */
    private JsonNode kcpGo(String action, String field, String value, Peer peer, String... options) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of(String.valueOf(peer.file()), action, "--seconds", Double.toString(run.seconds)));
        command.addAll(List.of(options));
        try (ChildProcess process = ChildProcess.start("kcp-go " + action, command)) {
            JsonNode event = process.await(action, EVENT_SECONDS);
            while (!event.path(field).asString("").equals(value)) {
                event = process.await(action, EVENT_SECONDS);
            }
            return event;
        }
    }
}
