package io.kcp.bench;

import io.kcp.core.crypto.CryptoConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
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

/**
 * Ciphers and Reed–Solomon, ours (JMH) and kcp-go's by turns: payloads and shards of 1,400 bytes, one thread. Only the ratios
 * of one run mean something.
 *
 * <pre>
 * src/interop/install.sh
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.CompareCodecsWithKcpGo
 * </pre>
 *
 * <p>A ratio above 1 is in our favour. Both times of a cipher include nonce and CRC; ours include copying the sealed datagram
 * in before it is opened.
 */
@Command(name = "compare-codecs-with-kcp-go", description = "Ciphers and FEC, ours and kcp-go's by turns.",
    mixinStandardHelpOptions = true)
public final class CompareCodecsWithKcpGo implements Callable<Integer> {

    private static final int PATIENCE_SECONDS = 60;
    private static final int GROUP_BYTES = 10 * 1_400;

    @Option(names = "--rounds", defaultValue = "3", description = "of each, of which the median counts (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--ciphers", split = ",", description = "which (all that both have)")
    List<String> ciphers = CryptoConfig.names().stream().filter(name -> !name.equals("null")).toList();

    @Option(names = "--kcppeer", description = "kcp-go (${DEFAULT-VALUE})")
    Path kcpPeer = Path.of("src", "interop", "build", "kcppeer-5.6.72");

    /** Creates the command. */
    public CompareCodecsWithKcpGo() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CompareCodecsWithKcpGo()).execute(arguments));
    }

    @Override
    public Integer call() throws RunnerException {
        if (!Files.isExecutable(kcpPeer)) {
            System.err.println(kcpPeer + " is missing; src/interop/install.sh builds it");
            return CommandLine.ExitCode.USAGE;
        }
        System.out.printf("%-20s %10s %10s %10s %10s %7s%n", "median of " + rounds, "seal ns", "open ns", "Go seal", "Go open",
            "ratio");
        for (String cipher : ciphers) {
            compareCipher(cipher, CipherProvider.JDK);
            if (cipher.endsWith("-gcm")) {
                compareCipher(cipher, CipherProvider.CORRETTO);
            } else if (cipher.equals("chacha20-poly1305")) {
                compareCipher(cipher, CipherProvider.CONSCRYPT);
            }
        }
        System.out.printf("%n%-20s %10s %10s %7s%n", "FEC 10+3", "GB/s", "Go GB/s", "ratio");
        compareFec("encode", "encode");
        compareFec("reconstruct", "reconstruct-every-pattern");
        return 0;
    }

    private void compareCipher(String cipher, CipherProvider provider) throws RunnerException {
        double[][] figures = new double[4][rounds];
        for (int round = 0; round < rounds; round++) {
            figures[0][round] = ours(PacketCipherBenchmark.class, "sealing", Map.of("cipherName", cipher, "provider", provider.name()));
            figures[1][round] = ours(PacketCipherBenchmark.class, "opening", Map.of("cipherName", cipher, "provider", provider.name()));
            String line = kcpGo("cryptbench", "\"crypt\":\"" + cipher + '"', "--ciphers", cipher);
            figures[2][round] = JsonLine.number(line, "seal_ns");
            figures[3][round] = JsonLine.number(line, "open_ns");
        }
        double[] medians = Arrays.stream(figures).mapToDouble(CompareCodecsWithKcpGo::median).toArray();
        double ratio = (medians[2] + medians[3]) / (medians[0] + medians[1]);
        String name = provider == CipherProvider.JDK ? cipher : "  by " + provider.name().toLowerCase(Locale.ROOT);
        System.out.printf(Locale.ROOT, "%-20s %10.0f %10.0f %10.0f %10.0f %7.2f%n", name, medians[0], medians[1], medians[2],
            medians[3], ratio);
    }

    private void compareFec(String benchmark, String kind) throws RunnerException {
        double[] ours = new double[rounds];
        double[] theirs = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            ours[round] = GROUP_BYTES / ours(ReedSolomonBenchmark.class, benchmark, Map.of("shape", "10:3"));
            theirs[round] = JsonLine.number(kcpGo("fecbench", "\"kind\":\"" + kind + '"'), "gb_s");
        }
        System.out.printf(Locale.ROOT, "%-20s %10.1f %10.1f %7.2f%n", benchmark, median(ours), median(theirs),
            median(ours) / median(theirs));
    }

    /** Nanoseconds of one operation. */
    private static double ours(Class<?> benchmark, String method, Map<String, String> parameters) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder().include(benchmark.getName() + '\\' + '.' + method + '$')
            .forks(1).warmupIterations(3).warmupTime(TimeValue.milliseconds(500)).measurementIterations(3)
            .measurementTime(TimeValue.milliseconds(500)).shouldFailOnError(true).verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        Collection<RunResult> results = new Runner(options.build()).run();
        return results.iterator().next().getPrimaryResult().getScore();
    }

    /** The line of one figure of the live peer. */
    private String kcpGo(String action, String wanted, String... options) {
        List<String> command = new ArrayList<>(List.of(kcpPeer.toString(), action));
        command.addAll(List.of(options));
        try (ChildProcess process = ChildProcess.start("kcp-go " + action, command)) {
            String line = process.await(action, PATIENCE_SECONDS);
            while (!line.contains(wanted)) {
                line = process.await(action, PATIENCE_SECONDS);
            }
            return line;
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
