package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams over real TCP and KCP sockets on the loopback interface. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmuxLoopbackTest {

    private static final int STREAMS = 200;
    private static final int MAX_BYTES = 200_000;

    /** Echoes data with back-pressure, and shuts the output down after the input has ended. */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.read();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message).addListener(written -> context.read());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ((SmuxStreamChannel) context.channel()).shutdownOutput();
            }
        }
    }

    /** Compares the echo with the data that was sent. */
    private static final class Checker extends ChannelInboundHandlerAdapter {

        private final byte[] expected;
        private final CountDownLatch done;
        private final AtomicInteger wrong;
        private int received;

        Checker(byte[] expected, CountDownLatch done, AtomicInteger wrong) {
            this.expected = expected;
            this.done = done;
            this.wrong = wrong;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().buffer(Math.max(1, expected.length)).writeBytes(expected));
            ((SmuxStreamChannel) context.channel()).shutdownOutput();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            // Reading byte by byte would be slow, because the leak detector records each access to a buffer.
            byte[] part = ByteBufUtil.getBytes(data);
            data.release();
            if (part.length > expected.length - received
                || !Arrays.equals(part, 0, part.length, expected, received, received + part.length)) {
                wrong.incrementAndGet();
            }
            received += part.length;
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (received != expected.length || ((SmuxStreamChannel) context.channel()).closeCause() != null) {
                wrong.incrementAndGet();
            }
            done.countDown();
        }
    }

    private static ChannelInitializer<Channel> server(SmuxVersion version) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(SmuxHandler.server().version(version).childOption(ChannelOption.AUTO_READ, false)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true).childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel stream) {
                            stream.pipeline().addLast(new Echo());
                        }
                    }).build());
            }
        };
    }

    private static ChannelInitializer<Channel> client(SmuxVersion version) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(SmuxHandler.client().version(version).build());
            }
        };
    }

    private static void exchange(Channel parent) throws Exception {
        Random random = new Random(1);
        CountDownLatch done = new CountDownLatch(STREAMS);
        AtomicInteger wrong = new AtomicInteger();
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            byte[] bytes = new byte[i == 0 ? 4_000_000 : random.nextInt(random.nextBoolean() ? 100 : MAX_BYTES)];
            random.nextBytes(bytes);
            payloads.add(bytes);
        }
        for (byte[] bytes : payloads) {
            new SmuxStreamChannelBootstrap(parent).option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(new Checker(bytes, done, wrong)).open().sync();
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).as("%d streams are still open", done.getCount()).isTrue();
        assertThat(wrong).hasValue(0);
        SmuxHandler smux = parent.pipeline().get(SmuxHandler.class);
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(
            () -> assertThat(smux.collectStats().sync().getNow().openStreams()).isZero());
        assertThat(parent.isActive()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void streamsOverTcp(SmuxVersion version) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try {
            Channel listener = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class).childHandler(server(version))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            Channel parent = new Bootstrap().group(group).channel(NioSocketChannel.class).handler(client(version))
                .connect(listener.localAddress()).sync().channel();
            exchange(parent);
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    @Tag("slow")
    void streamsOverKcp(SmuxVersion version) throws Exception {
        KcpConfig config = KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(1_024)
            .mode(KcpTransferMode.STREAM).build();
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 2)) {
            Channel parent = loopback.connect(
                loopback.client(client(version)).option(KcpChannelOption.KCP_CONFIG, config),
                loopback.bind(loopback.server(server(version)).childOption(KcpChannelOption.KCP_CONFIG, config)).localAddress());
            exchange(parent);
        }
    }
}
