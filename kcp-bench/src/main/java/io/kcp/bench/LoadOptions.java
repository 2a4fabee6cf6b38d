package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpMode;
import io.kcp.netty.AbstractKcpBuilder;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Command-line options that the server and the client of {@link KcpLoad} have in common. The defaults are those of the programs in
 * {@code src/interop}.
 */
final class LoadOptions {

    /**
     * Values of {@code --gso} and {@code --gro}. These options are not boolean, because picocli treats boolean options as flags without a
     * value.
     */
    enum Offload { ON, OFF }

    /** Maximum number of server sessions, more than any scenario needs. The default would reject sessions with a small heap. */
    static final int MAX_SESSIONS = 1 << 20;

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "address of the server (${DEFAULT-VALUE})")
    String host = "";

    @Option(names = "--transport", description = "EPOLL, IO_URING, KQUEUE or NIO (the best one available)")
    KcpTransport transport = KcpTransport.best();

    @Option(names = "--threads", defaultValue = "1", description = "number of event loops (${DEFAULT-VALUE})")
    int threads;

    @Option(names = "--mode", description = "STREAM or MESSAGE (${DEFAULT-VALUE})")
    KcpMode mode = KcpMode.STREAM;

    @Option(names = "--nodelay", defaultValue = "1", description = "KCP's nodelay: 0 or 1 (${DEFAULT-VALUE})")
    int noDelay;

    @Option(names = "--interval", defaultValue = "10", description = "KCP's interval in milliseconds (${DEFAULT-VALUE})")
    int intervalMs;

    @Option(names = "--resend", defaultValue = "2",
        description = "KCP's resend: acknowledgements of later segments that trigger a fast retransmission, 0 for none (${DEFAULT-VALUE})")
    int fastResend;

    @Option(names = "--nc", defaultValue = "1", description = "KCP's nc: 1 turns congestion control off (${DEFAULT-VALUE})")
    int noCongestionControl;

    @Option(names = "--congestion-control", description = "NONE, CUBIC, BBR or KCP_GO; replaces --nc")
    @Nullable CongestionAlgorithm congestionControl;

    @Option(names = "--auto", description = "use KcpConfig.auto() instead of --nodelay, --interval, --resend, --nc and --window")
    boolean auto;

    @Option(names = "--window", defaultValue = "1024", description = "send and receive window in segments (${DEFAULT-VALUE})")
    int windowSegments;

    @Option(names = "--mtu", defaultValue = "1400", description = "MTU in bytes (${DEFAULT-VALUE})")
    int mtuBytes;

    @Option(names = "--acknodelay", defaultValue = "true", arity = "1",
        description = "true: send acknowledgements at the end of each read batch (${DEFAULT-VALUE})")
    boolean ackNoDelay;

    @Option(names = "--kcp-go-timing", description = "use the timeouts and acknowledgements of kcp-go")
    boolean kcpGoTiming;

    @Option(names = "--keepalive-ms", description = "keepalive interval in milliseconds, 0 for none (the library's default)")
    @Nullable Integer keepaliveMs;

    @Option(names = "--idle-timeout-ms", description = "idle timeout in milliseconds, 0 for none (the library's default)")
    @Nullable Integer idleTimeoutMs;

    @Option(names = "--gso", defaultValue = "on", description = "on or off: generic segmentation offload for sending (${DEFAULT-VALUE})")
    Offload gso = Offload.ON;

    @Option(names = "--gro", defaultValue = "on", description = "on or off: generic receive offload (${DEFAULT-VALUE})")
    Offload gro = Offload.ON;

    @Option(names = "--spin", description = "busy-poll sockets instead of blocking event loops")
    boolean spin;

    @Option(names = "--block", description = "block event loops as soon as they have nothing to do, instead of polling for up to 25 µs")
    boolean block;

    @Option(names = "--protocol", defaultValue = "KCP", description = "packets: KCP or TCP (${DEFAULT-VALUE})")
    PacketTransport.Protocol protocol = PacketTransport.Protocol.KCP;

    @Option(names = "--flush-delay-us", defaultValue = "1000",
        description = "packets: delay of FlushCoalescer in microseconds, 0 to flush immediately (${DEFAULT-VALUE})")
    long flushDelayUs;

    @Option(names = "--blocking", description = "echo: use blocking sockets, in virtual threads if the JDK has them")
    boolean blocking;

    @Option(names = "--quiet", description = "do not print progress to standard error")
    boolean quiet;

    @Option(names = "--histogram", defaultValue = "0",
        description = "number of classes that grew most between two \"memory\" commands to print to standard error (${DEFAULT-VALUE})")
    int histogramRows;

    @Mixin
    WireLayers layers = new WireLayers();

    KcpServerBootstrap newServer(EventLoopGroup group) {
        KcpServerBootstrap server = configure(new KcpServerBootstrap()).group(group).maxSessions(MAX_SESSIONS);
        sessionOptions().forEach((option, value) -> server.childOption(cast(option), value));
        return server;
    }

    KcpBootstrap newClient(EventLoopGroup group) {
        KcpBootstrap client = configure(new KcpBootstrap()).group(group);
        sessionOptions().forEach((option, value) -> client.option(cast(option), value));
        return client;
    }

    private <B extends AbstractKcpBuilder<B>> B configure(B bootstrap) {
        bootstrap.crypto(layers.crypto()).fec(layers.fec()).gro(gro == Offload.ON);
        return gso == Offload.OFF ? bootstrap.gsoDatagrams(1) : bootstrap;
    }

    /** Returns the channel options of each session. */
    Map<ChannelOption<?>, Object> sessionOptions() {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>();
        options.put(KcpChannelOption.KCP_CONFIG, config());
        if (keepaliveMs != null) {
            options.put(KcpChannelOption.KEEPALIVE_MS, keepaliveMs);
        }
        if (idleTimeoutMs != null) {
            options.put(KcpChannelOption.IDLE_TIMEOUT_MS, idleTimeoutMs);
        }
        return options;
    }

    @SuppressWarnings("unchecked")
    private static ChannelOption<Object> cast(ChannelOption<?> option) {
        return (ChannelOption<Object>) option;
    }

    MultiThreadIoEventLoopGroup newGroup() {
        return new MultiThreadIoEventLoopGroup(threads,
            spin ? transport.spinningIoHandlerFactory() : block ? transport.sleepingIoHandlerFactory() : transport.ioHandlerFactory());
    }

    KcpConfig config() {
        if (auto) {
            return KcpConfig.auto().toBuilder().mtuBytes(mtuBytes).mode(mode).build();
        }
        CongestionAlgorithm algorithm = congestionControl != null ? congestionControl
            : noCongestionControl == 1 ? CongestionAlgorithm.NONE : CongestionAlgorithm.KCP_GO;
        KcpConfigBuilder builder = kcpGoTiming ? KcpConfig.kcpGoCompatible().toBuilder() : KcpConfig.builder();
        return builder.noDelay(noDelay == 1, intervalMs, fastResend, algorithm).windows(windowSegments)
            .mtuBytes(mtuBytes).mode(mode).ackNoDelay(ackNoDelay && !kcpGoTiming).build();
    }
}
