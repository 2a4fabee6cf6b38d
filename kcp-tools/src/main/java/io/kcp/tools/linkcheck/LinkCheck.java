package io.kcp.tools.linkcheck;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.Preset;
import io.kcp.tools.command.SessionOptions;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures the link to a server that echoes what it receives, such as {@link EchoCommand} or an echo server of kcp-go, and prints what
 * {@link KcpConfig#auto()} chooses on the link, and fixed settings that fit it. Sends small messages first, and then as much
 * data as the link takes.
 */
@Command(name = "link-check", description = "Measures the link to an echo server for some seconds, and recommends settings.")
public final class LinkCheck implements Callable<Integer> {

    private static final int MIN_SECONDS = 5;

    @Mixin
    private final SessionOptions options = new SessionOptions(KcpTransferMode.STREAM, 2_048, Preset.AUTO);

    @Option(names = "--seconds", paramLabel = "N", description = "Duration of the measurement (default: ${DEFAULT-VALUE}).")
    private int seconds = 20;

    @Option(names = "--picture", paramLabel = "FILE", description = "SVG file for the picture (default: ${DEFAULT-VALUE}).")
    private Path picture = Path.of("link-check.svg");

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public LinkCheck() {
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = Launcher.out(spec);
        if (seconds < MIN_SECONDS) {
            throw new IllegalArgumentException("--seconds: " + seconds + " (expected: at least " + MIN_SECONDS + ')');
        }
        Path folder = picture.toAbsolutePath().getParent();
        if (folder != null && Files.isDirectory(folder) && !Files.isWritable(folder)) {
            throw new IllegalArgumentException("--picture: " + picture + " (expected: a file in a writable folder, unlike " + folder + ')');
        }
        InetSocketAddress server = new InetSocketAddress(options.host(), options.port());
        if (server.isUnresolved()) {
            throw new IOException("Unknown host " + options.host() + ". Check --host.");
        }
        // Copies would conceal losses, and a larger MTU would change the number of datagrams during the measurement.
        KcpConfig config = options.config().toBuilder().congestionControl(CongestionAlgorithm.BBR).redundancy(Redundancy.OFF)
            .mtuSearchLimitBytes(0).build();
        EventLoopGroup group = options.newEventLoops();
        try (LinkProbe probe = new LinkProbe(options.newClient(group), config, server, seconds)) {
            probe.awaitFirstEcho(options.timeoutMs());
            LinkMeasurement link;
            try (ProgressBar progress = Launcher.progressBar(out).setUnit(" s", 1).hideEta().setInitialMax(seconds).build()) {
                link = probe.measure(elapsedSeconds -> progress.stepTo(Math.min(elapsedSeconds, seconds)));
                progress.stepTo(seconds);
            }
            String address = options.host() + ':' + options.port();
            out.println();
            out.println("Link to " + address);
            LinkCheckReport.measurements(link).forEach(out::println);
            out.println();
            out.println("What KcpConfig.auto() chooses on this link");
            AutoChoice auto = new AutoChoice(link);
            LinkCheckReport.advice(auto.all()).forEach(out::println);
            out.println();
            out.println("Fixed settings that fit this link");
            LinkCheckReport.advice(new LinkAdvice(link).all()).forEach(out::println);
            new LinkChart("Link to " + address, auto.summary(), probe.samples()).write(picture);
            out.println();
            out.println("Picture: " + picture.toAbsolutePath().normalize().toUri());
            out.flush();
            return 0;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }
}
