package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.packet.PacketCodec;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.tls.KcpTls;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.kcp.test.TestCertificate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Controllers of a server whose sessions use TLS. */
@Timeout(180)
@Tag("jdk")
class TlsControllersTest {

    private static final PacketFormat FORMAT = new PacketFormat(100_000, false);
    private static TestCertificate serverCertificate;
    private static TestCertificate newCertificate;
    private static TestCertificate alice;

    @BeforeAll
    static void createCertificates() throws Exception {
        serverCertificate = new TestCertificate("localhost");
        newCertificate = new TestCertificate("localhost");
        alice = new TestCertificate("alice");
    }

    private static LiveServer server(Class<?> controller, String... properties) throws Exception {
        return new LiveServer(controller)
            .with(runner -> runner.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class)))
            .with("kcp.server.ssl.bundle=game",
                "spring.ssl.bundle.pem.game.keystore.certificate=" + serverCertificate.certificatePem(),
                "spring.ssl.bundle.pem.game.keystore.private-key=" + serverCertificate.keyPem(),
                "spring.ssl.bundle.pem.game.truststore.certificate=" + alice.certificatePem()).with(properties);
    }

    /** Greets each client by the name in its certificate, and responds to each message in upper case. */
    @KcpController
    static class Greeting {

        final BlockingQueue<String> closed = new LinkedBlockingQueue<>();

        @OnOpen
        String onOpen(KcpChannel session) {
            try {
                X509Certificate certificate =
                    (X509Certificate) Objects.requireNonNull(KcpTls.sslSession(session)).getPeerCertificates()[0];
                return "welcome " + certificate.getSubjectX500Principal().getName();
            } catch (SSLPeerUnverifiedException anonymous) {
                return "welcome stranger";
            }
        }

        @OnMessage
        String onMessage(String message) {
            return message.toUpperCase(Locale.ROOT);
        }

        @OnClose
        void onClose(@Nullable KcpCloseReason reason) {
            closed.add(String.valueOf(reason));
        }
    }

    @ParameterizedTest
    @EnumSource
    void controllersServeAuthenticatedClients(KcpClientAuth auth) throws Exception {
        server(Greeting.class, "kcp.server.ssl.client-auth=" + auth).run((context, ignored) -> {
            try (Client client = new Client(context, auth == KcpClientAuth.NONE ? null : alice)) {
                assertThat(client.receive()).isEqualTo(auth == KcpClientAuth.NONE ? "welcome stranger" : "welcome CN=alice");
                for (String text : List.of("one", "two ".repeat(5_000), "", "three")) {
                    client.send(text);
                    assertThat(client.receive()).isEqualTo(text.toUpperCase(Locale.ROOT));
                }
            }
            assertThat(context.getBean(Greeting.class).closed.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("PEER_CLOSED");
            assertThat(LiveServer.server(context).usesTls()).isTrue();
        });
    }

    /** The values of {@code kcp.server.ssl.client-auth}. */
    enum KcpClientAuth {
        NONE, WANT, NEED
    }

    @Test
    void clientWithoutCertificateIsRefused() throws Exception {
        server(Greeting.class, "kcp.server.ssl.client-auth=need").run((context, ignored) -> {
            try (Client stranger = new Client(context, null); Client client = new Client(context, alice)) {
                assertThat(client.receive()).isEqualTo("welcome CN=alice");
                awaitClosed(context, KcpCloseReason.TLS_FAILED);
                assertThat(stranger.received).isEmpty();
                assertThat(context.getBean(Greeting.class).closed).isEmpty();
            }
        });
    }

    @Test
    @Tag("slow")
    void clientWithoutTlsIsRefusedAndDisturbsNobody() throws Exception {
        server(Greeting.class).run((context, plain) -> {
            try (Client client = new Client(context, null)) {
                assertThat(client.receive()).isEqualTo("welcome stranger");
                plain.send("hello, is this the game?");
                awaitClosed(context, KcpCloseReason.TLS_FAILED);
                client.send("still here");
                assertThat(client.receive()).isEqualTo("STILL HERE");
                assertThat(plain.received()).isEmpty();
                assertThat(context.getBean(Greeting.class).closed).isEmpty();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void handshakeBeginsAfterTheProofOfTheAddressUnlessThatIsDisabled(boolean validatedOnly) throws Exception {
        ByteBuf opener = Unpooled.buffer(SegmentHeader.LENGTH + 5);
        SegmentHeader.write(opener, 7, SegmentHeader.CMD_PUSH, 0, 128, 1, 0, 0, 5);
        opener.writeCharSequence("hello", StandardCharsets.US_ASCII);
        server(Greeting.class, "kcp.server.ssl.validated-peers-only=" + validatedOnly).run((context, ignored) -> {
            try (DatagramSocket peer = new DatagramSocket()) {
                peer.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TestClient.PATIENCE_S));
                peer.send(new DatagramPacket(opener.array(), opener.readableBytes(),
                    new InetSocketAddress("127.0.0.1", LiveServer.port(context))));
                if (validatedOnly) {
                    peer.receive(new DatagramPacket(new byte[1_500], 1_500));
                    KcpListenerStats stats = LiveServer.server(context).channel().collectStats().syncUninterruptibly().getNow();
                    assertThat(stats.closed()).isEmpty();
                } else {
                    awaitClosed(context, KcpCloseReason.TLS_FAILED);
                }
            }
        });
    }

    @Test
    void handshakeTimeoutClosesTheSession() throws Exception {
        server(Greeting.class, "kcp.server.ssl.handshake-timeout=1s").run((context, plain) -> {
            plain.session().writeAndFlush(Unpooled.wrappedBuffer(new byte[] {0x16, 3, 1}));
            awaitClosed(context, KcpCloseReason.TLS_FAILED);
        });
    }

    private static void awaitClosed(AssertableApplicationContext context, KcpCloseReason reason) {
        await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> {
            KcpListenerStats stats = LiveServer.server(context).channel().collectStats().syncUninterruptibly().getNow();
            return stats.closed().getOrDefault(reason, 0L) == 1;
        });
    }

    @Test
    void changedBundleAppliesToNewSessions() throws Exception {
        server(Greeting.class).run((context, ignored) -> {
            try (Client before = new Client(context, null)) {
                assertThat(before.receive()).isEqualTo("welcome stranger");
                context.getBean(SslBundleRegistry.class).updateBundle("game", bundle(newCertificate));
                try (Client after = new Client(context, null, newCertificate, KcpTransferMode.MESSAGE, false)) {
                    assertThat(after.receive()).isEqualTo("welcome stranger");
                }
                before.send("still here");
                assertThat(before.receive()).isEqualTo("STILL HERE");
            }
        });
    }

    private static SslBundle bundle(TestCertificate certificate) throws Exception {
        PemSslStore store = PemSslStore.load(PemSslStoreDetails.forCertificate(certificate.certificatePem())
            .withPrivateKey(certificate.keyPem()));
        return SslBundle.of(new PemSslStoreBundle(store, null));
    }

    @Test
    void packetsWorkOverTls() throws Exception {
        server(Greeting.class, "kcp.server.mode=stream", "kcp.server.packets.enabled=true", "kcp.server.packets.max-size=100000B")
            .run((context, ignored) -> {
                try (Client client = new Client(context, null, serverCertificate, KcpTransferMode.STREAM, true)) {
                    assertThat(client.receive()).isEqualTo("welcome stranger");
                    for (String text : List.of("one", "", "two ".repeat(10_000))) {
                        client.send(text);
                        assertThat(client.receive()).isEqualTo(text.toUpperCase(Locale.ROOT));
                    }
                }
            });
    }

    /** Receives out-of-band messages. */
    @KcpController
    static class OutOfBand {

        @OnMessage
        void onMessage(KcpOobMessage message) {
        }
    }

    @Test
    void outOfBandMethodsAreRefused() throws Exception {
        LiveServer.runner(OutOfBand.class).withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class,
            KcpServerAutoConfiguration.class, KcpControllerAutoConfiguration.class))
            .withPropertyValues("kcp.server.ssl.bundle=game",
                "spring.ssl.bundle.pem.game.keystore.certificate=" + serverCertificate.certificatePem(),
                "spring.ssl.bundle.pem.game.keystore.private-key=" + serverCertificate.keyPem())
            .run(context -> assertThat(context).getFailure().rootCause().isInstanceOf(InvalidControllerException.class)
                .hasMessageContaining("out-of-band messages, which TLS does not protect"));
    }

    /** A client that sends and receives texts over TLS. */
    private static final class Client implements AutoCloseable {

        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final KcpChannel session;

        Client(AssertableApplicationContext context, @Nullable TestCertificate own) throws Exception {
            this(context, own, serverCertificate, KcpTransferMode.MESSAGE, false);
        }

        Client(AssertableApplicationContext context, @Nullable TestCertificate own, TestCertificate trusted, KcpTransferMode mode,
            boolean packets)
            throws Exception {
            SslContextBuilder builder = SslContextBuilder.forClient().trustManager(trusted.certificate());
            SslContext tlsContext = own == null ? builder.build() : builder.keyManager(own.keys()).build();
            KcpTls tls = KcpTls.client(() -> tlsContext).peerHost("localhost");
            session = new KcpBootstrap().group(group).config(KcpConfig.fast3().toBuilder().mode(mode).build()).fec(FecConfig.of(2, 1))
                .handler(new ChannelInitializer<KcpChannel>() {
                    @Override
                    protected void initChannel(KcpChannel opened) {
                        tls.addTo(opened);
                        if (packets) {
                            opened.pipeline().addLast(new PacketCodec(FORMAT));
                        }
                        opened.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext handler, ByteBuf message) {
                                received.add(message.toString(StandardCharsets.UTF_8));
                            }
                        });
                    }
                }).connect("127.0.0.1", LiveServer.port(context)).syncUninterruptibly().channel();
        }

        void send(String text) {
            session.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        }

        String receive() throws InterruptedException {
            String text = received.poll(TestClient.PATIENCE_S, TimeUnit.SECONDS);
            assertThat(text).as("a text within %s s", TestClient.PATIENCE_S).isNotNull();
            return text;
        }

        @Override
        public void close() {
            session.close().awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS);
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(TestClient.PATIENCE_S, TimeUnit.SECONDS);
        }
    }
}
