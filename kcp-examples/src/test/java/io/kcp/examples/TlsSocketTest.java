package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.blocking.KcpServerSocket;
import io.kcp.netty.blocking.KcpSocket;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A blocking socket detects the end of the data when its peer closes TLS. */
@Timeout(60)
class TlsSocketTest {

    private static ChannelHandler tls(SslContext context) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel session) {
                session.pipeline().addLast(context.newHandler(session.alloc()));
            }

            @Override
            public boolean isSharable() {
                return true;
            }
        };
    }

    @Test
    void readReturnsTheEndAfterCloseNotify() throws Exception {
        X509Bundle certificate = new CertificateBuilder().subject("CN=localhost").setIsCertificateAuthority(true).buildSelfSigned();
        SslContext serverTls = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
        SslContext clientTls = SslContextBuilder.forClient().trustManager(certificate.getCertificate())
            .endpointIdentificationAlgorithm(null).build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.NIO.ioHandlerFactory());
        try (KcpServerSocket server = KcpServerSocket.bind(new KcpServerBootstrap().group(group),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), tls(serverTls))) {
            KcpSocket client = KcpSocket.connect(new KcpBootstrap().group(group), server.localAddress(), tls(clientTls));
            client.getOutputStream().write("request".getBytes(StandardCharsets.US_ASCII));
            try (KcpSocket accepted = server.accept(Duration.ofSeconds(30))) {
                assertThat(accepted.getInputStream().readNBytes(7)).asString(StandardCharsets.US_ASCII).isEqualTo("request");
                client.close();
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
