package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DeadlineHeapTest {

    private final DeadlineHeap heap = new DeadlineHeap();

    private List<TestSession> sessions(int count) {
        List<TestSession> sessions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sessions.add(new TestSession(i));
        }
        return sessions;
    }

    @Test
    void firstDeadlineIsTheEarliest() {
        List<TestSession> sessions = sessions(3);
        assertThat(heap.isEmpty()).isTrue();
        assertThat(heap.first()).isNull();
        heap.set(sessions.get(0), 30);
        heap.set(sessions.get(1), 10);
        heap.set(sessions.get(2), 20);
        assertThat(heap.first()).isSameAs(sessions.get(1));
        heap.set(sessions.get(1), 40);
        assertThat(heap.first()).isSameAs(sessions.get(2));
        heap.set(sessions.get(0), -5);
        assertThat(heap.first()).isSameAs(sessions.get(0));
        heap.remove(sessions.get(0));
        heap.remove(sessions.get(0));
        assertThat(heap.first()).isSameAs(sessions.get(2));
        assertThat(sessions.get(0).heapIndex).isNegative();
    }

    @Test
    void matchesATreeMapAfterRandomChanges() {
        for (long seed = 1; seed <= 20; seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            DeadlineHeap tested = new DeadlineHeap();
            List<TestSession> sessions = sessions(200);
            Map<AbstractSession, Long> model = new TreeMap<>(Comparator.comparingInt(AbstractSession::conv));
            for (int i = 0; i < 5_000; i++) {
                TestSession session = sessions.get(random.nextInt(sessions.size()));
                if (random.nextInt(3) == 0) {
                    tested.remove(session);
                    model.remove(session);
                } else {
                    long deadlineMs = random.nextInt(1_000) - 500;
                    tested.set(session, deadlineMs);
                    model.put(session, deadlineMs);
                }
                assertFirst(tested, model);
            }
            while (!model.isEmpty()) {
                AbstractSession first = tested.first();
                tested.remove(first);
                assertThat(model.remove(first)).isNotNull();
                assertFirst(tested, model);
            }
            assertThat(sessions).allMatch(session -> session.heapIndex < 0);
        }
    }

    private static void assertFirst(DeadlineHeap heap, Map<AbstractSession, Long> model) {
        assertThat(heap.isEmpty()).isEqualTo(model.isEmpty());
        if (!model.isEmpty()) {
            long earliest = model.values().stream().mapToLong(Long::longValue).min().getAsLong();
            AbstractSession first = heap.first();
            assertThat(first.deadlineMs).isEqualTo(earliest);
            assertThat(model).containsEntry(first, earliest);
        }
    }

    @Test
    void sortsManyDeadlinesAndShrinksAfterwards() {
        List<TestSession> sessions = sessions(10_000);
        Random random = new Random(7);
        sessions.forEach(session -> heap.set(session, random.nextLong() >> 8));
        long previous = Long.MIN_VALUE;
        for (int i = 0; i < sessions.size(); i++) {
            AbstractSession first = heap.first();
            assertThat(first.deadlineMs).isGreaterThanOrEqualTo(previous);
            previous = first.deadlineMs;
            heap.remove(first);
        }
        assertThat(heap.isEmpty()).isTrue();
    }
}
