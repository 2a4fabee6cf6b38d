package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.Preset;
import io.kcp.tools.command.WireOptions;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Compares the message delays of KCP presets and TCP on a lossy link. As in a game, small messages are sent at regular intervals. Several
 * KCP presets run at the same time, and so does the kernel's TCP if a link can be created for it. Prints a table and a one-sentence
 * summary, and writes charts to an HTML file.
 */
@Command(name = "demo", description = "Sends small messages through a lossy link with several presets and TCP, and compares the delays.")
public final class Demo implements Callable<Integer> {

    private static final int DEAD_PEER_TIMEOUT_MS = 10_000;
    private static final int MAX_MESSAGE_BYTES = 1_200;
    private static final int MAX_PER_SECOND = 1_000;
    private static final DemoTraffic WARM_UP = new DemoTraffic(1, 1_000, 100, 1_000);
    private static final int POLL_MS = 200;
    /** Time in milliseconds between connecting all contenders and sending the first message. */
    private static final int BEGIN_MS = 200;
    /** Maximum time in seconds to wait for outstanding messages after the last scheduled send time. */
    private static final int PATIENCE_SECONDS = 60;
    private static final long NOTABLE_STALL_MS = 30;
    private static final double SHOWN_PERCENTILE = 99;

    @Mixin
    private final LinkOptions link = new LinkOptions();

    @Option(names = "--presets", split = ",", paramLabel = "NAME",
        description = "Presets to compare, of ${COMPLETION-CANDIDATES} (default: normal,fast3).")
    private List<Preset> presets = List.of(Preset.NORMAL, Preset.FAST3);

    @Option(names = "--fec", paramLabel = "DATA:PARITY",
        description = "FEC shape with which the last preset is measured again, or 'none' (default: ${DEFAULT-VALUE}).")
    private String fec = "1:1";

    @Option(names = "--no-tcp", negatable = true, description = "Do not measure TCP, which requires root and linkemu of src/interop/link.")
    private boolean tcp = true;

    @Option(names = "--crypt", paramLabel = "NAME", description = "Cipher, as named by kcptun (default: ${DEFAULT-VALUE}, no cipher).")
    private String cipherName = WireOptions.NO_CIPHER;

    @Option(names = "--key", paramLabel = "PASSWORD", description = "Password from which the key is derived (default: ${DEFAULT-VALUE}).")
    private String password = "demo";

    @Option(names = "--players", paramLabel = "N", description = "Sessions of each preset (default: ${DEFAULT-VALUE}).")
    private int players = 10;

    @Option(names = "--rate", paramLabel = "N", description = "Messages per second of each player (default: ${DEFAULT-VALUE}).")
    private double rate = 10;

    @Option(names = "--bytes", paramLabel = "N", description = "Size of a message (default: ${DEFAULT-VALUE}).")
    private int messageBytes = 200;

    @Option(names = "--seconds", paramLabel = "N", description = "Seconds during which messages are sent (default: ${DEFAULT-VALUE}).")
    private int seconds = 30;

    @Option(names = "--mode", paramLabel = "NAME",
        description = "Transfer mode of KCP: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private KcpTransferMode mode = KcpTransferMode.MESSAGE;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random packet loss (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--report", paramLabel = "FILE", description = "HTML file for the report (default: ${DEFAULT-VALUE}).")
    private Path report = Path.of("target", "kcp-demo.html");

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public Demo() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        Launcher.main(new Demo(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        DemoTraffic traffic = traffic();
        PrintWriter out = Launcher.out(spec);
        LinkConditions conditions = link.conditions();
        String setup = String.format(Locale.ROOT,
            "%d players send %s messages of %d bytes per second for %d s over a link with %s; %s mode",
            players, LinkConditions.plain(rate), messageBytes, seconds, conditions, mode.toString().toLowerCase(Locale.ROOT));
        out.println(setup);
        Path linkemu = TunLink.findProgram();
        String obstacle = tcp ? TunLink.obstacle(linkemu, conditions) : "--no-tcp";
        if (obstacle != null) {
            out.println("TCP is not measured: " + obstacle);
        }
        out.flush();
        List<DemoResult> results = run(traffic, conditions, obstacle == null ? linkemu : null, out);
        String sentence = DemoSummary.sentence(results, conditions);
        out.println();
        ResultTable.lines(results).forEach(out::println);
        out.println();
        ResultTable.LEGEND.forEach(out::println);
        new DemoReport(setup, results, sentence).write(report);
        out.println();
        out.println(sentence);
        out.println("Report: " + report.toAbsolutePath().normalize().toUri());
        out.flush();
        return 0;
    }

    private DemoTraffic traffic() {
        if (!(rate > 0 && rate <= MAX_PER_SECOND)) {
            throw new IllegalArgumentException("--rate: " + rate + " (expected: above 0, at most " + MAX_PER_SECOND + " per second)");
        }
        if (messageBytes < 1 || messageBytes > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("--bytes: " + messageBytes + " (expected: 1 to " + MAX_MESSAGE_BYTES + ')');
        }
        if (players < 1 || players > TcpMessages.MAX_PLAYERS) {
            throw new IllegalArgumentException("--players: " + players + " (expected: 1 to " + TcpMessages.MAX_PLAYERS + ')');
        }
        if (seconds < 1) {
            throw new IllegalArgumentException("--seconds: " + seconds + " (expected: at least 1)");
        }
        return new DemoTraffic(players, (int) Math.max(1, Math.min(Integer.MAX_VALUE, seconds * rate)), messageBytes, rate);
    }

    private List<DemoResult> run(DemoTraffic traffic, LinkConditions conditions, @Nullable Path linkemu, PrintWriter out)
        throws IOException, InterruptedException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        List<DemoRun> runs = new ArrayList<>();
        try {
            warmUp(group);
            if (linkemu != null) {
                runs.add(new TcpRun(linkemu, conditions, seed, traffic));
            }
            for (Variant variant : variants()) {
                runs.add(new KcpRun(group, variant, config(variant.preset()), crypto(), conditions, seed, traffic));
            }
            begin(runs);
            try (ProgressBar progress = Launcher.progressBar(out).setUnit(" s", 1).hideEta().setInitialMax(seconds).build()) {
                await(runs, elapsedSeconds -> progress.setExtraMessage(p99(runs)).stepTo(Math.min(elapsedSeconds, seconds)));
            }
            warnOfStalls(runs, out);
            List<DemoResult> results = new ArrayList<>();
            for (DemoRun run : runs) {
                results.add(new DemoResult(run.name(), run.delays(), run.wireBytes()));
            }
            return results;
        } finally {
            runs.forEach(DemoRun::close);
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** Warms up the JVM, so that class loading and compilation do not delay the first measured messages. */
    private void warmUp(EventLoopGroup group) throws IOException, InterruptedException {
        Variant variant = new Variant(Preset.FAST3, new FecShape(10, 3));
        try (KcpRun run = new KcpRun(group, variant, config(Preset.FAST3), crypto(), new LinkConditions(1, 1, 1, 1, 1), seed, WARM_UP)) {
            begin(List.of(run));
            await(List.of(run), elapsedSeconds -> { });
        }
    }

    private static void begin(List<? extends DemoRun> runs) throws IOException {
        long atNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BEGIN_MS);
        for (DemoRun run : runs) {
            run.begin(atNanos);
        }
    }

    private static void await(List<? extends DemoRun> runs, IntConsumer progressSeconds) throws IOException, InterruptedException {
        DemoTraffic traffic = runs.get(0).recorders().get(0).traffic();
        long startNanos = System.nanoTime();
        double patienceSeconds = traffic.seconds() + PATIENCE_SECONDS;
        while (!runs.stream().allMatch(run -> run.delivered() == run.messages())) {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
            double elapsedSeconds = (System.nanoTime() - startNanos) / 1e9;
            for (DemoRun run : runs) {
                run.check();
                if (elapsedSeconds > patienceSeconds && run.delivered() < run.messages()) {
                    throw new IOException(run.name() + " delivered " + run.delivered() + " of " + run.messages()
                        + " messages in " + Math.round(elapsedSeconds) + " s (the link may lose too many datagrams)");
                }
            }
            progressSeconds.accept((int) elapsedSeconds);
        }
    }

    private static String p99(List<DemoRun> runs) {
        return runs.stream().map(run -> run.shortName() + ' ' + Math.round(run.delays().percentileMs(SHOWN_PERCENTILE)))
            .collect(Collectors.joining(", ", "p99 ms: ", ""));
    }

    private static void warnOfStalls(List<DemoRun> runs, PrintWriter out) {
        long stallMs = runs.stream().mapToLong(DemoRun::longestStallMs).max().orElse(0);
        if (stallMs >= NOTABLE_STALL_MS) {
            out.println("This computer was busy and sent a message " + stallMs
                + " ms late. Run the demo again when the computer is idle.");
        }
    }

    private List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        presets.forEach(preset -> variants.add(new Variant(preset, null)));
        if (!fec.equals("none")) {
            variants.add(new Variant(presets.get(presets.size() - 1), FecShape.parse(fec)));
        }
        return variants;
    }

    private @Nullable CryptoConfig crypto() {
        return cipherName.equals(WireOptions.NO_CIPHER) ? null : CryptoConfig.kcptun(cipherName, password);
    }

    private KcpConfig config(Preset preset) {
        return preset.config().toBuilder().mode(mode).deadPeerTimeoutMs(DEAD_PEER_TIMEOUT_MS).build();
    }
}
