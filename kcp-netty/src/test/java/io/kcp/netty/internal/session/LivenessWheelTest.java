package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LivenessWheelTest {

    private final LivenessWheel wheel = new LivenessWheel();

    private TestSession session() {
        return new TestSession(1);
    }

    private List<AbstractSession> pollAll(long nowMs) {
        List<AbstractSession> due = new ArrayList<>();
        for (AbstractSession session = wheel.pollDue(nowMs); session != null; session = wheel.pollDue(nowMs)) {
            due.add(session);
        }
        return due;
    }

    @Test
    void sessionIsReturnedInItsSecondAndNotEarlier() {
        TestSession session = session();
        wheel.add(session, 25_500, 500);
        assertThat(pollAll(25_999)).isEmpty();
        assertThat(pollAll(26_000)).containsExactly(session);
        assertThat(wheel.isEmpty()).isTrue();
        assertThat(pollAll(27_000)).isEmpty();
    }

    @Test
    void overdueSessionIsReturnedInTheNextSecond() {
        TestSession session = session();
        wheel.add(session, 1_000, 5_300);
        assertThat(pollAll(5_900)).isEmpty();
        assertThat(pollAll(6_000)).containsExactly(session);
    }

    @Test
    void removedSessionIsNotReturned() {
        TestSession first = session();
        TestSession second = session();
        TestSession third = session();
        wheel.add(first, 3_000, 0);
        wheel.add(second, 3_000, 0);
        wheel.add(third, 3_000, 0);
        wheel.remove(second);
        wheel.remove(second);
        assertThat(pollAll(3_000)).containsExactlyInAnyOrder(first, third);
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void sessionBeyondTheRingIsReturnedEarly() {
        TestSession session = session();
        wheel.add(session, 3_600_000, 0);
        assertThat(pollAll(126_999)).isEmpty();
        assertThat(pollAll(127_000)).as("to be put in again").containsExactly(session);
    }

    @Test
    void clockJumpReturnsAllDueSessions() {
        List<AbstractSession> sessions = new ArrayList<>();
        for (int second = 1; second < 128; second++) {
            TestSession session = session();
            wheel.add(session, second * 1_000, 0);
            sessions.add(session);
        }
        assertThat(pollAll(86_400_000)).containsExactlyInAnyOrderElementsOf(sessions);
        TestSession later = session();
        wheel.add(later, 86_410_000, 86_400_000);
        assertThat(pollAll(86_409_999)).isEmpty();
        assertThat(pollAll(86_410_000)).containsExactly(later);
    }

    @Test
    void noSessionIsEarlyOrMoreThanASecondLate() {
        for (long seed = 1; seed <= 10; seed++) {
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            Map<AbstractSession, Long> waiting = new HashMap<>();
            long nowMs = random.nextInt(1_000_000);
            for (int i = 0; i < 3_000; i++) {
                if (random.nextBoolean()) {
                    TestSession session = session();
                    long dueMs = nowMs + random.nextInt(120_000);
                    wheel.add(session, dueMs, nowMs);
                    waiting.put(session, dueMs);
                } else if (!waiting.isEmpty() && random.nextInt(4) == 0) {
                    AbstractSession session = waiting.keySet().iterator().next();
                    wheel.remove(session);
                    waiting.remove(session);
                }
                nowMs += random.nextInt(400);
                for (AbstractSession session : pollAll(nowMs)) {
                    assertThat(waiting.remove(session)).isLessThanOrEqualTo(nowMs);
                }
                long latest = nowMs;
                assertThat(waiting.values()).allMatch(dueMs -> dueMs > latest - 2_000);
                assertThat(wheel.isEmpty()).isEqualTo(waiting.isEmpty());
            }
            waiting.keySet().forEach(wheel::remove);
        }
    }
}
