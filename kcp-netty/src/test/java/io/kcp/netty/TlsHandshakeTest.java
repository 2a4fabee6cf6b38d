package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.tls.KcpTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS inside sessions, on a simulated clock, with good and hostile peers. */
@Timeout(60)
@Tag("jdk")
class TlsHandshakeTest {

    private static final InetSocketAddress FIRST = SimulatedHosts.address(0x0a000101, 5_000);
    private static final InetSocketAddress SECOND = SimulatedHosts.address(0x0a000102, 5_000);
    private static final int TIMEOUT_MS = 10_000;
    private static TlsCertificates serverCertificate;
    private static TlsCertificates clientCertificate;

    private final List<KcpChannel> sessions = new ArrayList<>();
    private final List<SessionRecorder> recorders = new ArrayList<>();

    @BeforeAll
    static void createCertificates() throws Exception {
        serverCertificate = new TlsCertificates("game.example");
        clientCertificate = new TlsCertificates("alice");
    }

    private FloodedEchoServer network(KcpTls tls) {
        return network(tls, builder -> { });
    }

    private FloodedEchoServer network(KcpTls tls, Consumer<KcpHandlerBuilder> settings) {
        return new FloodedEchoServer(settings, session -> {
            sessions.add(session);
            tls.addTo(session);
            SessionRecorder recorder = new SessionRecorder() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    context.fireChannelRead(message);
                }
            };
            recorders.add(recorder);
            session.pipeline().addLast(recorder);
        });
    }

    private static KcpTls server() throws Exception {
        var context = serverCertificate.server();
        return KcpTls.server(() -> context);
    }

    private static Consumer<KcpChannel> client() throws Exception {
        var context = serverCertificate.client();
        return KcpTls.client(() -> context).peerHost("game.example")::addTo;
    }

    private static Throwable tlsFailure(KcpChannel session) {
        KcpCloseException cause = (KcpCloseException) session.closeCause();
        assertThat(cause.reason()).isEqualTo(KcpCloseReason.TLS_FAILED);
        assertThat(cause).hasCauseInstanceOf(KcpTlsException.class);
        return cause.getCause().getCause();
    }

    @Test
    void handlersBecomeActiveAfterTheHandshake() throws Exception {
        try (FloodedEchoServer network = network(server())) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            assertThat(network.runUntil(() -> !sessions.isEmpty(), 5_000)).isTrue();
            assertThat(sessions.get(0).isActive()).isTrue();
            assertThat(recorders.get(0).events()).isEmpty();
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
            assertThat(recorders.get(0).events()).containsExactly("active");
            assertThat(client.recorder().events()).startsWith("active");
            assertThat(client.recorder().messages()).containsExactly("hello");
        }
    }

    @Test
    void clientWithoutTlsIsRefusedAndOtherSessionsContinue() throws Exception {
        try (FloodedEchoServer network = network(server())) {
            EchoClient plain = network.connect(FIRST, 1, null);
            EchoClient good = network.connect(SECOND, 2, null, client());
            assertThat(network.runUntil(good::isConnected, 5_000)).isTrue();
            assertThat(plain.isConnected()).isFalse();
            assertThat(sessions.get(0).isOpen()).isFalse();
            assertThat(tlsFailure(sessions.get(0))).isInstanceOf(SSLException.class);
            assertThat(recorders.get(0).events()).doesNotContain("active", "inactive");
            assertThat(recorders.get(0).exceptions()).isEmpty();
            assertThat(network.stats().closed()).isEqualTo(Map.of(KcpCloseReason.TLS_FAILED, 1L));
            assertThat(network.stats().activeSessions()).isEqualTo(1);
            good.send("again");
            assertThat(network.runUntil(() -> good.recorder().messages().size() == 2, 5_000)).isTrue();
        }
    }

    /** A TLS record header whose record never arrives completely. */
    @Test
    void stalledHandshakeTimesOut() throws Exception {
        try (FloodedEchoServer network = network(server(), builder -> builder.amplificationLimit(false))) {
            EchoClient slow = network.connect(FIRST, 1, null, session ->
                session.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                        ((ByteBuf) message).setByte(0, 0x16).setByte(1, 3).setByte(2, 1).setByte(3, 8);
                        context.write(message, promise);
                    }
                }));
            assertThat(network.runUntil(() -> !sessions.isEmpty(), 5_000)).isTrue();
            for (int ms = 0; ms < TIMEOUT_MS - 100; ms++) {
                if (ms % 100 == 0) {
                    slow.send("drip drip");
                }
                network.step();
            }
            assertThat(sessions.get(0).isOpen()).isTrue();
            assertThat(network.runUntil(() -> !sessions.get(0).isActive() || sessions.get(0).isClosing(), 1_000)).isTrue();
            assertThat(network.runUntil(() -> !sessions.get(0).isOpen(), 10_000)).isTrue();
            assertThat(tlsFailure(sessions.get(0))).isInstanceOf(SslHandshakeTimeoutException.class);
        }
    }

    @Test
    void untrustedServerFailsTheClient() throws Exception {
        var untrusting = clientCertificate.client();
        try (FloodedEchoServer network = network(server())) {
            EchoClient client =
                network.connect(FIRST, 1, null, KcpTls.client(() -> untrusting).peerHost("game.example")::addTo);
            KcpChannel session = client.recorder().session();
            assertThat(network.runUntil(() -> !session.isOpen() && !sessions.get(0).isOpen(), 10_000)).isTrue();
            assertThat(tlsFailure(session)).isInstanceOf(SSLException.class);
            assertThat(tlsFailure(sessions.get(0))).isInstanceOf(SSLException.class);
            assertThat(client.recorder().events()).doesNotContain("active");
        }
    }

    @Test
    void wrongHostNameFailsTheClient() throws Exception {
        var context = serverCertificate.client();
        try (FloodedEchoServer network = network(server())) {
            EchoClient client = network.connect(FIRST, 1, null, KcpTls.client(() -> context).peerHost("other.example")::addTo);
            KcpChannel session = client.recorder().session();
            assertThat(network.runUntil(() -> !session.isOpen(), 10_000)).isTrue();
            assertThat(tlsFailure(session)).isInstanceOf(SSLException.class);
        }
    }

    @Test
    void applicationReadsTheCertificateOfTheClient() throws Exception {
        var mutual = serverCertificate.server(clientCertificate);
        var context = serverCertificate.client(clientCertificate);
        List<String> names = new ArrayList<>();
        try (FloodedEchoServer network = network(KcpTls.server(() -> mutual))) {
            EchoClient client = network.connect(FIRST, 1, null, KcpTls.client(() -> context).peerHost("game.example")::addTo);
            assertThat(network.runUntil(() -> !recorders.isEmpty(), 5_000)).isTrue();
            recorders.get(0).onActive(active -> {
                try {
                    X509Certificate certificate =
                        (X509Certificate) KcpTls.sslSession(active.channel()).getPeerCertificates()[0];
                    names.add(certificate.getSubjectX500Principal().getName());
                } catch (SSLPeerUnverifiedException none) {
                    names.add(none.toString());
                }
            });
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
            assertThat(names).containsExactly("CN=alice");
        }
    }

    @Test
    void clientWithoutRequiredCertificateIsRefused() throws Exception {
        var mutual = serverCertificate.server(clientCertificate);
        try (FloodedEchoServer network = network(KcpTls.server(() -> mutual))) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            KcpChannel session = client.recorder().session();
            assertThat(network.runUntil(() -> !sessions.isEmpty() && !sessions.get(0).isOpen() && !session.isOpen(), 10_000)).isTrue();
            assertThat(client.isConnected()).isFalse();
            assertThat(recorders.get(0).events()).doesNotContain("active");
            assertThat(tlsFailure(sessions.get(0))).isInstanceOf(SSLException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesKeepTheirBoundaries(KcpTransferMode mode) throws Exception {
        KcpConfig config = KcpConfig.fast3().toBuilder().mode(mode).build();
        Consumer<KcpChannel> tls = client();
        try (FloodedEchoServer network = network(server(), builder -> builder.childOption(KcpChannelOption.KCP_CONFIG, config))) {
            EchoClient client = network.connect(FIRST, 1, null, session -> {
                session.config().setKcp(config);
                tls.accept(session);
            });
            List<String> sent = List.of("hello", "a", "b".repeat(40_000), "", "c".repeat(1_400));
            KcpChannel session = client.recorder().session();
            sent.subList(1, sent.size()).forEach(text -> session.write(ByteBufUtil.writeUtf8(network.allocator(), text)));
            session.flush();
            assertThat(network.runUntil(() -> String.join("", client.recorder().messages()).length() == 41_406, 10_000)).isTrue();
            if (mode == KcpTransferMode.MESSAGE) {
                assertThat(client.recorder().messages()).isEqualTo(sent);
            } else {
                assertThat(String.join("", client.recorder().messages())).isEqualTo(String.join("", sent));
            }
        }
    }

    @Test
    void oversizeMessageFailsItsWrite() throws Exception {
        try (FloodedEchoServer network = network(server())) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            KcpChannel session = client.recorder().session();
            int limit = session.config().kcp().maxMessageBytes();
            var written = session.writeAndFlush(network.allocator().buffer(limit + 1).writeZero(limit + 1));
            assertThat(written.cause()).hasMessageContaining("maxMessageBytes");
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
        }
    }

    @Test
    void messageOfTheMaximumSizeArrives() throws Exception {
        try (FloodedEchoServer network = network(server())) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            KcpChannel session = client.recorder().session();
            String longest = "m".repeat(session.config().kcp().maxMessageBytes());
            session.writeAndFlush(ByteBufUtil.writeUtf8(network.allocator(), longest));
            assertThat(network.runUntil(() -> client.recorder().messages().size() == 2, 20_000)).isTrue();
            assertThat(client.recorder().messages().get(1)).isEqualTo(longest);
        }
    }

    @Test
    void longerMessageThanTheServerAcceptsClosesTheSession() throws Exception {
        KcpConfig small = KcpConfig.fast3().toBuilder().maxMessageBytes(1_000).build();
        try (FloodedEchoServer network = network(server(), builder -> builder.childOption(KcpChannelOption.KCP_CONFIG, small))) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
            client.recorder().session().writeAndFlush(network.allocator().buffer(1_001).writeZero(1_001));
            assertThat(network.runUntil(() -> !sessions.get(0).isOpen(), 5_000)).isTrue();
            assertThat(tlsFailure(sessions.get(0))).isInstanceOf(TooLongFrameException.class);
        }
    }

    @Test
    void outOfBandMessagesAreDropped() throws Exception {
        try (FloodedEchoServer network = network(server())) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
            KcpOobMessage message = new KcpOobMessage(ByteBufUtil.writeUtf8(network.allocator(), "not protected by TLS"));
            sessions.get(0).pipeline().fireUserEventTriggered(message);
            assertThat(recorders.get(0).oobMessages()).isEmpty();
            assertThat(message.refCnt()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeNotifyClosesTheSession(KcpTransferMode mode) throws Exception {
        try (FloodedEchoServer network = network(server(),
            builder -> builder.childOption(KcpChannelOption.CLOSE_NOTICE, mode == KcpTransferMode.MESSAGE))) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
            KcpChannel session = client.recorder().session();
            session.writeAndFlush(ByteBufUtil.writeUtf8(network.allocator(), "last"));
            session.close();
            assertThat(network.runUntil(() -> !session.isOpen() && !sessions.get(0).isOpen(), 1_000)).isTrue();
            assertThat(session.closeCause()).isNull();
            assertThat(sessions.get(0).closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_CLOSED));
            assertThat(recorders.get(0).events()).contains("active", "inactive");
        }
    }

    @Test
    void invalidRecordClosesTheSession() throws Exception {
        try (FloodedEchoServer network = network(server())) {
            EchoClient client = network.connect(FIRST, 1, null, client());
            assertThat(network.runUntil(client::isConnected, 5_000)).isTrue();
            KcpChannel session = client.recorder().session();
            // Bypasses TLS of the client, as an attacker does who injects KCP segments.
            session.pipeline().context(SslHandler.class)
                .writeAndFlush(network.allocator().buffer().writeBytes(new byte[] {0x17, 3, 3, 0, 20}).writeZero(20));
            assertThat(network.runUntil(() -> !sessions.get(0).isOpen(), 10_000)).isTrue();
            assertThat(tlsFailure(sessions.get(0))).isInstanceOf(SSLException.class);
            assertThat(recorders.get(0).exceptions()).isEmpty();
        }
    }
}
