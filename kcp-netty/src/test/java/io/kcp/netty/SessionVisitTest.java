package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.netty.util.concurrent.Future;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SessionVisitTest {

    private static final int SESSIONS = 500;

    @Test
    void everyOpenSessionIsVisitedOnItsOwnEventLoop() throws Exception {
        int clients = 24;
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            Set<Object> addresses = new HashSet<>();
            for (int i = 1; i <= clients; i++) {
                MessageCollector answers = new MessageCollector();
                KcpChannel client = loopback.connect(server, answers);
                client.writeAndFlush(client.alloc().buffer().writeZero(i));
                answers.next();
                addresses.add(client.localAddress());
            }
            Map<Object, KcpSessionView> views = new ConcurrentHashMap<>();
            Queue<String> strays = new ConcurrentLinkedQueue<>();
            Loopback.result(server.forEachSession(view -> {
                if (!view.channel().eventLoop().inEventLoop()) {
                    strays.add(Thread.currentThread().getName());
                }
                views.put(view.remoteAddress(), view);
            }));
            assertThat(strays).isEmpty();
            assertThat(views.keySet()).isEqualTo(addresses);
            assertThat(views.values()).allSatisfy(view -> {
                assertThat(view.conv()).isEqualTo(view.channel().conv());
                assertThat(view.ageMs()).isBetween(0L, 60_000L);
            });
            assertThat(views.values().stream().mapToLong(view -> view.stats().counters().bytesReceived()).sum())
                .isEqualTo(clients * (clients + 1) / 2);
            Loopback.done(server.close());
            Loopback.result(server.forEachSession(view -> strays.add("open: " + view)));
            assertThat(strays).isEmpty();
        }
    }

    @Test
    void failingActionEndsTheVisit() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            client.writeAndFlush(client.alloc().buffer().writeZero(1));
            assertThat(answers.next()).hasSize(1);
            Future<Void> visit = Loopback.ended(server.forEachSession(view -> {
                throw new IllegalStateException("no more");
            }));
            assertThat(visit.cause()).hasMessage("no more");
        }
    }

    @Test
    void visitRunsInTurnsAndSkipsClosedSessions() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            for (int conv = 1; conv <= SESSIONS; conv++) {
                link.connect(conv).session().writeAndFlush(link.bytes(1));
            }
            link.settle();
            link.advanceMs(1_234);
            Set<Integer> visited = new HashSet<>();
            Set<Long> ages = new HashSet<>();
            DefaultKcpHandler server = link.server().handler();
            Future<Void> visit = server.visits().visitActive(view -> {
                visited.add(view.conv());
                ages.add(view.ageMs());
            });
            assertThat(visit.isDone()).as("in one turn").isFalse();
            int[] last = new int[1];
            link.accepted().forEach(recorder -> {
                if (!visited.contains(recorder.session().conv())) {
                    last[0] = recorder.session().conv();
                }
            });
            link.accepted().stream().map(SessionRecorder::session).filter(session -> session.conv() == last[0])
                .forEach(KcpChannel::close);
            link.settle();
            link.server().channel().runScheduledPendingTasks();
            assertThat(visit.isSuccess()).isTrue();
            assertThat(visited).hasSize(SESSIONS - 1).doesNotContain(last[0]);
            assertThat(ages).containsExactly(1_234L);
        }
    }

    @Test
    void closesAreCountedByReason() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder idle = link.connect(1);
            idle.session().config().setOption(KcpChannelOption.IDLE_TIMEOUT_MS, 2_000);
            SessionRecorder byApplication = link.establish(2);
            link.advanceMs(5_000);
            byApplication.session().close();
            SessionRecorder lingering = link.establish(3);
            link.client().loseAll();
            lingering.session().config().setOption(KcpChannelOption.LINGER_MS, 100);
            lingering.session().writeAndFlush(link.text("lost"));
            lingering.session().close();
            link.establish(4);
            link.advanceMs(1_000);
            KcpListenerStats stats = link.client().stats();
            assertThat(stats.closed()).isEqualTo(Map.of(KcpCloseReason.IDLE, 1L, KcpCloseReason.LINGER_EXPIRED, 1L));
            assertThat(stats.closedByApplication()).isEqualTo(1);
            assertThat(stats.activeSessions()).isEqualTo(1);
            assertThat(stats.open().unacknowledgedBytes()).as("of those open").isEqualTo("hello".length());
            assertThat(stats.open().waitingSegments()).isEqualTo(1);
        }
    }
}
