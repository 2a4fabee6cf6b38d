package io.kcp.bench;

import io.kcp.core.crypto.CryptoConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/**
 * Compares the ciphers and the Reed–Solomon code of this library with those of kcp-go. Speed is measured on one thread, with payloads and
 * shards of 1,400 bytes. The measurements of both libraries alternate. Only the ratios of values from the same run are meaningful. A ratio
 * above 1 means that this library is faster.
 *
 * <pre>
 * src/interop/install.sh
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.CompareCodecsWithKcpGo
 * </pre>
 *
 * <p>All times include nonce and CRC. This library's times for opening also include copying the sealed datagram to the buffer.
 */
@Command(name = "compare-codecs-with-kcp-go", description = "Compares the ciphers and FEC of this library with those of kcp-go.",
    mixinStandardHelpOptions = true)
final class CompareCodecsWithKcpGo implements Callable<Integer> {

    private static final int TIMEOUT_SECONDS = 60;
    private static final int GROUP_BYTES = 10 * 1_400;

    @Option(names = "--rounds", defaultValue = "3", description = "number of runs, of which the median is reported (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--ciphers", split = ",", description = "names of the ciphers to compare (all)")
    List<String> ciphers = CryptoConfig.names().stream().filter(name -> !name.equals("null")).toList();

    @Option(names = "--kcppeer", description = "path of the kcp-go program (${DEFAULT-VALUE})")
    Path kcpPeer = Path.of("src", "interop", "build", "kcppeer-5.6.72");

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CompareCodecsWithKcpGo()).execute(arguments));
    }

    @Override
    public Integer call() throws RunnerException, InterruptedException {
        if (!Files.isExecutable(kcpPeer)) {
            System.err.println(kcpPeer + " is missing; build it with src/interop/install.sh");
            return CommandLine.ExitCode.USAGE;
        }
        System.out.printf("%-20s %10s %10s %10s %10s %7s%n", "median of " + rounds, "seal ns", "open ns", "Go seal", "Go open", "ratio");
        for (String cipher : ciphers) {
            compareCipher(cipher, PacketCipherBenchmark.Provider.JDK);
            if (cipher.endsWith("-gcm")) {
                compareCipher(cipher, PacketCipherBenchmark.Provider.CORRETTO);
            } else if (cipher.equals("chacha20-poly1305")) {
                compareCipher(cipher, PacketCipherBenchmark.Provider.CONSCRYPT);
            }
        }
        System.out.printf("%n%-20s %10s %10s %7s%n", "FEC 10+3", "GB/s", "Go GB/s", "ratio");
        compareFec("encode", "encode");
        compareFec("reconstruct", "reconstruct-every-pattern");
        return 0;
    }

    private void compareCipher(String cipher, PacketCipherBenchmark.Provider provider) throws RunnerException, InterruptedException {
        Map<String, String> parameters = Map.of("cipherName", cipher, "provider", provider.name());
        double[][] times = new double[4][rounds];
        for (int round = 0; round < rounds; round++) {
            times[0][round] = ours(PacketCipherBenchmark.class, "sealing", parameters);
            times[1][round] = ours(PacketCipherBenchmark.class, "opening", parameters);
            JsonNode kcpGo = kcpGo("cryptbench", "crypt", cipher, "--ciphers", cipher);
            times[2][round] = Json.number(kcpGo, "seal_ns");
            times[3][round] = Json.number(kcpGo, "open_ns");
        }
        double[] medians = Stream.of(times).mapToDouble(Statistics::median).toArray();
        double ratio = (medians[2] + medians[3]) / (medians[0] + medians[1]);
        String name = provider == PacketCipherBenchmark.Provider.JDK ? cipher : "  with " + provider.name().toLowerCase(Locale.ROOT);
        System.out.printf(Locale.ROOT, "%-20s %10.0f %10.0f %10.0f %10.0f %7.2f%n", name, medians[0], medians[1], medians[2],
            medians[3], ratio);
    }

    private void compareFec(String benchmark, String kind) throws RunnerException, InterruptedException {
        double[] ours = new double[rounds];
        double[] theirs = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            ours[round] = GROUP_BYTES / ours(ReedSolomonBenchmark.class, benchmark, Map.of("shape", "10:3"));
            theirs[round] = Json.number(kcpGo("fecbench", "kind", kind), "gb_s");
        }
        System.out.printf(Locale.ROOT, "%-20s %10.1f %10.1f %7.2f%n", benchmark, Statistics.median(ours), Statistics.median(theirs),
            Statistics.median(ours) / Statistics.median(theirs));
    }

    /** Runs a JMH benchmark of this library and returns the nanoseconds per operation. */
    private static double ours(Class<?> benchmark, String method, Map<String, String> parameters) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder().include(benchmark.getName() + '\\' + '.' + method + '$')
            .forks(1).warmupIterations(3).warmupTime(TimeValue.milliseconds(500)).measurementIterations(3)
            .measurementTime(TimeValue.milliseconds(500)).shouldFailOnError(true).verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        Collection<RunResult> results = new Runner(options.build()).run();
        return results.iterator().next().getPrimaryResult().getScore();
    }

    /** Runs a kcp-go benchmark and returns the first event whose field has the given value. */
    private JsonNode kcpGo(String action, String field, String value, String... options) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of(kcpPeer.toString(), action));
        command.addAll(List.of(options));
        try (ChildProcess process = ChildProcess.start("kcp-go " + action, command)) {
            JsonNode event = process.await(action, TIMEOUT_SECONDS);
            while (!event.path(field).asString("").equals(value)) {
                event = process.await(action, TIMEOUT_SECONDS);
            }
            return event;
        }
    }
}
