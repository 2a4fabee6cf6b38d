package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
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
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options that both ends of a load have. The defaults are those of the live peers in {@code src/interop}. */
final class LoadOptions {

    /** What is left to the kernel. Not a boolean: picocli takes that for a flag. */
    enum Offload { ON, OFF }

    /** Reads what an offload is set to. */
    static final class OnOff implements ITypeConverter<Offload> {

        @Override
        public Offload convert(String value) {
            return switch (value) {
                case "on" -> Offload.ON;
                case "off" -> Offload.OFF;
                default -> throw new TypeConversionException("expected on or off, not " + value);
            };
        }
    }

    /** More than any scenario opens, because the default follows from the heap and would refuse sessions under -Xmx1g. */
    private static final int MAX_SESSIONS = 1 << 20;

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "address of the server (${DEFAULT-VALUE})")
    String host = "";

    @Option(names = "--transport", description = "EPOLL, IO_URING, KQUEUE or NIO (the best there is)")
    KcpTransport transport = KcpTransport.best();

    @Option(names = "--threads", defaultValue = "1", description = "event loops (${DEFAULT-VALUE})")
    int threads;

    @Option(names = "--mode", description = "STREAM or MESSAGE (${DEFAULT-VALUE})")
    KcpMode mode = KcpMode.STREAM;

    @Option(names = "--nodelay", defaultValue = "1", description = "0 or 1 (${DEFAULT-VALUE})")
    int noDelay;

    @Option(names = "--interval", defaultValue = "10", description = "milliseconds (${DEFAULT-VALUE})")
    int intervalMs;

    @Option(names = "--resend", defaultValue = "2", description = "skips that mean a loss, 0 for never (${DEFAULT-VALUE})")
    int fastResend;

    @Option(names = "--nc", defaultValue = "1", description = "1 for no congestion control (${DEFAULT-VALUE})")
    int noCongestionControl;

    @Option(names = "--window", defaultValue = "1024", description = "both windows, in segments (${DEFAULT-VALUE})")
    int windowSegments;

    @Option(names = "--mtu", defaultValue = "1400", description = "bytes (${DEFAULT-VALUE})")
    int mtuBytes;

    @Option(names = "--acknodelay", defaultValue = "true", arity = "1",
        description = "whether acknowledgements leave when a batch ends (${DEFAULT-VALUE})")
    boolean ackNoDelay;

    @Option(names = "--keepalive-ms", description = "0 for never (the library's default)")
    @Nullable Integer keepaliveMs;

    @Option(names = "--idle-timeout-ms", description = "0 for never (the library's default)")
    @Nullable Integer idleTimeoutMs;

    @Option(names = "--gso", converter = OnOff.class, defaultValue = "on",
        description = "on or off: runs of datagrams leave as one (${DEFAULT-VALUE})")
    Offload gso = Offload.ON;

    @Option(names = "--gro", converter = OnOff.class, defaultValue = "on",
        description = "on or off: runs of datagrams arrive as one (${DEFAULT-VALUE})")
    Offload gro = Offload.ON;

    @Option(names = "--spin", description = "event loops never sleep")
    boolean spin;

    @Option(names = "--quiet", description = "no progress on standard error")
    boolean quiet;

    @Option(names = "--histogram", defaultValue = "0",
        description = "classes to list on standard error that grew most between two \"memory\" lines (${DEFAULT-VALUE})")
    int histogramRows;

    @Mixin
    WireLayers layers = new WireLayers();

    KcpServerBootstrap newServer(EventLoopGroup group) {
        KcpServerBootstrap server =
            layers.apply(new KcpServerBootstrap().group(group).gro(gro == Offload.ON).maxSessions(MAX_SESSIONS));
        if (gso == Offload.OFF) {
            server.gsoDatagrams(1);
        }
        sessionOptions().forEach((option, value) -> server.childOption(cast(option), value));
        return server;
    }

    KcpBootstrap newClient(EventLoopGroup group) {
        KcpBootstrap client = layers.apply(new KcpBootstrap().group(group).gro(gro == Offload.ON));
        if (gso == Offload.OFF) {
            client.gsoDatagrams(1);
        }
        sessionOptions().forEach((option, value) -> client.option(cast(option), value));
        return client;
    }

    /** What is set on each session. */
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
    static ChannelOption<Object> cast(ChannelOption<?> option) {
        return (ChannelOption<Object>) option;
    }

    MultiThreadIoEventLoopGroup newGroup() {
        return new MultiThreadIoEventLoopGroup(threads,
            spin ? transport.spinningIoHandlerFactory() : transport.ioHandlerFactory());
    }

    KcpConfig config() {
        CongestionAlgorithm congestionControl = noCongestionControl == 1 ? CongestionAlgorithm.NONE : CongestionAlgorithm.KCP_GO;
        return KcpConfig.builder().noDelay(noDelay == 1, intervalMs, fastResend, congestionControl).windows(windowSegments)
            .mtuBytes(mtuBytes).mode(mode).ackNoDelay(ackNoDelay).build();
    }
}
