package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
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
    private final SessionCounts counts = new SessionCounts(SessionLimits.DEFAULT);

    private SessionCounts.Place place(String address) {
        return counts.place(new InetSocketAddress(address, 0).getAddress());
    }

    private UnvalidatedSessions.Entry<String> add(String session, long nowMs) {
        return sessions.add(session, place("192.0.2.1"), nowMs);
    }

    @Test
    void oldestIsReturnedFirst() {
        add("a", 1_000);
        UnvalidatedSessions.Entry<String> validated = add("b", 1_000);
        add("c", 2_000);
        sessions.remove(validated);
        sessions.remove(validated);
        assertThat(size).hasValue(2);
        assertThat(sessions.pollOldest()).isEqualTo("a");
        assertThat(sessions.pollOldest()).isEqualTo("c");
        assertThat(sessions.pollOldest()).isNull();
        add("d", 3_000);
        assertThat(sessions.pollOldest()).isEqualTo("d");
    }

    @Test
    void sessionsOfTenSecondsAreNotCounted() {
        UnvalidatedSessions.Entry<String> old = add("old", 1_000);
        add("young", 1_001);
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
        add("aged 1", 0);
        add("aged 2", 0);
        add("young 1", 9_500);
        add("young 2", 9_600);
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

    /** An attacker may have caused the proof to be assumed by mistake, so a proof must not protect a session forever. */
    @Test
    void sessionsOfProvenAddressesAreEvictedLast() {
        UnvalidatedSessions.Entry<String> validated = sessions.addProven("validated", place("192.0.2.1"), 0);
        sessions.addProven("proven 1", place("192.0.2.1"), 0);
        sessions.addProven("proven 2", place("192.0.2.1"), 400);
        add("young", 400);
        sessions.remove(validated);
        assertThat(size).as("counted as unvalidated").hasValue(1);
        assertThat(sessions.pollOldest()).isEqualTo("young");
        assertThat(sessions.pollOldest()).isNull();
        add("younger", 500);
        assertThat(sessions.pollEvictable(500)).isEqualTo("younger");
        assertThat(sessions.hasEvictable(499)).isFalse();
        assertThat(sessions.pollEvictable(499)).isNull();
        assertThat(sessions.hasEvictable(500)).isTrue();
        assertThat(sessions.pollEvictable(500)).isEqualTo("proven 1");
        assertThat(sessions.pollEvictable(500)).as("within the round trip").isNull();
        assertThat(sessions.pollEvictable(place("192.0.2.1"), 900)).as("a full address").isEqualTo("proven 2");
        assertThat(sessions.isEmpty()).isTrue();
        assertThat(sessions.addresses()).isZero();
    }

    @Test
    void everySixteenthDatagramRequestsAProbe() {
        UnvalidatedSessions.Entry<String> entry = add("a", 0);
        for (int datagram = 1; datagram <= 64; datagram++) {
            assertThat(sessions.onDatagram(entry)).isEqualTo(datagram % UnvalidatedSessions.PROBE_DATAGRAMS == 0);
        }
        sessions.expire(10_000);
        assertThat(sessions.pollEvictable(10_000)).as("no number of datagrams exempts a session").isEqualTo("a");
    }

    @Test
    void fullAddressEvictsItsOldestSessionAfterTheRoundTrip() {
        SessionCounts.Place first = place("192.0.2.1");
        SessionCounts.Place second = place("192.0.2.2");
        sessions.add("aged", first, 0);
        sessions.add("other", second, 0);
        sessions.expire(10_000);
        sessions.add("young", first, 10_000);
        assertThat(sessions.pollEvictable(place("192.0.2.1"), 10_000)).isEqualTo("aged");
        assertThat(sessions.hasEvictable(first, 10_499)).as("within the round trip").isFalse();
        assertThat(sessions.pollEvictable(first, 10_499)).isNull();
        assertThat(sessions.hasEvictable(first, 10_500)).isTrue();
        assertThat(sessions.pollEvictable(first, 10_500)).isEqualTo("young");
        assertThat(sessions.pollEvictable(first, 20_000)).isNull();
        assertThat(sessions.pollEvictable(place("192.0.2.3"), 20_000)).isNull();
        assertThat(sessions.pollEvictable(second, 20_000)).isEqualTo("other");
        assertThat(sessions.isEmpty()).isTrue();
        assertThat(sessions.addresses()).as("addresses without sessions are removed").isZero();
    }

    @Test
    void trustedAddressesHaveNoListOfTheirOwn() {
        UnvalidatedSessions.Entry<String> entry = sessions.add("a", place("127.0.0.1"), 0);
        assertThat(sessions.hasEvictable(place("127.0.0.1"), 1_000)).isFalse();
        assertThat(sessions.addresses()).isZero();
        sessions.remove(entry);
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
                entries.add(add(name, 0));
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
