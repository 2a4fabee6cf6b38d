package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Sends a file through a bad link with one preset after the other, all in this process, and shows how long its parts took:
 * a table here and a picture in an HTML file.
 */
@Command(name = "demo", description = "Sends a file through a bad link with several presets and compares them.")
public final class Demo implements Callable<Integer> {

    private static final int CHUNK_BYTES = 1024;
    private static final int DEAD_PEER_TIMEOUT_MS = 10_000;
    private static final int WARM_UP_BYTES = 1 << 20;
    private static final int MEGA = 1_000_000;

    @Mixin
    private final LinkOptions link = new LinkOptions();

    @Option(names = "--presets", split = ",", paramLabel = "NAME",
        description = "Presets to compare, of ${COMPLETION-CANDIDATES} (default: normal,fast,fast3).")
    private List<Preset> presets = List.of(Preset.NORMAL, Preset.FAST, Preset.FAST3);

    @Option(names = "--fec", paramLabel = "DATA:PARITY",
        description = "The last preset runs once more with this parity, 'none' for not (default: ${DEFAULT-VALUE}).")
    private String fec = "10:3";

    @Option(names = "--crypt", paramLabel = "NAME", description = "Cipher, by kcptun's names (default: ${DEFAULT-VALUE}, no cipher).")
    private String cipherName = WireOptions.NO_CIPHER;

    @Option(names = "--key", paramLabel = "PASSWORD", description = "What the key is derived from (default: ${DEFAULT-VALUE}).")
    private String password = "demo";

    @Option(names = "--file", paramLabel = "FILE", description = "What to send (default: lib/modules of this Java).")
    private Path path = Path.of(System.getProperty("java.home"), "lib", "modules");

    @Option(names = "--size", paramLabel = "MIB", description = "How much of it at most (default: ${DEFAULT-VALUE}).")
    private int sizeMib = 16;

    @Option(names = "--rate", paramLabel = "MB/S", description = "Megabytes offered each second (default: ${DEFAULT-VALUE}).")
    private double rate = 1.5;

    @Option(names = "--mode", paramLabel = "NAME",
        description = "${COMPLETION-CANDIDATES}: whether each chunk of 1024 bytes is a message (default: ${DEFAULT-VALUE}).")
    private KcpMode mode = KcpMode.MESSAGE;

    @Option(names = "--window", paramLabel = "SEGMENTS", description = "Send and receive window (default: ${DEFAULT-VALUE}).")
    private int window = 1024;

    @Option(names = "--seed", paramLabel = "N", description = "The link's dice (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--report", paramLabel = "FILE", description = "Where the picture goes (default: ${DEFAULT-VALUE}).")
    private Path report = Path.of("target", "kcp-demo.html");

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command; picocli fills in its options. */
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
        if (!Files.isRegularFile(path) || Files.size(path) == 0) {
            throw new IOException("nothing to send in '" + path + "' (choose a file with --file)");
        }
        if (!(rate > 0) || sizeMib < 1) {
            throw new IllegalArgumentException("--rate must be more than 0, --size at least 1");
        }
        PrintWriter out = Launcher.out(spec);
        LinkConditions conditions = link.conditions();
        List<PresetResult> results;
        try (FileChannel channel = FileChannel.open(path)) {
            DemoFile file = new DemoFile(channel, String.valueOf(path.getFileName()),
                Math.min(channel.size(), (long) sizeMib << 20), CHUNK_BYTES, rate * MEGA);
            out.println("A file of " + HumanUnits.bytes(file.bytes()) + " at " + HumanUnits.rate(file.bytesPerSecond())
                + ", each way with " + conditions);
            results = run(file, conditions, out);
            out.println();
            ResultTable.lines(results).forEach(out::println);
            out.println();
            ResultTable.LEGEND.forEach(out::println);
            ResultTable.warnings(results).forEach(out::println);
            new DemoReport(file, conditions, mode, window, results).write(report);
        }
        out.println();
        out.println("The picture: " + report.toAbsolutePath().normalize().toUri());
        out.flush();
        return 0;
    }

    private List<PresetResult> run(DemoFile file, LinkConditions conditions, PrintWriter out)
        throws IOException, InterruptedException, ExecutionException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        try {
            warmUp(group, file);
            List<PresetResult> results = new ArrayList<>();
            for (Variant variant : variants()) {
                results.add(new PresetRun(group, variant, config(variant.preset()), crypto(), conditions, seed, file)
                    .run(ProgressLine.on(out, variant.toString())));
            }
            return results;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** So that the first preset does not pay for the loading of classes. */
    private void warmUp(EventLoopGroup group, DemoFile file) throws IOException, InterruptedException, ExecutionException {
        DemoFile part = new DemoFile(file.channel(), file.name(), Math.min(file.bytes(), WARM_UP_BYTES), file.chunkBytes(), MEGA);
        Variant variant = new Variant(Preset.FAST3, new FecShape(10, 3));
        new PresetRun(group, variant, config(Preset.FAST3), crypto(), new LinkConditions(1, 1, 1, 1, 1), seed, part)
            .run(ProgressLine.on(new PrintWriter(Writer.nullWriter()), ""));
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
        return preset.config().toBuilder().mode(mode).windows(window).deadPeerTimeoutMs(DEAD_PEER_TIMEOUT_MS).build();
    }
}
