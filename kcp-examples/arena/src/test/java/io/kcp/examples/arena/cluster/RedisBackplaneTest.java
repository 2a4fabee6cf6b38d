package io.kcp.examples.arena.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomBackplaneContract;
import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.room.Subscription;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract, and what is Redis' alone, against the real one. */
@Tag("interop")
class RedisBackplaneTest extends RoomBackplaneContract {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private static Path directory;

    private static RedisServer server;

    private final String room = "room-" + System.nanoTime();

    @BeforeAll
    static void startRedis() throws IOException {
        server = RedisServer.start(directory);
    }

    @AfterAll
    static void stopRedis() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected RoomBackplane open() {
        return open(100_000);
    }

    private static RedisBackplane open(int entries) {
        return new RedisBackplane(new RedisBackplaneProperties(server.uri(), entries, Duration.ofHours(1), Duration.ofSeconds(5)));
    }

    @Test
    void whoComesBackTooLateSeesAJump() throws InterruptedException {
        try (RedisBackplane backplane = open(100)) {
            CompletionStage<RoomPosition> last = backplane.publish(room, "ann", 1, bytes("m1"));
            for (int i = 2; i <= 1000; i++) {
                last = backplane.publish(room, "ann", i, bytes("m" + i));
            }
            RoomPosition head = get(last);
            LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
            backplane.subscribe(room, RoomPosition.START, heard::add);
            RoomEntry first = heard.poll(10, TimeUnit.SECONDS);
            assertThat(first).isNotNull();
            assertThat(first.position().follows(RoomPosition.START)).isFalse();
            // Redis trims whole nodes of a hundred entries.
            assertThat(first.position().low()).isBetween(700L, 901L).isEqualTo(first.sequence());
            assertThat(get(backplane.head(room))).isEqualTo(head);
            assertThat(get(backplane.publish(room, "ann", 1000 - 63, bytes("again")))).isEqualTo(new RoomPosition(head.high(), 1000 - 63));
            assertThat(get(backplane.publish(room, "ann", 1000 - 64, bytes("again")))).isEqualTo(RoomPosition.START);
            assertThat(get(backplane.head(room))).isEqualTo(head);
        }
    }

    @Test
    void manyPagesAreCaughtUpWithWhileMoreComes() {
        try (RedisBackplane backplane = open(100_000)) {
            publishAll(backplane, 1, 3000);
            LinkedBlockingQueue<RoomEntry> early = new LinkedBlockingQueue<>();
            LinkedBlockingQueue<RoomEntry> late = new LinkedBlockingQueue<>();
            backplane.subscribe(room, get(backplane.head(room)), early::add);
            for (int i = 3001; i <= 4000; i++) {
                backplane.publish(room, "ann", i, bytes("m" + i));
                if (i == 3500) {
                    backplane.subscribe(room, RoomPosition.START, late::add);
                }
            }
            assertThat(sequences(early, 1000)).containsExactlyElementsOf(LongStream.rangeClosed(3001, 4000).boxed().toList());
            assertThat(sequences(late, 4000)).containsExactlyElementsOf(LongStream.rangeClosed(1, 4000).boxed().toList());
        }
    }

    @Test
    void aRoomThatIsAddedNeedNotWaitForTheReaderToLookUp() {
        try (RedisBackplane backplane = open(1000)) {
            long start = System.nanoTime();
            int rooms = 5;
            for (int i = 0; i < rooms; i++) {
                LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
                backplane.subscribe(room + i, RoomPosition.START, heard::add);
                get(backplane.publish(room + i, "ann", 1, bytes("m")));
                sequences(heard, 1);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LogReader.BLOCK.multipliedBy(rooms - 1));
        }
    }

    @Test
    void aRoomThatIsLeftAndEnteredAgainIsHeardFromWhereItIsAskedFor() {
        try (RedisBackplane backplane = open(1000)) {
            publishAll(backplane, 1, 20);
            for (int i = 0; i < 20; i++) {
                LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
                Subscription subscription = backplane.subscribe(room, RoomPosition.START, heard::add);
                assertThat(sequences(heard, 20)).containsExactlyElementsOf(LongStream.rangeClosed(1, 20).boxed().toList());
                subscription.close();
                backplane.subscribe(room, get(backplane.head(room)), entry -> { }).close();
            }
        }
    }

    @Test
    void aLogThatIsLostIsNotTakenForItsSuccessor() {
        try (RedisBackplane backplane = open(1000)) {
            publishAll(backplane, 1, 20);
            RoomPosition before = get(backplane.head(room));
            LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
            backplane.subscribe(room, before, heard::add);
            forget(RoomKeys.log(room), RoomKeys.head(room), RoomKeys.sent(room, "ann"));
            RoomPosition after = get(backplane.publish(room, "ann", 1, bytes("anew")));
            assertThat(after).isGreaterThan(before);
            assertThat(after.follows(before)).isFalse();
            assertThat(sequences(heard, 1)).containsExactly(1L);
        }
    }

    /** As after a fail-over to a replica that had not got everything. */
    @Test
    void aLogThatLostItsLastEntriesGivesTheirPositionsToNobody() {
        List<String> keys = List.of(RoomKeys.log(room), RoomKeys.head(room), RoomKeys.sent(room, "ann"));
        try (RedisBackplane backplane = open(1000)) {
            LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
            backplane.subscribe(room, RoomPosition.START, heard::add);
            publishAll(backplane, 1, 10);
            keys.forEach(key -> ask(redis -> redis.copy(key, key + ":replica")));
            publishAll(backplane, 11, 20);
            sequences(heard, 20);
            RoomPosition before = get(backplane.head(room));
            keys.forEach(key -> ask(redis -> redis.rename(key + ":replica", key)));
            RoomPosition after = get(backplane.publish(room, "bob", 1, bytes("anew")));
            assertThat(after).isGreaterThan(before);
            assertThat(after.follows(before)).isFalse();
            RoomPosition again = get(backplane.publish(room, "ann", 11, bytes("again")));
            assertThat(again.follows(after)).isTrue();
            assertThat(sequences(heard, 2)).containsExactly(1L, 11L);
            assertThatThrownBy(() -> get(backplane.publish(room, "ann", 21, bytes("m21")))).hasMessageContaining("1 to 12");
        }
    }

    @Test
    void aLeaderThatWasReplacedCannotOverwriteTheWorld() {
        try (RedisBackplane old = open(1000); RedisBackplane successor = open(1000)) {
            assertThat(get(old.lead(room, "one", Duration.ofMillis(50)))).isTrue();
            get(old.saveWorld(room, bytes("old")));
            Eventually.await("the lead ends", LIMIT, () -> get(successor.lead(room, "one", Duration.ofMinutes(1))), () -> "");
            get(successor.saveWorld(room, bytes("new")));
            assertThatThrownBy(() -> get(old.saveWorld(room, bytes("late")))).hasMessageContaining("is led by one/");
            assertThat(get(successor.loadWorld(room))).isEqualTo(bytes("new"));
        }
    }

    @Test
    void aNameThatIsKeptHasTheTimeThatIsAskedFor() {
        try (RedisBackplane backplane = open(1000)) {
            byte[] token = bytes("0123456789abcdef");
            get(backplane.bind(room, token, Duration.ofSeconds(10)));
            get(backplane.keep(room, token, Duration.ofMinutes(10)));
            long secondsLeft = ask(redis -> redis.ttl(RoomKeys.tokenOf(room)));
            assertThat(secondsLeft).isBetween(500L, 600L);
        }
    }

    @Test
    void aWorldIsKeptForAWhileAndNoLonger() {
        try (RedisBackplane backplane = open(1000)) {
            get(backplane.saveWorld(room, bytes("world")));
            long secondsLeft = ask(redis -> redis.ttl(RoomKeys.world(room)));
            assertThat(secondsLeft).isBetween(500L, 600L);
        }
    }

    @Test
    void aCrashOfRedisLosesAndRepeatsNothing() throws IOException, InterruptedException {
        int users = 60;
        int messages = 50 * users;
        try (RedisBackplane backplane = open(100_000)) {
            LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
            backplane.subscribe(room, RoomPosition.START, heard::add);
            List<CompletionStage<RoomPosition>> answers = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                answers.add(backplane.publish(room, "user-" + i % users, i / users + 1, bytes("m" + i)));
                if (i == messages / 3) {
                    get(answers.get(i / 2));
                    server.kill();
                }
                if (i == 2 * messages / 3) {
                    server.start();
                }
            }
            Map<RoomPosition, String> places = new HashMap<>();
            for (int i = 0; i < messages; i++) {
                String user = "user-" + i % users;
                int sequence = i / users + 1;
                String before = places.put(answerOrAgain(backplane, answers.get(i), user, sequence, bytes("m" + i)), user + ' ' + sequence);
                assertThat(before).as("where %s %d stands too", user, sequence).isNull();
            }
            RoomPosition last = RoomPosition.START;
            for (int i = 0; i < messages; i++) {
                RoomEntry entry = heard.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(entry).as("after %s", last).isNotNull();
                assertThat(entry.position().follows(last)).as("%s after %s", entry.position(), last).isTrue();
                assertThat(places.get(entry.position())).isEqualTo(entry.user() + ' ' + entry.sequence());
                last = entry.position();
            }
            assertThat(get(backplane.head(room))).isEqualTo(last);
        }
    }

    @Test
    void aRedisThatIsNotThereFailsAtOnce() throws IOException {
        RedisBackplaneProperties nowhere = new RedisBackplaneProperties("redis://127.0.0.1:" + FreePort.find(), 1, Duration.ofHours(1),
            Duration.ofSeconds(5));
        assertThatThrownBy(() -> new RedisBackplane(nowhere)).isInstanceOf(RedisConnectionException.class);
    }

    private RoomPosition answerOrAgain(RedisBackplane backplane, CompletionStage<RoomPosition> answer, String user, int sequence,
        byte[] message) {
        try {
            return get(answer);
        } catch (CompletionException lost) {
            assertThat(lost.getCause()).as("the numbers were right").isNotInstanceOf(IllegalArgumentException.class);
            return get(backplane.publish(room, user, sequence, message));
        }
    }

    private void publishAll(RedisBackplane backplane, int from, int to) {
        List<CompletionStage<RoomPosition>> answers = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            answers.add(backplane.publish(room, "ann", i, bytes("m" + i)));
        }
        answers.forEach(RedisBackplaneTest::get);
    }

    private static void forget(String... keys) {
        long forgotten = ask(redis -> redis.del(keys));
        assertThat(forgotten).isEqualTo(keys.length);
    }

    private static <T> T ask(Function<RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(server.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static List<Long> sequences(LinkedBlockingQueue<RoomEntry> heard, int count) {
        List<Long> sequences = new ArrayList<>();
        try {
            while (sequences.size() < count) {
                RoomEntry entry = heard.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(entry).as("after %s", sequences).isNotNull();
                sequences.add(entry.sequence());
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        return sequences;
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
