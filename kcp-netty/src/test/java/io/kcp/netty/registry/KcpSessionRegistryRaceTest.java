package io.kcp.netty.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads perform random operations on the same sessions while the sessions close on their event loops. */
@Timeout(60)
class KcpSessionRegistryRaceTest {

    private static final int ROUNDS = 60;
    private static final int SESSIONS = 4;
    private static final int THREADS = 3;
    private static final int STEPS = 40;

    private final Loopback loopback = new Loopback(KcpTransport.best(), 2);
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final KcpSessionRegistry<Integer, Integer> registry = new KcpSessionRegistry<>();
    private final List<KcpChannel> opened = new ArrayList<>();

    @AfterEach
    void close() {
        threads.shutdownNow();
        opened.forEach(session -> Loopback.done(session.close()));
        loopback.close();
    }

    private List<KcpChannel> open() {
        List<KcpChannel> sessions = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            sessions.add((KcpChannel) Loopback.done(loopback.client(new ChannelInboundHandlerAdapter() { })
                .connect("127.0.0.1", 9)).channel());
        }
        opened.addAll(sessions);
        return sessions;
    }

    @Test
    void whateverThreadsDoNothingIsLeftOfClosedSessions() throws Exception {
        long seed = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            List<KcpChannel> sessions = open();
            sessions.forEach(registry::add);
            run(sessions, seed + round * 1_000L);
            sessions.forEach(session -> registry.kick(session, "over", null));
            sessions.forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
            String as = "seed " + (seed + round * 1_000L);
            assertThat(registry.size()).as(as).isZero();
            assertThat(registry.groups()).as(as).isEmpty();
            for (int user = 0; user < SESSIONS; user++) {
                assertThat(registry.find(user)).as(as).isNull();
            }
        }
    }

    private void run(List<KcpChannel> sessions, long seed) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            SplittableRandom random = new SplittableRandom(seed + thread);
            done.add(threads.submit(() -> {
                start.await();
                for (int step = 0; step < STEPS; step++) {
                    act(sessions.get(random.nextInt(SESSIONS)), random);
                }
                return null;
            }));
        }
        for (Future<?> thread : done) {
            thread.get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    private void act(KcpChannel session, SplittableRandom random) {
        int who = random.nextInt(SESSIONS);
        switch (random.nextInt(9)) {
            case 0, 1 -> registry.bind(who, session);
            case 2, 3 -> registry.join(who, session);
            case 4 -> registry.leave(who, session);
            case 5 -> registry.broadcast(who, loopback.allocator().buffer().writeByte('x'), channel -> false);
            case 6 -> registry.members(who).forEach(member -> assertThat(member).isNotNull());
            case 7 -> registry.userOf(session);
            default -> {
                if (random.nextInt(20) == 0) {
                    session.close();
                } else if (random.nextInt(20) == 0) {
                    registry.kick(session, "by chance", null);
                }
            }
        }
    }

    @Test
    void ofTwoThreadsThatBindOneUserTheLastOneWinsAndTheOtherIsToldOfIt() throws Exception {
        KcpChannel[] sessions = open().subList(0, 2).toArray(new KcpChannel[0]);
        registry.add(sessions[0]);
        registry.add(sessions[1]);
        for (int user = 0; user < 500; user++) {
            int bound = user;
            CyclicBarrier start = new CyclicBarrier(2);
            List<Future<KcpChannel>> before = new ArrayList<>();
            for (KcpChannel session : sessions) {
                before.add(threads.submit(() -> {
                    start.await();
                    return registry.bind(bound, session);
                }));
            }
            KcpChannel before0 = before.get(0).get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            KcpChannel before1 = before.get(1).get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            KcpChannel winner = registry.find(user);
            assertThat(winner).isIn((Object[]) sessions);
            KcpChannel loser = winner == sessions[0] ? sessions[1] : sessions[0];
            assertThat(winner == sessions[0] ? before0 : before1).isSameAs(loser);
            assertThat(winner == sessions[0] ? before1 : before0).isNull();
            assertThat(registry.userOf(winner)).isEqualTo(user);
            assertThat(registry.userOf(loser)).isNull();
        }
    }
}
