package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that both ends of a transfer have. The defaults are those of the live peers in {@code src/interop}. */
final class LoadOptions {

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

    @Mixin
    WireLayers layers = new WireLayers();

    KcpServerBootstrap newServer(EventLoopGroup group) {
        return layers.apply(new KcpServerBootstrap().group(group).config(config()));
    }

    KcpBootstrap newClient(EventLoopGroup group) {
        return layers.apply(new KcpBootstrap().group(group).config(config()));
    }

    MultiThreadIoEventLoopGroup newGroup() {
        return new MultiThreadIoEventLoopGroup(threads, transport.ioHandlerFactory());
    }

    KcpConfig config() {
        CongestionAlgorithm congestionControl = noCongestionControl == 1 ? CongestionAlgorithm.NONE : CongestionAlgorithm.KCP_GO;
        return KcpConfig.builder().noDelay(noDelay == 1, intervalMs, fastResend, congestionControl).windows(windowSegments)
            .mtuBytes(mtuBytes).mode(mode).ackNoDelay(ackNoDelay).build();
    }
}
