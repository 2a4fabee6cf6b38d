package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.netty.internal.base.PartialInputLimit;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.tls.KcpTls;
import io.kcp.netty.tls.TlsLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on the memory and the CPU time of a server whose sessions use TLS, on a simulated clock. */
@Timeout(60)
class TlsFloodTest {

    private static final InetSocketAddress CLIENT = SimulatedHosts.address(0x0a000101, 5_000);
    private static final int LIMIT_BYTES = 1 << 20;
    private static TlsCertificates certificate;

    private final List<KcpChannel> sessions = new ArrayList<>();
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @BeforeAll
    static void createCertificate() throws Exception {
        certificate = new TlsCertificates("game.example");
    }

    private static KcpTls server() throws Exception {
        SslContext context = certificate.server();
        return KcpTls.server(() -> context);
    }

    private static Consumer<KcpChannel> client() throws Exception {
        SslContext context = certificate.client();
        return KcpTls.client(() -> context).peerHost("game.example")::addTo;
    }

    private FloodedEchoServer network(KcpTls tls, boolean limited) {
        return new FloodedEchoServer(builder -> builder.amplificationLimit(limited), session -> {
            sessions.add(session);
            tls.addTo(session);
        });
    }

    private boolean until(FloodedEchoServer network, int atMostMs, BooleanSupplier condition) {
        for (int ms = 0; ms < atMostMs && !condition.getAsBoolean(); ms++) {
            network.step();
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
        return condition.getAsBoolean();
    }

    private static byte[] clientHello() throws Exception {
        SSLEngine engine = certificate.client().newEngine(ByteBufAllocator.DEFAULT, "game.example", 1);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }

    private static ByteBuf datagram(FloodedEchoServer network, int conv, int sn, byte[] payload) {
        return WireSegment.datagram(network.allocator(), WireSegment.push(conv, sn, 0, new String(payload, StandardCharsets.ISO_8859_1)));
    }

    private static InetSocketAddress forged(int number) {
        return SimulatedHosts.address(0x0b000001 + number, 6_000);
    }

    /** Returns the number of handshake tasks that 200 forged first datagrams with a ClientHello cause. */
    private int tasksOfForgedHellos(KcpTls tls, boolean limited) throws Exception {
        byte[] hello = clientHello();
        int[] executed = new int[1];
        try (FloodedEchoServer network = network(tls.executor(task -> executed[0]++), limited)) {
            for (int i = 0; i < 200; i++) {
                network.attack(forged(i), datagram(network, 1, 0, hello));
                network.step();
            }
            assertThat(until(network, 25_000, () -> network.stats().activeSessions() == 0)).as("all handshakes time out").isTrue();
            return executed[0];
        }
    }

    @Test
    void forgedClientHellosCauseNoHandshakeTasks() throws Exception {
        assertThat(tasksOfForgedHellos(server(), true)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("slow")
    void handshakesBeginImmediatelyIfTheProofIsDisabled(boolean limited) throws Exception {
        assertThat(tasksOfForgedHellos(limited ? server().validatedPeersOnly(false) : server(), limited)).isEqualTo(200);
    }

    /** Each forged session sends a record header that announces 16 KiB, and a part of the record. */
    @Test
    void incompleteRecordsOfForgedAddressesAreLimited() throws Exception {
        PartialInputLimit limit = new PartialInputLimit(LIMIT_BYTES, 0);
        byte[] part = new byte[1_300];
        part[0] = 0x16;
        part[1] = 3;
        part[2] = 1;
        part[3] = 0x40;
        try (FloodedEchoServer network = network(TlsLimits.limited(server(), limit), true)) {
            network.greet(0, LIMIT_BYTES);
            MemoryLimit held = network.held();
            for (int i = 0; i < 200; i++) {
                int number = i;
                network.step(8, sn -> network.attack(forged(number), datagram(network, 1, sn, part)));
                assertThat(held.unvalidatedBytes()).isLessThanOrEqualTo(LIMIT_BYTES / 4 + 8 * 1_500);
            }
            assertThat(limit.usedBytes()).isZero();
            assertThat(network.mostHeldBytes()).as("held in the receive windows").isGreaterThan(LIMIT_BYTES / 10);
            EchoClient client = network.connect(CLIENT, 1, null, client());
            assertThat(until(network, 5_000, client::isConnected)).isTrue();
        }
    }

    @Test
    @Tag("slow")
    void incompleteMessageCountsUntilItIsCompleteOrTheSessionCloses() throws Exception {
        PartialInputLimit limit = new PartialInputLimit(LIMIT_BYTES, 0);
        try (FloodedEchoServer network = network(TlsLimits.limited(server(), limit), true)) {
            EchoClient client = network.connect(CLIENT, 1, null, client());
            assertThat(until(network, 5_000, client::isConnected)).isTrue();
            assertThat(limit.usedBytes()).isZero();
            sendUnframed(network, client, 100_000, 99_999);
            assertThat(until(network, 5_000, () -> limit.usedBytes() >= 99_999)).isTrue();
            sendUnframed(network, client, -1, 1);
            assertThat(until(network, 5_000, () -> client.recorder().messages().size() == 2)).isTrue();
            assertThat(limit.usedBytes()).isZero();
            sendUnframed(network, client, 100_000, 50_000);
            assertThat(until(network, 5_000, () -> limit.usedBytes() >= 50_000)).isTrue();
            sessions.get(0).close();
            assertThat(until(network, 10_000, () -> !sessions.get(0).isOpen())).isTrue();
            assertThat(limit.usedBytes()).isZero();
        }
    }

    /** Encrypts a length, unless it is negative, and bytes of a message, without the handler that frames messages. */
    private static void sendUnframed(FloodedEchoServer network, EchoClient client, int length, int bytes) {
        ByteBuf buffer = network.allocator().buffer();
        if (length >= 0) {
            buffer.writeInt(length);
        }
        client.recorder().session().pipeline().context("MessageFrameEncoder#0").writeAndFlush(buffer.writeZero(bytes));
    }

    @Test
    void incompleteMessagesOfManySessionsCloseTheLargestHolders() throws Exception {
        PartialInputLimit limit = new PartialInputLimit(LIMIT_BYTES, 0);
        try (FloodedEchoServer network = network(TlsLimits.limited(server(), limit), true)) {
            EchoClient honest = network.connect(CLIENT, 1, null, client());
            assertThat(until(network, 5_000, honest::isConnected)).isTrue();
            for (int i = 0; i < 12; i++) {
                EchoClient attacker = network.connect(SimulatedHosts.address(0x0a000201 + i, 5_000), 1, null, client());
                assertThat(until(network, 5_000, attacker::isConnected)).isTrue();
                sendUnframed(network, attacker, 200_000, 199_999);
            }
            until(network, 5_000, () -> false);
            assertThat(limit.usedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
            assertThat(network.stats().closed().get(KcpCloseReason.MEMORY_LIMIT)).isBetween(4L, 11L);
            honest.send("m".repeat(100_000));
            assertThat(until(network, 10_000, () -> honest.recorder().messages().size() == 2)).isTrue();
        }
    }

    /** A peer that continues to send while a task of its handshake waits must not make the server store everything. */
    @Test
    void sessionReadsNothingWhileAHandshakeTaskWaits() throws Exception {
        byte[] hello = clientHello();
        Queue<Runnable> waiting = new ArrayDeque<>();
        try (FloodedEchoServer network = network(server().executor(waiting::add), false)) {
            network.attack(CLIENT, datagram(network, 1, 0, hello));
            network.step();
            assertThat(waiting).hasSize(1);
            byte[] record = new byte[1_000];
            record[0] = 0x17;
            record[1] = 3;
            record[2] = 3;
            record[3] = 995 >> 8;
            record[4] = (byte) 995;
            for (int sn = 1; sn < 100; sn++) {
                network.attack(CLIENT, datagram(network, 1, sn, record));
                network.step();
            }
            assertThat(network.held().heldBytes()).isGreaterThan(95_000);
            waiting.poll().run();
            assertThat(until(network, 1_000, () -> !waiting.isEmpty() || sessions.get(0).isClosing())).isTrue();
            assertThat(until(network, 25_000, () -> !sessions.get(0).isOpen())).isTrue();
        }
    }

    @Test
    void rejectedHandshakeTaskClosesTheSession() throws Exception {
        byte[] hello = clientHello();
        try (FloodedEchoServer network = network(server().executor(task -> {
            throw new RejectedExecutionException("the queue is full");
        }), false)) {
            network.attack(CLIENT, datagram(network, 1, 0, hello));
            assertThat(until(network, 6_000, () -> network.stats().activeSessions() == 0)).isTrue();
            assertThat(network.stats().closed()).isEqualTo(Map.of(KcpCloseReason.TLS_FAILED, 1L));
        }
    }

    @Test
    void tasksOfClosedSessionsAreNotRun() throws Exception {
        byte[] hello = clientHello();
        Queue<Runnable> waiting = new ArrayDeque<>();
        try (FloodedEchoServer network = network(server().executor(waiting::add), false)) {
            network.attack(CLIENT, datagram(network, 1, 0, hello));
            network.step();
            assertThat(waiting).hasSize(1);
            SSLEngine engine = sessions.get(0).pipeline().get(SslHandler.class).engine();
            ((DefaultKcpChannel) sessions.get(0)).closeWith(KcpCloseReason.EVICTED);
            waiting.poll().run();
            network.step();
            assertThat(engine.getDelegatedTask()).as("the task has not been taken from the engine").isNotNull();
        }
    }

    @Test
    void serverAcceptsOnlyTheSelectedVersions() throws Exception {
        SslContext old = certificate.clientOf("TLSv1.2");
        KcpTls client = KcpTls.client(() -> old).peerHost("game.example").protocols();
        SslContext any = certificate.serverOf("TLSv1.2", "TLSv1.3");
        try (FloodedEchoServer network = network(KcpTls.server(() -> any), true)) {
            EchoClient refused = network.connect(CLIENT, 1, null, client::addTo);
            assertThat(until(network, 5_000, () -> !sessions.isEmpty() && !sessions.get(0).isOpen())).isTrue();
            assertThat(refused.isConnected()).isFalse();
            assertThat(sessions.get(0).closeCause().getCause().getCause()).isInstanceOf(SSLException.class);
        }
        try (FloodedEchoServer network = network(KcpTls.server(() -> any).protocols("TLSv1.2"), true)) {
            EchoClient accepted = network.connect(CLIENT, 1, null, client::addTo);
            assertThat(until(network, 5_000, accepted::isConnected)).isTrue();
        }
    }

    @Test
    void silentClientIsClosedAfterTheHandshake() throws Exception {
        try (FloodedEchoServer network = network(server(), true)) {
            Consumer<KcpChannel> withTls = client();
            EchoClient client = network.connect(CLIENT, 1, null, session -> {
                withTls.accept(session);
                session.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                        ReferenceCountUtil.release(message);
                        promise.setSuccess();
                    }
                });
            });
            assertThat(until(network, 5_000, () -> client.recorder().events().contains("active"))).isTrue();
            until(network, 9_000, () -> false);
            assertThat(sessions.get(0).isOpen()).isTrue();
            assertThat(until(network, 8_000, () -> !sessions.get(0).isOpen())).isTrue();
            assertThat(network.stats().closed()).isEqualTo(Map.of(KcpCloseReason.FIRST_MESSAGE_TIMEOUT, 1L));
        }
    }
}
