package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
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
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the same handlers on KCP sessions in stream mode and on TCP connections. */
@Timeout(120)
class PacketLoopbackTest {

    private static final int PACKETS = 300;
    private static final int MAX_LARGE_BYTES = 300_000;
    private static final long SEED = 21;
    private static final KcpConfig STREAM = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).windows(1_024).build();

    private final PacketFormat format = PacketFormat.DEFAULT.withChecksum(true);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetsAreEchoedOverKcp(boolean coalesce) throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 2)) {
            Channel server = loopback.bind(loopback.server(echo(coalesce)).config(STREAM));
            Client client = new Client(payloads());
            loopback.connect(loopback.client(pipeline(coalesce, client)).config(STREAM),
                (InetSocketAddress) server.localAddress());
            client.assertEchoed();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetsAreEchoedOverTcp(boolean coalesce) throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 2)) {
            Channel server = new ServerBootstrap().group(loopback.group()).channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOCATOR, loopback.allocator()).childHandler(echo(coalesce))
                .bind(Loopback.anyPort()).sync().channel();
            Client client = new Client(payloads());
            Channel connection = new Bootstrap().group(loopback.group()).channel(NioSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, loopback.allocator()).handler(pipeline(coalesce, client))
                .connect(server.localAddress()).sync().channel();
            client.assertEchoed();
            connection.close().sync();
            server.close().sync();
        }
    }

    private ChannelInitializer<Channel> echo(boolean coalesce) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(pipeline(coalesce, new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object packet) {
                        context.write(packet);
                    }

                    @Override
                    public void channelReadComplete(ChannelHandlerContext context) {
                        context.flush();
                    }
                }));
            }
        };
    }

    private ChannelInitializer<Channel> pipeline(boolean coalesce, ChannelInboundHandlerAdapter last) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (coalesce) {
                    channel.pipeline().addLast(new FlushCoalescer());
                }
                channel.pipeline().addLast(new PacketCodec(format), last);
            }
        };
    }

    private static List<byte[]> payloads() {
        System.out.println("seed " + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < PACKETS; i++) {
            int length = i % 10 == 0 ? random.nextInt(MAX_LARGE_BYTES) : i % 10 == 1 ? 0 : random.nextInt(2_049);
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            payloads.add(payload);
        }
        return payloads;
    }

    private static final class Client extends ChannelInboundHandlerAdapter {

        private final List<byte[]> payloads;
        private final CompletableFuture<Integer> echoed = new CompletableFuture<>();
        private int next;

        Client(List<byte[]> payloads) {
            this.payloads = payloads;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            payloads.forEach(payload -> context.write(context.alloc().buffer(Math.max(1, payload.length)).writeBytes(payload)));
            context.flush();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            byte[] payload = ByteBufUtil.getBytes((ByteBuf) message);
            ReferenceCountUtil.release(message);
            if (!Arrays.equals(payload, payloads.get(next))) {
                echoed.completeExceptionally(new AssertionError("packet " + next + " differs, seed " + SEED));
            } else if (++next == payloads.size()) {
                echoed.complete(next);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            echoed.completeExceptionally(cause);
        }

        void assertEchoed() throws Exception {
            assertThat(echoed.get(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo(payloads.size());
        }
    }
}
