package io.kcp.tools.command;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that bind or connect to one address. Picocli sets them. */
public final class SessionOptions {

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
    private KcpTransferMode mode;

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

    /**
     * Creates options with their defaults.
     *
     * @param mode   the default mode
     * @param window the default windows in segments
     */
    public SessionOptions(KcpTransferMode mode, int window) {
        this.mode = mode;
        this.window = window;
    }

    /**
     * Creates options with another default preset.
     *
     * @param mode   the default mode
     * @param window the default windows in segments
     * @param preset the default preset
     */
    public SessionOptions(KcpTransferMode mode, int window, Preset preset) {
        this(mode, window);
        this.preset = preset;
    }

    /**
     * Returns the address to bind or to connect to.
     *
     * @return a host name or address
     */
    public String host() {
        return host;
    }

    /**
     * Returns the UDP port.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * Returns the time without a response after which the peer is considered lost.
     *
     * @return milliseconds
     */
    public int timeoutMs() {
        return Math.multiplyExact(timeoutSeconds, 1000);
    }

    /**
     * Returns the settings of a session.
     *
     * @return the settings
     */
    public KcpConfig config() {
        KcpConfigBuilder builder = preset.config().toBuilder().mode(mode).mtuBytes(mtu).deadPeerTimeoutMs(timeoutMs());
        return preset == Preset.AUTO ? builder.build() : builder.windows(window).build();
    }

    /**
     * Creates a server with these options.
     *
     * @param group its event loops
     * @return the bootstrap of the server
     */
    public KcpServerBootstrap newServer(EventLoopGroup group) {
        return wire.apply(new KcpServerBootstrap().group(group).config(config()));
    }

    /**
     * Creates a client with these options.
     *
     * @param group its event loops
     * @return the bootstrap of the client
     */
    public KcpBootstrap newClient(EventLoopGroup group) {
        return wire.apply(new KcpBootstrap().group(group).config(config()));
    }

    /**
     * Creates event loops of the chosen transport. The caller shuts them down.
     *
     * @return the event loops
     */
    public EventLoopGroup newEventLoops() {
        KcpTransport chosen = transport != null ? transport : KcpTransport.best();
        if (!chosen.isAvailable()) {
            throw new IllegalArgumentException("--transport " + chosen + " is not available. Add the Netty artifact of "
                + chosen + " to the class path, or omit the option to use " + KcpTransport.best() + '.');
        }
        return new MultiThreadIoEventLoopGroup(chosen.ioHandlerFactory());
    }
}
