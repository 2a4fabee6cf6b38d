package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerTableTest {

    private record Key(InetSocketAddress address, int conv) {
    }

    private final PeerTable<TestSession> table = new PeerTable<>(new SecureRandom());

    private TestSession session(InetSocketAddress address, int conv) {
        return new TestSession(conv, address);
    }

    private TestSession add(InetSocketAddress address, int conv) {
        TestSession session = session(address, conv);
        table.add(session);
        return session;
    }

    private static Key keyOf(TestSession session) {
        return new Key(session.remoteAddress(), session.conv());
    }

    /** Compares directly instead of creating an assertion object, because this is called half a million times. */
    private void expectFound(Key key, TestSession expected) {
        if (table.find(key.address, key.conv) != expected) {
            throw new AssertionError(key + ": " + table.find(key.address, key.conv) + " instead of " + expected);
        }
    }

    private static InetSocketAddress ipv4(int ip, int port) {
        return address(ByteBuffer.allocate(4).putInt(ip).array(), port);
    }

    private static InetSocketAddress ipv6(long high, long low, int port) {
        return address(ByteBuffer.allocate(16).putLong(high).putLong(low).array(), port);
    }

    private static InetSocketAddress address(byte[] bytes, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError(wrongLength);
        }
    }

    @Test
    void sessionIsFoundByAddressAndConversation() {
        TestSession session = add(ipv4(1, 10), 7);
        assertThat(table.find(ipv4(1, 10), 7)).isSameAs(session);
        assertThat(table.find(ipv4(1, 10), 7)).as("the latest, cached").isSameAs(session);
        assertThat(table.find(ipv4(1, 10), 8)).isNull();
        assertThat(table.find(ipv4(1, 11), 7)).isNull();
        assertThat(table.find(ipv4(2, 10), 7)).isNull();
        assertThat(table.find(ipv6(0, 1, 10), 7)).isNull();
        table.remove(session);
        assertThat(table.find(ipv4(1, 10), 7)).as("the cache forgets").isNull();
    }

    @Test
    void sessionsOfOneAddressAreChained() {
        InetSocketAddress address = ipv6(5, 6, 7);
        List<TestSession> sessions = new ArrayList<>();
        for (int conv = 0; conv < 20; conv++) {
            sessions.add(add(address, conv));
            add(ipv4(conv, 7), conv);
        }
        Random random = new Random(1);
        Collections.shuffle(sessions, random);
        while (!sessions.isEmpty()) {
            Set<AbstractSession> chain = new HashSet<>();
            for (AbstractSession session = table.find(address).first; session != null; session = session.nextOfPeer) {
                chain.add(session);
            }
            assertThat(chain).containsExactlyInAnyOrderElementsOf(sessions);
            assertThat(table.sessionsOf(address)).isEqualTo(sessions.size());
            table.remove(sessions.remove(sessions.size() - 1));
        }
        assertThat(table.find(address)).isNull();
        assertThat(table.sessionsOf(address)).isZero();
        assertThat(table.size()).isEqualTo(20);
    }

    /** Compares the chain with a list, forwards and backwards, after each of many random changes. */
    @Test
    void dataShardsMoveSessionsToTheFrontOfTheirChain() {
        InetSocketAddress address = ipv4(9, 9);
        List<TestSession> expected = new ArrayList<>();
        Random random = new Random(2);
        for (int round = 0; round < 5_000; round++) {
            int action = random.nextInt(8);
            if (action == 0 && expected.size() < 40) {
                expected.add(0, add(address, round));
            } else if (action == 1 && !expected.isEmpty()) {
                table.remove(expected.remove(random.nextInt(expected.size())));
            } else if (!expected.isEmpty()) {
                TestSession session = expected.remove(random.nextInt(expected.size()));
                expected.add(0, session);
                table.onDataShard(session);
            }
            expectChain(address, expected);
        }
        assertThat(table.size()).isEqualTo(expected.size());
    }

    private void expectChain(InetSocketAddress address, List<TestSession> expected) {
        AbstractSession previous = null;
        AbstractSession session = table.firstOf(address);
        for (TestSession each : expected) {
            if (session != each || session.previousOfPeer != previous) {
                throw new AssertionError("conv " + each.conv() + " is not at its place in the chain");
            }
            previous = session;
            session = session.nextOfPeer;
        }
        assertThat(session).isNull();
        assertThat(table.sessionsOf(address)).isEqualTo(expected.size());
    }

    @Test
    void removalOfAnUnknownSessionChangesNothing() {
        TestSession session = add(ipv4(1, 1), 1);
        table.remove(session(ipv4(1, 1), 1));
        table.remove(session(ipv4(2, 1), 1));
        assertThat(table.find(ipv4(1, 1), 1)).isSameAs(session);
        table.remove(session);
        table.remove(session);
        assertThat(table.size()).isZero();
    }

    @Test
    void visitorMayRemoveVisitedSessions() {
        for (int conv = 0; conv < 100; conv++) {
            add(ipv4(conv % 5, 1), conv);
        }
        int[] visited = {0};
        table.forEach(session -> {
            visited[0]++;
            table.remove(session);
        });
        assertThat(visited[0]).isEqualTo(100);
        assertThat(table.size()).isZero();
    }

    @Test
    @Tag("slow")
    void matchesAMapAfterRandomChanges() {
        long seed = 42;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<Key, TestSession> model = new HashMap<>();
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            Key key = new Key(random.nextInt(3) == 0 ? ipv6(random.nextInt(4), random.nextInt(10), random.nextInt(20))
                : ipv4(random.nextInt(40), random.nextInt(20)), random.nextInt(4));
            // Alternates between mostly adding and mostly removing, so that the tables grow and shrink.
            boolean growing = (i / 10_000 & 1) == 0;
            TestSession known = model.get(key);
            expectFound(key, known);
            if (known == null && (growing || random.nextInt(4) == 0)) {
                model.put(key, add(key.address, key.conv));
                keys.add(key);
            } else if (!growing && !keys.isEmpty()) {
                Key victim = keys.set(random.nextInt(keys.size()), keys.get(keys.size() - 1));
                keys.remove(keys.size() - 1);
                TestSession removed = model.remove(victim);
                if (removed != null) {
                    table.remove(removed);
                }
            }
            if (table.size() != model.size()) {
                throw new AssertionError(table.size() + " instead of " + model.size());
            }
        }
        model.forEach(this::expectFound);
        Map<InetSocketAddress, Integer> counts = new HashMap<>();
        model.keySet().forEach(key -> counts.merge(key.address, 1, Integer::sum));
        counts.forEach((address, count) -> assertThat(table.sessionsOf(address)).isEqualTo(count));
    }

    @Test
    @Tag("slow")
    void holdsAHundredThousandPeersAndEmptiesAgain() {
        List<TestSession> sessions = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            sessions.add(add(i % 3 == 0 ? ipv6(0x2001_0db8_0000_0000L, i, 5_000) : ipv4(0x0a00_0000 + i, 5_000), i % 2));
        }
        assertThat(table.size()).isEqualTo(100_000);
        sessions.forEach(session -> expectFound(keyOf(session), session));
        Collections.shuffle(sessions, new Random(1));
        sessions.subList(0, 50_000).forEach(table::remove);
        sessions.subList(0, 50_000).forEach(session -> expectFound(keyOf(session), null));
        sessions.subList(50_000, 100_000).forEach(session -> expectFound(keyOf(session), session));
        sessions.subList(50_000, 100_000).forEach(table::remove);
        assertThat(table.size()).isZero();
    }

    /** A peer can have any number of sessions, so a removal that iterated over them would make removing all of them quadratic. */
    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void removalAccessesOnlyNeighboursInTheChain() {
        InetSocketAddress address = ipv4(1, 1);
        List<TestSession> sessions = new ArrayList<>();
        for (int conv = 0; conv < 101; conv++) {
            sessions.add(add(address, conv));
        }
        TestSession middle = sessions.get(50);
        assertThat(middle.nextOfPeer).isSameAs(sessions.get(49));
        assertThat(middle.previousOfPeer).isSameAs(sessions.get(51));
        // Links the middle session to itself, so that any iteration over the chain would loop there forever.
        middle.nextOfPeer = middle;
        middle.previousOfPeer = middle;
        for (int i = 0; i < 49; i++) {
            table.remove(sessions.get(i));
            table.remove(sessions.get(100 - i));
        }
        assertThat(table.size()).isEqualTo(3);
        middle.nextOfPeer = sessions.get(49);
        middle.previousOfPeer = sessions.get(51);
        assertThat(table.sessionsOf(address)).isEqualTo(3);
        table.remove(middle);
        table.remove(sessions.get(49));
        assertThat(table.find(address).first).isSameAs(sessions.get(51));
        table.remove(sessions.get(51));
        assertThat(table.find(address)).isNull();
    }

    /** InetSocketAddress.hashCode is the sum of address and port, so an attacker can forge any number of equal hash codes. */
    @Test
    void addressesWithEqualHashCodesAreSpreadEvenly() {
        int entries = 1 << 15;
        int forged = longestRun(entries, i -> session(ipv4(0x0a00_0000 + i, 60_000 - i), 1));
        int random = longestRun(entries, i -> session(ipv4(0x0a00_0000 + i * 0x9E37, 5_000 + i % 777), i));
        assertThat(new InetSocketAddress[] {ipv4(0x0a00_0000, 60_000), ipv4(0x0a00_0001, 59_999)})
            .extracting(InetSocketAddress::hashCode).containsOnly(ipv4(0x0a00_0002, 59_998).hashCode());
        System.out.println("longest run of full slots: forged " + forged + ", ordinary " + random);
        assertThat(forged).isLessThan(100);
        assertThat(random).isLessThan(100);
    }

    private static int longestRun(int entries, IntFunction<TestSession> sessions) {
        PeerTable<TestSession> table = new PeerTable<>(new SecureRandom());
        boolean[] full = new boolean[entries << 1];
        int mask = full.length - 1;
        for (int i = 0; i < entries; i++) {
            TestSession session = sessions.apply(i);
            table.add(session);
            int slot = session.hash & mask;
            while (full[slot]) {
                slot = slot + 1 & mask;
            }
            full[slot] = true;
        }
        int longest = 0;
        int run = 0;
        for (boolean taken : full) {
            run = taken ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    @Test
    void twoTablesHashDifferently() {
        PeerTable<TestSession> other = new PeerTable<>(new SecureRandom());
        int equal = 0;
        for (int i = 0; i < 100; i++) {
            TestSession session = add(ipv4(i, 1), 1);
            int hash = session.hash;
            other.add(session(ipv4(i, 1), 1));
            TestSession twin = other.find(ipv4(i, 1), 1);
            equal += twin.hash == hash ? 1 : 0;
        }
        assertThat(equal).isLessThan(5);
    }
}
