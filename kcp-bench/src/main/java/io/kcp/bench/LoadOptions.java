package io.kcp.bench;

import io.kcp.bench.rig.KcpSettings;
import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.AbstractKcpBuilder;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command-line options of this library that the server and the client of {@link KcpLoad} have in common. */
final class LoadOptions {

    /** Values of the {@code --protocol} option. */
    enum PacketTransport { KCP, TCP }

    /**
     * Values of {@code --gso} and {@code --gro}. These options are not boolean, because picocli treats boolean options as flags without a
     * value.
     */
    enum Offload { ON, OFF }

    /** Maximum number of server sessions, more than any scenario needs. The default would reject sessions with a small heap. */
    static final int MAX_SESSIONS = 1 << 20;

    @Option(names = "--transport", description = "EPOLL, IO_URING, KQUEUE or NIO (the best one available)")
    KcpTransport transport = KcpTransport.best();

    @Option(names = "--mode", description = "STREAM or MESSAGE (${DEFAULT-VALUE})")
    KcpTransferMode mode = KcpTransferMode.STREAM;

    @Option(names = "--congestion-control", description = "NONE, CUBIC, BBR or KCP_GO; replaces --nc")
    @Nullable CongestionAlgorithm congestionControl;

    @Option(names = "--auto", description = "use KcpConfig.auto() instead of --nodelay, --interval, --resend, --nc and --window")
    boolean auto;

    @Option(names = "--redundancy", description = "OFF, ADAPTIVE or ON: copies of segments in datagrams that are sent anyway (OFF)")
    Redundancy redundancy = Redundancy.OFF;

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
    PacketTransport protocol = PacketTransport.KCP;

    @Option(names = "--flush-delay-us", defaultValue = "1000",
        description = "packets: delay of FlushCoalescer in microseconds, 0 to flush immediately (${DEFAULT-VALUE})")
    long flushDelayUs;

    @Option(names = "--blocking", description = "echo: use blocking sockets, in virtual threads if the JDK has them")
    boolean blocking;

    @Mixin
    KcpSettings kcp = new KcpSettings();

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

    MultiThreadIoEventLoopGroup newGroup(int threads) {
        return new MultiThreadIoEventLoopGroup(threads,
            spin ? transport.spinningIoHandlerFactory() : block ? transport.sleepingIoHandlerFactory() : transport.ioHandlerFactory());
    }

    KcpConfig config() {
        if (auto) {
            return KcpConfig.auto().toBuilder().mtuBytes(kcp.mtuBytes).mode(mode).build();
        }
        CongestionAlgorithm algorithm = congestionControl != null ? congestionControl
            : kcp.noCongestionControl == 1 ? CongestionAlgorithm.NONE : CongestionAlgorithm.KCP_GO;
        KcpConfigBuilder builder = kcpGoTiming ? KcpConfig.kcpGoCompatible().toBuilder() : KcpConfig.builder();
        return builder.noDelay(kcp.noDelay == 1, kcp.intervalMs, kcp.fastResend, algorithm).windows(kcp.windowSegments)
            .mtuBytes(kcp.mtuBytes).mode(mode).ackNoDelay(ackNoDelay && !kcpGoTiming).redundancy(redundancy).build();
    }
}
