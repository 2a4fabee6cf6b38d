package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that both ends of {@link KcpDelay} have; the KCP settings are those of every comparison. */
final class DelayOptions {

    private static final int INTERVAL_MS = 10;
    private static final int FAST_RESEND = 2;

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "address of the server (${DEFAULT-VALUE})")
    String host = "";

    @Option(names = "--transport", description = "EPOLL, IO_URING, KQUEUE or NIO (the best there is)")
    KcpTransport transport = KcpTransport.best();

    @Option(names = "--write-bytes", defaultValue = "200", description = "size of a message (${DEFAULT-VALUE})")
    int messageBytes;

    @Option(names = "--window", defaultValue = "1024", description = "both windows, in segments (${DEFAULT-VALUE})")
    int windowSegments;

    @Option(names = "--mtu", defaultValue = "1400", description = "bytes (${DEFAULT-VALUE})")
    int mtuBytes;

    @Option(names = "--fec", description = "parity that both ends send, for instance 10:3 (none)")
    @Nullable String fecShape;

    MultiThreadIoEventLoopGroup newGroup() {
        return new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
    }

    KcpServerBootstrap newServer(EventLoopGroup group) {
        KcpServerBootstrap server = new KcpServerBootstrap().group(group).config(config());
        return fecShape == null ? server : server.fec(FecConfig.of(FecShape.parse(fecShape)));
    }

    KcpBootstrap newClient(EventLoopGroup group) {
        KcpBootstrap client = new KcpBootstrap().group(group).config(config());
        return fecShape == null ? client : client.fec(FecConfig.of(FecShape.parse(fecShape)));
    }

    private KcpConfig config() {
        return KcpConfig.builder().noDelay(true, INTERVAL_MS, FAST_RESEND, CongestionAlgorithm.NONE).windows(windowSegments)
            .mtuBytes(mtuBytes).mode(KcpMode.MESSAGE).ackNoDelay(true).build();
    }
}
