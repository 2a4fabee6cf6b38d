package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;

/** Tests the scripts and keys with a real Redis server. */
@Tag("interop")
@Timeout(60)
class ArenaRedisTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int HISTORY = 1_000;
    private static final String ANN = new Token(1, 2).login("ann");
    private static final String BOB = new Token(3, 4).login("bob");
    @TempDir
    private static Path directory;
    private static RedisServer server;
    private static RedisClients clients;
    private static ArenaRedis redis;

    @BeforeAll
    static void start() throws IOException {
        server = RedisServer.start(directory);
        clients = new RedisClients(server);
        redis = clients.redis;
    }

    @AfterAll
    static void stop() {
        if (clients != null) {
            clients.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static void publish(String room, RoomPosition head, String login, long sequence) {
        RedisClients.await(redis.publish(room, head, HISTORY, login, sequence, login + sequence));
    }

    private static List<ServerMessage.Said> all(String room, RoomPosition after) {
        return RedisClients.await(redis.after(room, after, HISTORY));
    }

    @Test
    void repeatedMessageIsPublishedOnce() {
        RoomPosition start = RedisClients.await(redis.open("once"));
        assertThat(start.entry()).isZero();
        publish("once", start, ANN, 1);
        publish("once", start, BOB, 1);
        publish("once", start, ANN, 1);
        publish("once", start, ANN, 2);
        assertThat(all("once", start)).extracting(ServerMessage.Said::text).containsExactly(ANN + 1, BOB + 1, ANN + 2);
        assertThat(all("once", start.next())).extracting(said -> said.position().entry()).containsExactly(2L, 3L);
        assertThat(RedisClients.await(redis.open("once"))).isEqualTo(new RoomPosition(start.log(), 3));
    }

    @Test
    void messageAfterMissingOneIsRefused() {
        RoomPosition start = RedisClients.await(redis.open("gap"));
        assertThatThrownBy(() -> publish("gap", start, ANN, 2)).hasRootCauseInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("sequence: 2 of " + ANN + " (expected: at most 1)");
        assertThat(all("gap", start)).isEmpty();
    }

    @Test
    void newLogBeginsWhenRedisHasLostMessages() {
        RoomPosition start = RedisClients.await(redis.open("lost"));
        publish("lost", start, ANN, 1);
        RoomPosition known = new RoomPosition(start.log(), 2);
        publish("lost", known, ANN, 2);
        assertThat(all("lost", known)).singleElement().satisfies(said -> {
            assertThat(said.position().log()).isGreaterThan(start.log());
            assertThat(said.position().entry()).isEqualTo(1);
        });
    }

    @Test
    void eventsReachSubscribersAndWorldIsKept() {
        Queue<byte[]> received = new ConcurrentLinkedQueue<>();
        Disposable subscription = redis.events("events").subscribe(received::add);
        await("the subscription works").atMost(SOON).until(() -> {
            redis.send("events", new byte[] {1, 2});
            return !received.isEmpty();
        });
        assertThat(received.element()).containsExactly(1, 2);
        publish("events", RoomPosition.START, ANN, 1);
        await("a new message is announced").atMost(SOON)
            .until(() -> received.stream().anyMatch(event -> event.length == 1 && event[0] == ArenaRedis.NEW_MESSAGES));
        subscription.dispose();
        assertThat(RedisClients.await(redis.loadWorld("events"))).isNull();
        RedisClients.await(redis.saveWorld("events", new byte[] {7}));
        assertThat(RedisClients.await(redis.loadWorld("events"))).containsExactly(7);
    }

    @Test
    void oneGatewayLeadsUntilItReleasesOrStopsRenewing() throws Exception {
        try (RedisClients others = new RedisClients(server); Leadership here = clients.leadership(Duration.ofSeconds(2));
             Leadership there = others.leadership(Duration.ofSeconds(2))) {
            assertThat(RedisClients.await(here.renew("lead"))).isNotNull();
            assertThat(RedisClients.await(there.renew("lead"))).isNull();
            assertThat(RedisClients.await(here.renew("lead"))).isNotNull();
            RedisClients.await(here.release("lead"));
            await("the other leads").atMost(SOON).until(() -> RedisClients.await(there.renew("lead")) != null);
            await("leads after the lock expired").atMost(SOON).until(() -> RedisClients.await(here.renew("lead")) != null);
            assertThat(RedisClients.await(there.renew("lead"))).as("lost").isNull();
            assertThat(RedisClients.await(here.renew("lead"))).isNotNull();
        }
    }
}
