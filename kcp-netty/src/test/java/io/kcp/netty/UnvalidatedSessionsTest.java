package io.kcp.netty;

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
    void sessionsOfTenSecondsAreEstablished() {
        UnvalidatedSessions.Entry<String> old = sessions.add("old", 1_000);
        sessions.add("young", 1_001);
        sessions.expire(10_999);
        assertThat(size).hasValue(2);
        sessions.expire(11_000);
        assertThat(size).hasValue(1);
        sessions.remove(old);
        assertThat(sessions.pollOldest()).isEqualTo("young");
        assertThat(sessions.pollOldest()).isNull();
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
