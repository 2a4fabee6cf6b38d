package io.kcp.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.Loopback;
import io.kcp.netty.MessageCollector;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class SessionTimersTest {

    @Test
    void simultaneousRetransmissionsAreSentWithOneFlush() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<KcpChannel> sessions = new ArrayList<>();
            for (int conv = 1; conv <= 50; conv++) {
                sessions.add(link.establish(conv).session());
            }
            link.client().loseAll();
            sessions.forEach(session -> session.writeAndFlush(link.text("lost")));
            link.settle();
            int before = link.client().flushes();
            link.client().sent().clear();
            assertThat(link.advanceUntil(() -> link.client().sent().size() > 0, 1_000)).isTrue();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).as("all repeat").hasSize(50);
            assertThat(link.client().flushes() - before).isEqualTo(1);
        }
    }

    @Test
    void overdueDeadlinesRunInTheNextTurn() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder slow = link.connect(1, new SessionRecorder().onException((ctx, cause) -> {
                link.client().sent().clear();
                link.passMs(5_000);
            }));
            slow.session().config().setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 1_000);
            SessionRecorder other = link.establish(2);
            link.client().loseAll();
            slow.session().writeAndFlush(link.text("lost"));
            other.session().writeAndFlush(link.text("lost"));
            assertThat(link.advanceUntil(() -> !slow.session().isOpen(), 10_000)).isTrue();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).isNotEmpty();
        }
    }

    @Test
    void handlerTimeIsNotPartOfTheRoundTrip() {
        EmbeddedLink[] itself = new EmbeddedLink[1];
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, message) -> {
            itself[0].passMs(1_500);
            ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'));
        }))) {
            itself[0] = link;
            link.establish(1);
            link.settle();
            KcpSessionStats stats = link.accepted(0).session().collectStats().getNow();
            assertThat(stats.smoothedRttMs()).isLessThan(100);
            assertThat(stats.counters().retransmissions()).isZero();
            link.advanceMs(100);
            assertThat(link.accepted(0).session().collectStats().getNow().counters().retransmissions()).isZero();
        }
    }

    /** Without rounding, there are 1,000 wake-ups per second. */
    @ParameterizedTest
    @CsvSource({"2000, 20", "5000, 5"})
    @Tag("slow")
    void delayedAcknowledgementsOfManySessionsShareWakeUps(int sessions, int messagesPerMs) {
        int intervalMs = 10;
        int warmUpMs = sessions / messagesPerMs + 100;
        int durationMs = warmUpMs + 400;
        KcpConfig delayed = KcpConfig.builder().intervalMs(intervalMs).ackNoDelay(false).build();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KCP_CONFIG, delayed)
            .maxSessions(20_000).maxSessionsPerAddress(20_000).maxUnvalidatedSessions(20_000), SessionRecorder::new)) {
            List<KcpChannel> clients = new ArrayList<>();
            for (int conv = 1; conv <= sessions; conv++) {
                clients.add(link.connect(conv).session());
            }
            List<Integer> acknowledged = new ArrayList<>();
            int flushes = 0;
            for (int ms = 1; ms <= durationMs; ms++) {
                link.ticker.advance(1, TimeUnit.MILLISECONDS);
                for (int i = 0; i < messagesPerMs; i++) {
                    clients.get((ms * messagesPerMs + i) % sessions).writeAndFlush(link.text("x"));
                }
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, link.client().take().toArray(ByteBuf[]::new));
                link.client().receive(EmbeddedLink.SERVER_ADDRESS, link.server().take().toArray(ByteBuf[]::new));
                flushes = ms == warmUpMs ? link.server().flushes() : flushes;
                acknowledged.add(link.server().sent().segments(SegmentHeader.CMD_ACK).size());
            }
            assertThat(link.server().flushes() - flushes).as("wake-ups in 400 ms").isBetween(80, 120);
            int longestMs = intervalMs + 4;
            for (int ms = longestMs + 1; ms <= durationMs; ms++) {
                assertThat(acknowledged.get(ms - 1)).as("ACKs after %s ms", ms).isGreaterThanOrEqualTo((ms - longestMs) * messagesPerMs);
            }
        }
    }

    @Test
    void deadlinesAreSplitAcrossTurns() {
        int sessions = 3 * SessionTimers.MAX_SESSIONS_PER_ITERATION;
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<KcpChannel> clients = new ArrayList<>();
            for (int conv = 1; conv <= sessions; conv++) {
                clients.add(link.establish(conv).session());
            }
            link.client().loseAll();
            clients.forEach(session -> session.writeAndFlush(link.text("lost")));
            link.settle();
            int before = link.client().flushes();
            link.client().sent().clear();
            assertThat(link.advanceUntil(() -> link.client().sent().size() > 0, 1_000)).isTrue();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).as("all repeat").hasSize(sessions);
            assertThat(link.client().flushes() - before).as("turns").isEqualTo(3);
        }
    }

    @Test
    void simultaneousKeepalivesAreSplitAcrossTurns() {
        int sessions = 2 * SessionTimers.MAX_SESSIONS_PER_ITERATION + 1;
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0),
            SessionRecorder::new)) {
            for (int conv = 1; conv <= sessions; conv++) {
                link.establish(conv);
            }
            int before = link.client().flushes();
            link.client().sent().clear();
            link.advanceMs(27_000);
            assertThat(link.client().sent().segments(SegmentHeader.CMD_WASK)).hasSize(sessions);
            assertThat(link.client().flushes() - before).as("turns").isEqualTo(3);
        }
    }

    @Test
    void sessionMayCloseOthersThatAreDue() {
        List<SessionRecorder> clients = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create()) {
            for (int conv = 1; conv <= 6; conv++) {
                clients.add(link.connect(conv, new SessionRecorder().onException((ctx, cause) -> clients.forEach(other -> {
                    other.session().config().setLingerMs(0);
                    other.session().close();
                }))));
            }
            link.client().loseAll();
            clients.forEach(client -> client.session().writeAndFlush(link.text("lost")));
            link.advanceMs(31_000);
            assertThat(clients).allMatch(client -> !client.session().isOpen());
            assertThat(clients.stream().mapToInt(client -> client.exceptions().size()).sum()).as("only one died by itself")
                .isEqualTo(1);
            assertThat(link.client().channel().runScheduledPendingTasks()).isEqualTo(-1);
        }
    }

    /** Small unread messages are copied with the allocator of their own socket, not with that of another socket on the loop. */
    @Test
    void sessionsUseTheAllocatorOfTheirSocket() {
        UnpooledByteBufAllocator other = new UnpooledByteBufAllocator(true, true);
        try (Loopback loopback = new Loopback(KcpTransport.NIO, 1)) {
            Channel first = Loopback.done(new Bootstrap().group(loopback.group()).channelFactory(KcpTransport.NIO.channelFactory())
                .option(ChannelOption.ALLOCATOR, other).handler(new KcpClientHandlerBuilder().build()).bind(Loopback.anyPort())).channel();
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .childOption(ChannelOption.AUTO_READ, false));
            KcpChannel client = loopback.connect(server, new MessageCollector());
            client.writeAndFlush(loopback.allocator().buffer().writeZero(50));
            Loopback.done(client.acknowledged());
            assertThat(other.metric().usedDirectMemory() + other.metric().usedHeapMemory()).isZero();
            Loopback.done(first.close());
        }
    }
}
