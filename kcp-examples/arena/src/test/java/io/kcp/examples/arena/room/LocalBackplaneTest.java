package io.kcp.examples.arena.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalBackplaneTest extends RoomBackplaneContract {

    private final LocalBackplane shared = new LocalBackplane();

    @Override
    protected RoomBackplane open() {
        return shared;
    }

    /** Several gateways in one process share the one memory: closing one of them leaves it. */
    @Override
    protected void release(RoomBackplane backplane) {
        assertThat(backplane).isSameAs(shared);
    }

    @AfterEach
    void closeShared() {
        shared.close();
    }

    @Test
    void whatIsHeldForATimeEndsWithIt() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5_000_000);
        try (LocalBackplane backplane = new LocalBackplane(nanos::get, 10)) {
            Duration time = Duration.ofMillis(10);
            assertThat(get(backplane.lead("room", "one", time))).isTrue();
            assertThat(get(backplane.claim("ann", "one", 2, time))).isEqualTo("one");
            assertThat(get(backplane.enter("room", "ann", RoomPosition.START, time))).isEqualTo(RoomPosition.START);
            assertThat(get(backplane.bind("ann", bytes("token"), time))).isEqualTo(NameHolder.NOBODY);
            nanos.addAndGet(time.toNanos() - 1);
            assertThat(get(backplane.lead("room", "two", time))).isFalse();
            assertThat(get(backplane.bind("ann", bytes("other"), time))).isEqualTo(NameHolder.ANOTHER);
            assertThat(get(backplane.claim("ann", "two", 1, time))).isEqualTo("one");
            assertThat(get(backplane.entered("room", "ann"))).isEqualTo(RoomPosition.START);
            nanos.addAndGet(1);
            assertThat(get(backplane.entered("room", "ann"))).isNull();
            assertThat(get(backplane.lead("room", "two", time))).isTrue();
            assertThat(get(backplane.claim("ann", "two", 1, time))).isEqualTo("two");
            assertThat(get(backplane.bind("ann", bytes("other"), time))).isEqualTo(NameHolder.NOBODY);
        }
    }

    @Test
    void theOldestMessagesAreForgotten() throws InterruptedException {
        try (LocalBackplane backplane = new LocalBackplane(System::nanoTime, 3)) {
            for (int i = 1; i <= 5; i++) {
                get(backplane.publish("room", "ann", i, bytes("m" + i)));
            }
            LinkedBlockingQueue<RoomEntry> heard = new LinkedBlockingQueue<>();
            backplane.subscribe("room", RoomPosition.START, heard::add);
            assertThat(heard.poll(10, TimeUnit.SECONDS)).extracting(RoomEntry::sequence).isEqualTo(3L);
            get(backplane.publish("room", "ann", 1, bytes("m1")));
            assertThat(get(backplane.head("room")).low()).isEqualTo(5);
        }
    }

    @Test
    void whoSaidNothingThatIsRememberedIsForgotten() {
        try (LocalBackplane backplane = new LocalBackplane(System::nanoTime, 3)) {
            for (int i = 1; i <= 5; i++) {
                get(backplane.publish("room", "user-" + i, 1, bytes("m" + i)));
            }
            assertThat(get(backplane.publish("room", "user-3", 1, bytes("again"))).low()).isEqualTo(3);
            assertThat(get(backplane.publish("room", "user-3", 2, bytes("more"))).low()).isEqualTo(6);
            assertThatThrownBy(() -> get(backplane.publish("room", "user-2", 2, bytes("more"))))
                .hasMessageContaining("sequence: 2 of user-2 (expected: 1 to 1)");
            get(backplane.publish("room", "user-6", 1, bytes("m6")));
            assertThat(get(backplane.publish("room", "user-3", 2, bytes("again"))).low()).isEqualTo(6);
            assertThatThrownBy(() -> get(backplane.publish("room", "user-4", 2, bytes("more")))).hasMessageContaining("expected: 1 to 1");
        }
    }

    @Test
    void aClosedOneRefusesQuestions() {
        LocalBackplane backplane = new LocalBackplane();
        backplane.close();
        backplane.close();
        backplane.sendInput("room", bytes("input"));
        assertThatThrownBy(() -> get(backplane.head("room"))).hasMessageContaining("closed");
    }

    @Test
    void positionsAreOrderedAsUnsignedNumbers() {
        RoomPosition position = RoomPosition.parse("18446744073709551615-7");
        assertThat(position).hasToString("18446744073709551615-7").isGreaterThan(new RoomPosition(Long.MAX_VALUE, 9))
            .isLessThan(new RoomPosition(-1, 8));
        assertThat(RoomPosition.parse("0-0")).isEqualTo(RoomPosition.START);
        for (String wrong : new String[] {"", "-", "1", "1-", "-1", "1-x", "1-2-3", "99999999999999999999-0"}) {
            assertThatThrownBy(() -> RoomPosition.parse(wrong)).as(wrong)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("position: '");
        }
    }
}
