package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS works within a session in both modes, with Netty's handler in its pipeline, as documented. */
@Timeout(60)
class TlsSessionTest {

    private static final int BYTES = 300_000;
    private static final int MAX_MESSAGE_BYTES = 64 * 1024;

    /** A server and a client that use TLS, each with additional handlers. The client sends before the handshake is complete. */
    private static final class TlsPair implements AutoCloseable {

        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
        private final Channel server;
        private final Channel session;

        TlsPair(KcpTransferMode mode, Supplier<List<ChannelHandler>> serverHandlers, Supplier<List<ChannelHandler>> clientHandlers)
            throws Exception {
            X509Bundle certificate = new CertificateBuilder().subject("CN=localhost").addSanDnsName("localhost")
                .setIsCertificateAuthority(true).buildSelfSigned();
            SslContext serverTls = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
            SslContext clientTls = SslContextBuilder.forClient().trustManager(certificate.getCertificate()).build();
            KcpConfig config = KcpConfig.fast3().toBuilder().mode(mode).build();
            server = new KcpServerBootstrap().group(group).config(config).childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    // The TLS close_notify is sent after the client has closed, so it is never acknowledged.
                    session.config().setLingerMs(100);
                    session.pipeline().addLast(serverTls.newHandler(session.alloc()));
                    serverHandlers.get().forEach(session.pipeline()::addLast);
                }
            }).bind("127.0.0.1", 0).sync().channel();
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            session = new KcpBootstrap().group(group).config(config).handler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(clientTls.newHandler(session.alloc(), "localhost", port));
                    clientHandlers.get().forEach(session.pipeline()::addLast);
                }
            }).connect("127.0.0.1", port).sync().channel();
        }

        @Override
        public void close() {
            session.close().syncUninterruptibly();
            server.close().syncUninterruptibly();
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @ParameterizedTest
    @EnumSource(KcpTransferMode.class)
    void dataWrittenThroughTlsIsEchoed(KcpTransferMode mode) throws Exception {
        CompletableFuture<Integer> returned = new CompletableFuture<>();
        try (TlsPair pair = new TlsPair(mode, () -> List.of(new Echo()), () -> List.of(new Count(returned)))) {
            pair.session.writeAndFlush(pair.session.alloc().buffer(BYTES).writeZero(BYTES)).sync();
            assertThat(returned.get(30, TimeUnit.SECONDS)).isEqualTo(BYTES);
        }
    }

    private static List<ChannelHandler> framed(ChannelHandler handler) {
        return List.of(new LengthFieldBasedFrameDecoder(MAX_MESSAGE_BYTES, 0, 4, 0, 4), new LengthFieldPrepender(4), handler);
    }

    /** TLS merges writes before the end of the handshake into one record and splits data above 16 KiB into several records. */
    @ParameterizedTest
    @EnumSource(KcpTransferMode.class)
    void lengthPrefixedMessagesKeepTheirBoundariesUnderTls(KcpTransferMode mode) throws Exception {
        List<Integer> sizes = List.of(5, 4, 40_000, 1, 0, 1_400);
        BlockingQueue<Integer> returned = new LinkedBlockingQueue<>();
        try (TlsPair pair = new TlsPair(mode, () -> framed(new Echo()), () -> framed(new Sizes(returned)))) {
            for (int bytes : sizes) {
                pair.session.write(pair.session.alloc().buffer(bytes).writeZero(bytes));
            }
            pair.session.flush();
            for (int bytes : sizes) {
                assertThat(returned.poll(30, TimeUnit.SECONDS)).isEqualTo(bytes);
            }
            assertThat(returned).isEmpty();
        }
    }

    private static final class Sizes extends SimpleChannelInboundHandler<ByteBuf> {

        private final BlockingQueue<Integer> sizes;

        Sizes(BlockingQueue<Integer> sizes) {
            this.sizes = sizes;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            sizes.add(message.readableBytes());
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
