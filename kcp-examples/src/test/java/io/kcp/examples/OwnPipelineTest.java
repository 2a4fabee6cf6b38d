package io.kcp.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.pcap.PcapWriteHandler;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pipelines of {@code own-pipeline.md}: with a capture of the datagrams, and with {@code KcpHandler} alone. */
@Timeout(60)
class OwnPipelineTest {

    private static final CryptoConfig CRYPTO = CryptoConfig.kcptun("aes-128-gcm", "a password");
    private static final FecConfig FEC = FecConfig.of(2, 1);
    private static final int PCAP_HEADER_BYTES = 24;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    @AfterEach
    void shutDown() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void captureContainsDatagramsOfBothDirections() throws Exception {
        ByteArrayOutputStream capture = new ByteArrayOutputStream();
        Channel server = bind(new KcpHandlerBuilder(new Echo()).crypto(CRYPTO).fec(FEC).datagramHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(PcapWriteHandler.builder().build(capture));
            }
        }).buildPipeline());
        int port = exchange(server, new KcpClientHandlerBuilder().crypto(CRYPTO).fec(FEC));
        server.close().sync();
        assertThat(capture.size()).isGreaterThan(PCAP_HEADER_BYTES);
        // In an Ethernet frame without IP options, the UDP source and destination ports are at 34 and 36, behind 16 bytes of the record.
        ByteBuf file = Unpooled.wrappedBuffer(capture.toByteArray());
        boolean inbound = false;
        boolean outbound = false;
        file.skipBytes(PCAP_HEADER_BYTES);
        while (file.isReadable()) {
            int frameBytes = file.getInt(file.readerIndex() + 8);
            inbound |= file.getUnsignedShort(file.readerIndex() + 16 + 36) == port;
            outbound |= file.getUnsignedShort(file.readerIndex() + 16 + 34) == port;
            file.skipBytes(16 + frameBytes);
        }
        assertThat(inbound).isTrue();
        assertThat(outbound).isTrue();
    }

    @Test
    void kcpHandlerAloneCarriesASession() throws Exception {
        exchange(bind(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new KcpHandlerBuilder(new Echo()).build());
            }
        }), new KcpClientHandlerBuilder());
    }

    /** Sends a message from a client to a server, waits for the echo and returns the port of the server. */
    private int exchange(Channel server, KcpClientHandlerBuilder builder) throws Exception {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Channel client = bind(builder.closeWithSession(true).buildPipeline());
        CompletableFuture<String> echo = new CompletableFuture<>();
        KcpChannel session = client.pipeline().get(KcpHandler.class).connect(address, 7, new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                echo.complete(message.toString(UTF_8));
            }
        }).sync().channel();
        session.writeAndFlush(Unpooled.copiedBuffer("hello", UTF_8));
        assertThat(echo.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
        session.close().sync();
        client.closeFuture().sync();
        return address.getPort();
    }

    private Channel bind(ChannelHandler pipeline) throws InterruptedException {
        return new Bootstrap().group(group).channelFactory(KcpTransport.best().channelFactory()).handler(pipeline)
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
    }
}
