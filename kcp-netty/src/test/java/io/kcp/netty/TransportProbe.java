package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** An echo server and client for {@link TransportJarsTest} that need no class except the library's and its dependencies'. */
public final class TransportProbe {

    private static final int PATIENCE_S = 30;

    private TransportProbe() {
    }

    /** Sends one message to an echo server and returns the transport that the client and server use. */
    public static String echo() throws Exception {
        KcpTransport transport = KcpTransport.best();
        CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "of the probe");
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, transport.ioHandlerFactory());
        try {
            KcpServerChannel server = new KcpServerBootstrap().group(group).crypto(crypto).fec(FecConfig.of(2, 1)).sharedPort(true)
                .childHandler(EchoHandler.INSTANCE).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            MessageCollector answers = new MessageCollector();
            KcpChannel client = new KcpBootstrap().group(group).crypto(crypto).fec(FecConfig.of(2, 1)).handler(answers)
                .connect(server.localAddress()).sync().channel();
            client.writeAndFlush(client.alloc().buffer().writeByte('x'));
            if (!answers.next().equals("x")) {
                throw new AssertionError("no echo");
            }
            client.close().sync();
            server.close().sync();
            return transport.name();
        } finally {
            group.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
