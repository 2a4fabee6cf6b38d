package io.kcp.examples.arena.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every backplane keeps to. A subclass says how one is made. Names are fresh in each test, so that a shared memory will do. */
@Timeout(30)
public abstract class RoomBackplaneContract {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final String id = Long.toHexString(ThreadLocalRandom.current().nextLong());
    private final String room = "room-" + id;
    private final String user = "user-" + id;
    private RoomBackplane backplane;

    /** Makes a backplane; all that a test makes share their memory. */
    protected abstract RoomBackplane open();

    /** Gives one back. */
    protected void release(RoomBackplane opened) {
        opened.close();
    }

    @BeforeEach
    void openBackplane() {
        backplane = open();
    }

    @AfterEach
    void closeBackplane() {
        release(backplane);
    }

    @Test
    void aMessageIsThereOnceHoweverOftenItIsPublished() {
        LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
        backplane.subscribe(room, RoomPosition.START, heard::add);
        RoomPosition first = get(backplane.publish(room, user, 1, bytes("a")));
        assertThat(get(backplane.publish(room, user, 1, bytes("a")))).isEqualTo(first);
        RoomPosition second = get(backplane.publish(room, user, 2, bytes("b")));
        assertThat(second).isGreaterThan(first);
        assertThat(get(backplane.publish(room, user, 1, bytes("a")))).isEqualTo(first);
        assertThat(get(backplane.publish(room, "other-" + id, 1, bytes("c")))).isGreaterThan(second);
        assertThat(texts(heard, 3)).containsExactly("a", "b", "c");
        assertThat(heard).isEmpty();
    }

    @Test
    void aGapInTheNumbersOfAUserIsRefused() {
        get(backplane.publish(room, user, 1, bytes("a")));
        assertThatThrownBy(() -> get(backplane.publish(room, user, 3, bytes("c"))))
            .hasRootCauseInstanceOf(IllegalArgumentException.class).hasMessageContaining("sequence: 3");
        assertThatThrownBy(() -> get(backplane.publish(room, user, 0, bytes("c")))).hasMessageContaining("sequence: 0");
        get(backplane.publish(room, user, 2, bytes("b")));
    }

    @Test
    void positionsShowWhetherSomethingIsMissing() {
        RoomPosition first = get(backplane.publish(room, user, 1, bytes("a")));
        RoomPosition second = get(backplane.publish(room, "other-" + id, 1, bytes("b")));
        RoomPosition third = get(backplane.publish(room, user, 2, bytes("c")));
        assertThat(first.follows(RoomPosition.START)).isTrue();
        assertThat(second.follows(first)).isTrue();
        assertThat(third.follows(second)).isTrue();
        assertThat(second.follows(RoomPosition.START)).isFalse();
        assertThat(third.follows(first)).isFalse();
        assertThat(first.follows(second)).isFalse();
        assertThat(new RoomPosition(third.high() + 1, 1).follows(third)).isFalse();
        assertThat(new RoomPosition(third.high() + 1, 4).follows(third)).isFalse();
    }

    @Test
    void whoComesLaterHearsEverythingAfterItsPositionAndThenWhatComes() {
        List<RoomPosition> positions = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            positions.add(get(backplane.publish(room, user, i, bytes("m" + i))));
        }
        LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
        backplane.subscribe(room, positions.get(19), heard::add);
        for (int i = 51; i <= 60; i++) {
            backplane.publish(room, user, i, bytes("m" + i));
        }
        List<RoomEntry> entries = take(heard, 40);
        assertThat(entries).extracting(RoomEntry::sequence).containsExactlyElementsOf(LongStream.rangeClosed(21, 60).boxed().toList());
        assertThat(entries).extracting(RoomEntry::position).isSorted();
        assertThat(get(backplane.head(room))).isEqualTo(entries.get(39).position());
    }

    @Test
    void aPageIsWhatStandsAfterAPositionAndNoMoreThanIsAskedFor() {
        List<RoomPosition> positions = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            positions.add(get(backplane.publish(room, user, i, bytes("m" + i))));
        }
        assertThat(get(backplane.after(room, RoomPosition.START, 4))).extracting(RoomEntry::position)
            .containsExactlyElementsOf(positions.subList(0, 4));
        assertThat(get(backplane.after(room, positions.get(3), 100))).extracting(RoomEntry::position)
            .containsExactlyElementsOf(positions.subList(4, 10));
        assertThat(get(backplane.after(room, positions.get(9), 1))).isEmpty();
        assertThat(get(backplane.after("empty-" + id, RoomPosition.START, 1))).isEmpty();
    }

    @Test
    void subscribersThatComeWhileOthersPublishMissNothing() {
        List<LinkedBlockingQueue<RoomEntry>> subscribers = new ArrayList<>();
        for (int i = 1; i <= 300; i++) {
            backplane.publish(room, user, i, bytes("m" + i));
            if (i % 30 == 0) {
                LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
                subscribers.add(heard);
                backplane.subscribe(room, RoomPosition.START, heard::add);
            }
        }
        List<Long> all = LongStream.rangeClosed(1, 300).boxed().toList();
        subscribers.forEach(heard -> assertThat(take(heard, 300)).extracting(RoomEntry::sequence).containsExactlyElementsOf(all));
    }

    @Test
    void anotherBackplaneHearsIt() {
        RoomBackplane other = open();
        LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
        other.subscribe(room, RoomPosition.START, heard::add);
        backplane.publish(room, user, 1, bytes("hello"));
        RoomEntry entry = take(heard, 1).get(0);
        assertThat(entry.user()).isEqualTo(user);
        assertThat(entry.message()).isEqualTo(bytes("hello"));
        release(other);
    }

    @Test
    void anEndedSubscriptionHearsNothingMore() {
        LinkedBlockingQueue<RoomEntry> ended = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
        Subscription subscription = backplane.subscribe(room, RoomPosition.START, ended::add);
        backplane.subscribe(room, RoomPosition.START, heard::add);
        get(backplane.publish(room, user, 1, bytes("a")));
        take(ended, 1);
        subscription.close();
        subscription.close();
        get(backplane.publish(room, user, 2, bytes("b")));
        take(heard, 2);
        assertThat(ended).isEmpty();
    }

    @Test
    void aListenerThatThrowsHarmsNobodyElse() {
        LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
        backplane.subscribe(room, RoomPosition.START, entry -> {
            throw new IllegalStateException("a listener that throws, on purpose");
        });
        backplane.subscribe(room, RoomPosition.START, heard::add);
        backplane.publish(room, user, 1, bytes("a"));
        backplane.publish(room, user, 2, bytes("b"));
        assertThat(texts(heard, 2)).containsExactly("a", "b");
    }

    @Test
    void anEmptyRoomBeginsAtTheStart() {
        assertThat(get(backplane.head(room))).isEqualTo(RoomPosition.START);
    }

    @Test
    void oneGatewayLeadsUntilItGivesUp() {
        assertThat(get(backplane.lead(room, "one", MINUTE))).isTrue();
        assertThat(get(backplane.lead(room, "two", MINUTE))).isFalse();
        assertThat(get(backplane.lead(room, "one", MINUTE))).isTrue();
        assertThat(get(backplane.lead(room, "two", Duration.ZERO))).isFalse();
        assertThat(get(backplane.lead(room, "two", MINUTE))).isFalse();
        assertThat(get(backplane.lead(room, "one", Duration.ZERO))).isFalse();
        assertThat(get(backplane.lead(room, "two", MINUTE))).isTrue();
    }

    @Test
    void inputsAndSnapshotsReachThoseWhoListen() {
        LinkedBlockingQueue<byte[]> inputs = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<byte[]> snapshots = new LinkedBlockingQueue<>();
        backplane.inputs(room, inputs::add);
        backplane.snapshots(room, snapshots::add);
        awaitLossy(() -> backplane.sendInput(room, bytes("input")), inputs, "input");
        awaitLossy(() -> backplane.publishSnapshot(room, bytes("snapshot")), snapshots, "snapshot");
    }

    @Test
    void theLastWorldIsKept() {
        assertThat(get(backplane.loadWorld(room))).isNull();
        get(backplane.saveWorld(room, bytes("old")));
        get(backplane.saveWorld(room, new byte[] {0, -1, 1}));
        assertThat(get(backplane.loadWorld(room))).containsExactly(0, -1, 1);
    }

    @Test
    void theGatewayOfAUserIsKnown() {
        assertThat(get(backplane.claim(user, "nowhere", 0, Duration.ZERO))).isNull();
        assertThat(get(backplane.claim(user, "one", 1, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "one", 1, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "two", 2, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", 1, Duration.ZERO))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", 3, Duration.ZERO))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "two", 1, Duration.ZERO))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "two", 2, Duration.ZERO))).isNull();
        assertThat(get(backplane.claim(user, "three", 1, MINUTE))).isEqualTo("three");
    }

    @Test
    void anAttemptThatIsLateTakesNobodyAway() {
        assertThat(get(backplane.claim(user, "one", 5, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "two", 4, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "two", 5, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "two", 6, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", 5, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "two", 7, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", Integer.MAX_VALUE, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "two", Integer.MIN_VALUE, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", Integer.MAX_VALUE, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", -1, MINUTE))).isEqualTo("one");
        assertThat(get(backplane.claim(user, "two", 0, MINUTE))).isEqualTo("two");
        assertThat(get(backplane.claim(user, "one", -1, MINUTE))).isEqualTo("two");
    }

    @Test
    void aNameIsBoundToOneToken() {
        byte[] token = bytes("0123456789abcdef");
        byte[] other = bytes("0123456789abcdeX");
        assertThat(get(backplane.bind(user, token, MINUTE))).isEqualTo(NameHolder.NOBODY);
        assertThat(get(backplane.bind(user, other, MINUTE))).isEqualTo(NameHolder.ANOTHER);
        assertThat(get(backplane.bind(user, other, Duration.ZERO))).isEqualTo(NameHolder.ANOTHER);
        assertThat(get(backplane.bind(user, token.clone(), MINUTE))).isEqualTo(NameHolder.SAME);
        assertThat(get(backplane.bind(user, token, Duration.ZERO))).isEqualTo(NameHolder.SAME);
        assertThat(get(backplane.bind(user, other, MINUTE))).isEqualTo(NameHolder.NOBODY);
    }

    @Test
    void aNameIsKeptByItsTokenAndStaysFreeIfItIs() {
        byte[] token = bytes("0123456789abcdef");
        byte[] other = bytes("0123456789abcdeX");
        assertThat(get(backplane.keep(user, token, MINUTE))).isEqualTo(NameHolder.NOBODY);
        assertThat(get(backplane.bind(user, other, MINUTE))).isEqualTo(NameHolder.NOBODY);
        assertThat(get(backplane.keep(user, other.clone(), MINUTE))).isEqualTo(NameHolder.SAME);
        assertThat(get(backplane.keep(user, token, Duration.ofMillis(1)))).isEqualTo(NameHolder.ANOTHER);
        assertThat(get(backplane.bind(user, token, MINUTE))).isEqualTo(NameHolder.ANOTHER);
        assertThat(get(backplane.keep(user, other, MINUTE))).isEqualTo(NameHolder.SAME);
    }

    @Test
    void itIsKnownSinceWhenAUserIsInARoom() {
        RoomPosition since = new RoomPosition(-1, 7);
        assertThat(get(backplane.entered(room, user))).isNull();
        assertThat(get(backplane.enter(room, user, since, MINUTE))).isEqualTo(since);
        assertThat(get(backplane.enter(room, user, RoomPosition.START, MINUTE))).isEqualTo(since);
        assertThat(get(backplane.entered(room, user))).isEqualTo(since);
        assertThat(get(backplane.entered("other-" + id, user))).isNull();
        assertThat(get(backplane.entered(room, "other-" + id))).isNull();
        assertThat(get(backplane.enter(room, user, RoomPosition.START, Duration.ZERO))).isEqualTo(since);
        assertThat(get(backplane.entered(room, user))).isNull();
    }

    /** May be lost, and be heard late: says it again until it is heard. */
    private static void awaitLossy(Runnable say, LinkedBlockingQueue<byte[]> heard, String expected) {
        try {
            byte[] bytes = null;
            for (int i = 0; i < 100 && bytes == null; i++) {
                say.run();
                bytes = heard.poll(100, TimeUnit.MILLISECONDS);
            }
            assertThat(bytes).isEqualTo(bytes(expected));
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static List<String> texts(LinkedBlockingQueue<RoomEntry> heard, int count) {
        return take(heard, count).stream().map(entry -> new String(entry.message(), StandardCharsets.UTF_8)).toList();
    }

    private static List<RoomEntry> take(LinkedBlockingQueue<RoomEntry> heard, int count) {
        List<RoomEntry> entries = new ArrayList<>();
        try {
            while (entries.size() < count) {
                RoomEntry entry = heard.poll(10, TimeUnit.SECONDS);
                assertThat(entry).as("after %s", entries).isNotNull();
                entries.add(entry);
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        return Collections.unmodifiableList(entries);
    }

    static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
