package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpMode;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command-line options shared by all examples that bind or connect to one address. */
final class SessionOptions {

    @SuppressWarnings("unused")
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
    private boolean helpRequested;

    @Option(names = "--host", paramLabel = "NAME", description = "Address to bind or to connect to (default: ${DEFAULT-VALUE}).")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "N", description = "UDP port (default: ${DEFAULT-VALUE}).")
    private int port = 9000;

    @Option(names = "--preset", paramLabel = "NAME",
        description = "Protocol preset: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Preset preset = Preset.FAST;

    @Option(names = "--mode", paramLabel = "NAME",
        description = "Transfer mode of this side: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private KcpMode mode;

    @Option(names = "--window", paramLabel = "SEGMENTS",
        description = "Send and receive window in segments, except with the preset auto, whose windows grow (default: ${DEFAULT-VALUE}).")
    private int window = 128;

    @Option(names = "--mtu", paramLabel = "BYTES", description = "Maximum UDP payload (default: ${DEFAULT-VALUE}).")
    private int mtu = 1400;

    @Option(names = "--timeout", paramLabel = "SECONDS",
        description = "Time without a response after which the peer is considered lost (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds = 10;

    @Option(names = "--transport", paramLabel = "NAME",
        description = "Netty transport: ${COMPLETION-CANDIDATES} (default: the best available one).")
    private @Nullable KcpTransport transport;

    @Mixin
    private final WireOptions wire = new WireOptions();

    SessionOptions(KcpMode mode, int window) {
        this.mode = mode;
        this.window = window;
    }

    /** Creates options with another default preset. */
    SessionOptions(KcpMode mode, int window, Preset preset) {
        this(mode, window);
        this.preset = preset;
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    int timeoutMs() {
        return Math.multiplyExact(timeoutSeconds, 1000);
    }

    KcpConfig config() {
        KcpConfigBuilder builder = preset.config().toBuilder().mode(mode).mtuBytes(mtu).deadPeerTimeoutMs(timeoutMs());
        return preset == Preset.AUTO ? builder.build() : builder.windows(window).build();
    }

    KcpServerBootstrap newServer(EventLoopGroup group) {
        return wire.apply(new KcpServerBootstrap().group(group).config(config()));
    }

    KcpBootstrap newClient(EventLoopGroup group) {
        return wire.apply(new KcpBootstrap().group(group).config(config()));
    }

    EventLoopGroup newEventLoops() {
        KcpTransport chosen = transport != null ? transport : KcpTransport.best();
        if (!chosen.isAvailable()) {
            throw new IllegalArgumentException("--transport " + chosen + " is not available. Add the Netty artifact of "
                + chosen + " to the class path, or omit the option to use " + KcpTransport.best() + '.');
        }
        return new MultiThreadIoEventLoopGroup(chosen.ioHandlerFactory());
    }
}
