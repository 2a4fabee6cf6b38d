package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpPeerRejectedException;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.packet.PacketCodec;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.kcp.netty.smux.SmuxStreamChannelBootstrap;
import io.kcp.netty.smux.SmuxVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Controllers of servers whose sessions carry packets or smux streams. */
@Timeout(60)
class StreamControllersTest {

    private static final PacketFormat FORMAT = new PacketFormat(100_000, true);
    private static final String[] PACKETS = {"kcp.server.mode=stream", "kcp.server.packets.enabled=true",
        "kcp.server.packets.max-size=100000B", "kcp.server.packets.checksum=true"};

    private static LiveServer server(Class<?> controller, String... properties) {
        return new LiveServer(controller).with("kcp.server.fec.data-shards=0", "kcp.server.fec.parity-shards=0").with(PACKETS)
            .with(properties);
    }

    @KcpController
    static class Upper {

        @OnMessage
        String onMessage(KcpChannel session, String message) {
            return message.toUpperCase(Locale.ROOT);
        }
    }

    @Test
    void controllersReceiveWholePackets() {
        server(Upper.class).run((context, ignored) -> {
            try (Client client = new Client(LiveServer.port(context), null)) {
                Texts texts = new Texts();
                client.session.pipeline().addLast(new PacketCodec(FORMAT), texts);
                String longText = "long ".repeat(10_000);
                for (String text : new String[] {"one", longText, "", "two"}) {
                    texts.send(client.session, text);
                    assertThat(texts.next()).isEqualTo(text.toUpperCase(Locale.ROOT));
                }
            }
        });
    }

    @Test
    void oversizePacketClosesTheSession() {
        server(Upper.class).run((context, ignored) -> {
            try (Client client = new Client(LiveServer.port(context), null)) {
                client.session.writeAndFlush(Unpooled.buffer().writeIntLE(100_001));
                KcpServerChannel channel = LiveServer.server(context).channel();
                await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> {
                    KcpListenerStats stats = channel.collectStats().syncUninterruptibly().getNow();
                    return stats.openedSessions() == 1 && stats.activeSessions() == 0;
                });
            }
        });
    }

    /** Records the events of streams. */
    @KcpController
    static class Streams {

        final BlockingQueue<String> events = new LinkedBlockingQueue<>();

        @OnOpen
        String onOpen(SmuxStreamChannel stream, KcpChannel session) {
            assertThat(stream.parent()).isSameAs(session);
            return "welcome " + stream.streamId();
        }

        @OnMessage
        String onMessage(SmuxStreamChannel stream, String message) {
            if (message.equals("fail")) {
                throw new IllegalStateException("failed on request");
            }
            if (message.equals("reject")) {
                throw new KcpPeerRejectedException("rejected on request");
            }
            return stream.streamId() + " " + message;
        }

        @OnClose
        void onClose(SmuxStreamChannel stream, @Nullable KcpCloseReason reason) {
            events.add(stream.streamId() + " " + reason);
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachStreamIsHandledLikeASession(SmuxVersion version) {
        server(Streams.class, "kcp.server.smux=" + version.number()).run((context, ignored) -> {
            Streams controller = context.getBean(Streams.class);
            try (Client client = new Client(LiveServer.port(context), version)) {
                Texts first = client.open();
                Texts second = client.open();
                assertThat(first.next()).isEqualTo("welcome 3");
                assertThat(second.next()).isEqualTo("welcome 5");
                second.send("b");
                first.send("a");
                assertThat(first.next()).isEqualTo("3 a");
                assertThat(second.next()).isEqualTo("5 b");
                first.stream().close();
                assertThat(controller.events.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("3 null");
                second.send("still open");
                assertThat(second.next()).isEqualTo("5 still open");
                LiveServer.server(context).channel().close().syncUninterruptibly();
                assertThat(controller.events.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("5 null");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail APPLICATION_FAILED", "reject REJECTED"})
    void failureClosesOnlyItsStream(String messageAndReason) {
        String[] words = messageAndReason.split(" ");
        server(Streams.class, "kcp.server.smux=2").run((context, ignored) -> {
            Streams controller = context.getBean(Streams.class);
            try (Client client = new Client(LiveServer.port(context), SmuxVersion.V2)) {
                Texts failing = client.open();
                Texts other = client.open();
                assertThat(failing.next()).isEqualTo("welcome 3");
                assertThat(other.next()).isEqualTo("welcome 5");
                failing.send(words[0]);
                assertThat(controller.events.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("3 " + words[1]);
                await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> !failing.stream().isOpen());
                other.send("hello");
                assertThat(other.next()).isEqualTo("5 hello");
            }
        });
    }

    /** Responds only when the test releases the response. */
    @KcpController(execution = KcpExecution.EVENT_LOOP)
    static class Slow {

        final Promise<String> response =
            ImmediateEventExecutor.INSTANCE.newPromise();
        final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        @OnMessage
        Future<String> onMessage(String message) {
            received.add(message);
            return response;
        }
    }

    @Test
    void closingServerDrainsStreams() {
        server(Slow.class, "kcp.server.smux=2").run((context, ignored) -> {
            Slow controller = context.getBean(Slow.class);
            try (Client client = new Client(LiveServer.port(context), SmuxVersion.V2)) {
                Texts texts = client.open();
                Texts idle = client.open();
                idle.stream();
                texts.send("question");
                assertThat(controller.received.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("question");
                ChannelFuture closed = LiveServer.server(context).channel().close();
                await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> !idle.stream().isOpen());
                assertThat(closed.isDone()).isFalse();
                String answer = "answer ".repeat(10_000);
                controller.response.setSuccess(answer);
                assertThat(texts.next()).isEqualTo(answer);
                assertThat(closed.await(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            }
        });
    }

    /** A client in stream mode. */
    private static final class Client implements AutoCloseable {

        final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        final KcpChannel session;

        Client(int port, @Nullable SmuxVersion version) {
            session = new KcpBootstrap().group(group).config(KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build())
                .handler(new ChannelInitializer<KcpChannel>() {
                    @Override
                    protected void initChannel(KcpChannel channel) {
                        if (version != null) {
                            channel.pipeline().addLast(SmuxHandler.client().version(version).build());
                        }
                    }
                }).connect(InetAddress.getLoopbackAddress().getHostAddress(), port).syncUninterruptibly().channel();
        }

        Texts open() {
            Texts texts = new Texts();
            texts.stream = new SmuxStreamChannelBootstrap(session).handler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new PacketCodec(FORMAT), texts);
                }
            }).open().syncUninterruptibly().getNow();
            return texts;
        }

        @Override
        public void close() {
            session.close().awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS);
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    /** Sends and receives texts, one in each packet. */
    private static final class Texts extends ChannelInboundHandlerAdapter {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private @Nullable Channel stream;

        Channel stream() {
            assertThat(stream).isNotNull();
            return stream;
        }

        void send(String text) {
            send(stream(), text);
        }

        void send(Channel channel, String text) {
            channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        }

        String next() throws InterruptedException {
            String text = received.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS);
            assertThat(text).as("a text within %s s", TestClient.PATIENCE_S).isNotNull();
            return text;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf packet = (ByteBuf) message;
            received.add(packet.toString(StandardCharsets.UTF_8));
            packet.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Tests check the state of the channel.
        }
    }
}
