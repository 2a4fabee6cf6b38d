package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests transfers over real sockets with every transport that is available on this machine. */
@Timeout(120)
@Tag("jdk")
class LoopbackTest {

    @ParameterizedTest
    @EnumSource
    void messagesOfRandomSizesAreEchoed(KcpTransport transport) throws Exception {
        long seed = 11;
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<String> expected = new ArrayList<>();
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).config(KcpConfig.fast3()));
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(loopback.client(answers).config(KcpConfig.fast3()), server.localAddress());
            for (int i = 0; i < 500; i++) {
                byte[] message = new byte[random.nextInt(100) == 0 ? 0 : random.nextInt(1 << random.nextInt(1, 15))];
                random.nextBytes(message);
                expected.add(new String(message, StandardCharsets.ISO_8859_1));
                client.write(loopback.allocator().buffer().writeBytes(message));
            }
            client.flush();
            assertThat(answers.next(expected.size()).equals(expected)).isTrue();
            assertThat(answers.waiting()).isZero();
            Loopback.done(client.acknowledged());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void bulkDataArrivesIntactInBothDirections(KcpTransport transport) throws Exception {
        int bytes = 20_000_000;
        KcpConfig wide = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).windows(1_024).build();
        CompletableFuture<StreamPump> accepted = new CompletableFuture<>();
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    StreamPump pump = new StreamPump(1, bytes);
                    session.pipeline().addLast(pump);
                    accepted.complete(pump);
                }
            }).config(wide));
            StreamPump there = new StreamPump(2, bytes);
            loopback.connect(loopback.client(there).config(wide), server.localAddress());
            StreamPump back = accepted.get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            assertThat(back.receivedDigest().get(60, TimeUnit.SECONDS)).isEqualTo(there.sentDigest().get());
            assertThat(there.receivedDigest().get(60, TimeUnit.SECONDS)).isEqualTo(back.sentDigest().get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void kernelDistributesClientsOverAllEventLoops(KcpTransport transport) throws Exception {
        int loops = 4;
        int clients = BootstrapAccess.balancesPort(transport) ? 256 : 64;
        Set<KcpChannel> sessions = ConcurrentHashMap.newKeySet();
        try (Loopback loopback = new Loopback(transport, loops)) {
            KcpServerChannel server = loopback.bind(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    sessions.add(session);
                    session.pipeline().addLast(EchoHandler.INSTANCE);
                }
            });
            List<MessageCollector> answers = new ArrayList<>();
            KcpBootstrap bootstrap = loopback.client(new MessageCollector()).socketBufferBytes(64 << 10);
            for (int i = 0; i < clients; i++) {
                MessageCollector collector = new MessageCollector();
                answers.add(collector);
                KcpChannel client = loopback.connect(bootstrap.handler(collector), server.localAddress());
                client.writeAndFlush(client.alloc().buffer().writeInt(i));
            }
            for (MessageCollector collector : answers) {
                assertThat(collector.next()).hasSize(4);
            }
            assertThat(sessions).hasSize(clients);
            assertThat(server.datagramChannels()).hasSize(BootstrapAccess.balancesPort(transport) ? loops : 1);
            assertThat(sessions.stream().map(KcpChannel::eventLoop).collect(Collectors.toSet()))
                .hasSameSizeAs(server.datagramChannels());
            assertThat(sessions).allMatch(session -> session.eventLoop() == session.datagramChannel().eventLoop());
            assertThat(Loopback.result(server.collectStats()).activeSessions()).isEqualTo(clients);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void allEventLoopsServeThousandsOfSessions(KcpTransport transport) throws Exception {
        int sockets = 64;
        int sessionsEach = 32;
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            List<MessageCollector> answers = new ArrayList<>();
            for (int i = 0; i < sockets; i++) {
                KcpHandler handler = new KcpClientHandlerBuilder().build();
                loopback.datagramChannel(handler);
                for (int conv = 0; conv < sessionsEach; conv++) {
                    MessageCollector collector = new MessageCollector();
                    answers.add(collector);
                    KcpChannel session =
                        (KcpChannel) Loopback.done(handler.connect(server.localAddress(), conv, collector)).channel();
                    session.writeAndFlush(session.alloc().buffer().writeZero(100));
                }
            }
            for (MessageCollector collector : answers) {
                assertThat(collector.next()).hasSize(100);
            }
            assertThat(Loopback.result(server.collectStats()).activeSessions()).isEqualTo(sockets * sessionsEach);
            // Where the kernel balances the port, each loop has one socket. Clients are assigned by address hash, so not evenly.
            for (Channel socket : server.datagramChannels()) {
                KcpListenerStats part = Loopback.result(socket.pipeline().get(KcpHandler.class).collectStats());
                assertThat(part.activeSessions()).isGreaterThanOrEqualTo(sockets * sessionsEach / 10);
            }
            assertThat(server.datagramChannels()).hasSize(BootstrapAccess.balancesPort(transport) ? 2 : 1);
        }
    }
}
