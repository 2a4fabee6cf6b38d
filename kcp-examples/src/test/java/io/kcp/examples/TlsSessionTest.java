package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS works inside a session, as documents say: Netty's handler in its pipeline, in either mode. */
@Timeout(60)
class TlsSessionTest {

    private static final int BYTES = 300_000;

    @ParameterizedTest
    @EnumSource(KcpMode.class)
    void whatIsWrittenUnderTlsComesBack(KcpMode mode) throws Exception {
        X509Bundle certificate = new CertificateBuilder().subject("CN=localhost").addSanDnsName("localhost")
            .setIsCertificateAuthority(true).buildSelfSigned();
        SslContext serverTls = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
        SslContext clientTls = SslContextBuilder.forClient().trustManager(certificate.getCertificate()).build();
        KcpConfig config = KcpConfig.fast3().toBuilder().mode(mode).build();
        CompletableFuture<Integer> returned = new CompletableFuture<>();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        try {
            Channel server = new KcpServerBootstrap().group(group).config(config).childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(serverTls.newHandler(session.alloc()), new Echo());
                }
            }).bind("127.0.0.1", 0).sync().channel();
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            Channel session = new KcpBootstrap().group(group).config(config).handler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(clientTls.newHandler(session.alloc(), "localhost", port), new Count(returned));
                }
            }).connect("127.0.0.1", port).sync().channel();
            session.writeAndFlush(session.alloc().buffer(BYTES).writeZero(BYTES)).sync();
            assertThat(returned.get(30, TimeUnit.SECONDS)).isEqualTo(BYTES);
            session.close().sync();
            server.close().sync();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static final class Echo extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            context.writeAndFlush(bytes.retain());
        }
    }

    private static final class Count extends SimpleChannelInboundHandler<ByteBuf> {

        private final CompletableFuture<Integer> whole;
        private int received;

        Count(CompletableFuture<Integer> whole) {
            this.whole = whole;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            received += bytes.readableBytes();
            if (received >= BYTES) {
                whole.complete(received);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            whole.completeExceptionally(cause);
        }
    }
}
