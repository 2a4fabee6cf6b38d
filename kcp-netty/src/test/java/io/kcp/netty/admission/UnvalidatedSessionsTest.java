package io.kcp.netty.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnvalidatedSessionsTest {

    private final AtomicInteger size = new AtomicInteger();
    private final UnvalidatedSessions<String> sessions = new UnvalidatedSessions<>(size::addAndGet);

    @Test
    void oldestIsReturnedFirst() {
        sessions.add("a", 1_000);
        UnvalidatedSessions.Entry<String> validated = sessions.add("b", 1_000);
        sessions.add("c", 2_000);
        sessions.remove(validated);
        sessions.remove(validated);
        assertThat(size).hasValue(2);
        assertThat(sessions.pollOldest()).isEqualTo("a");
        assertThat(sessions.pollOldest()).isEqualTo("c");
        assertThat(sessions.pollOldest()).isNull();
        sessions.add("d", 3_000);
        assertThat(sessions.pollOldest()).isEqualTo("d");
    }

    @Test
    void sessionsOfTenSecondsAreNotCounted() {
        UnvalidatedSessions.Entry<String> old = sessions.add("old", 1_000);
        sessions.add("young", 1_001);
        assertThat(sessions.msUntilExpiry(1_001)).isEqualTo(9_999);
        sessions.expire(10_999);
        assertThat(size).hasValue(2);
        sessions.expire(11_000);
        assertThat(size).hasValue(1);
        sessions.remove(old);
        sessions.remove(old);
        assertThat(size).hasValue(1);
        assertThat(sessions.pollOldest()).isEqualTo("young");
        assertThat(sessions.pollOldest()).isNull();
        assertThat(sessions.pollEvictable(11_000)).isNull();
        assertThat(sessions.msUntilExpiry(11_000)).isEqualTo(-1);
        assertThat(size).hasValue(0);
    }

    @Test
    void fullServerEvictsYoungSessionsAfterTheirRoundTripThenAgedOnes() {
        sessions.add("aged 1", 0);
        sessions.add("aged 2", 0);
        sessions.add("young 1", 9_500);
        sessions.add("young 2", 9_600);
        sessions.expire(10_000);
        assertThat(size).hasValue(2);
        assertThat(sessions.pollEvictable(10_000)).isEqualTo("young 1");
        assertThat(sessions.pollEvictable(10_000)).isEqualTo("aged 1");
        assertThat(sessions.pollEvictable(10_000)).isEqualTo("aged 2");
        assertThat(sessions.isEmpty()).isFalse();
        assertThat(sessions.pollEvictable(10_000)).isEqualTo("young 2");
        assertThat(sessions.isEmpty()).isTrue();
        assertThat(sessions.pollEvictable(10_000)).isNull();
    }

    @Test
    void agedSessionsWithEnoughDatagramsAreEstablished() {
        UnvalidatedSessions.Entry<String> busy = sessions.add("busy", 0);
        UnvalidatedSessions.Entry<String> slow = sessions.add("slow", 0);
        for (int i = 0; i < UnvalidatedSessions.ESTABLISHED_DATAGRAMS; i++) {
            sessions.onDatagram(busy);
        }
        assertThat(size).as("too young").hasValue(2);
        sessions.expire(10_000);
        for (int i = 1; i < UnvalidatedSessions.ESTABLISHED_DATAGRAMS; i++) {
            sessions.onDatagram(slow);
        }
        assertThat(sessions.isEmpty()).isFalse();
        sessions.onDatagram(slow);
        assertThat(sessions.isEmpty()).isTrue();
        assertThat(size).hasValue(0);
    }

    @Test
    void anyOrderOfRemovalKeepsTheOthersInOrder() {
        SplittableRandom random = new SplittableRandom(7);
        List<UnvalidatedSessions.Entry<String>> entries = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int round = 0; round < 10_000; round++) {
            if (entries.isEmpty() || random.nextInt(5) < 3) {
                String name = "session " + round;
                entries.add(sessions.add(name, 0));
                names.add(name);
            } else {
                int index = random.nextInt(entries.size());
                sessions.remove(entries.remove(index));
                names.remove(index);
            }
            assertThat(size).hasValue(names.size());
        }
        Deque<String> left = new ArrayDeque<>(names);
        while (!left.isEmpty()) {
            assertThat(sessions.pollOldest()).isEqualTo(left.poll());
        }
        assertThat(sessions.pollOldest()).isNull();
    }
}
