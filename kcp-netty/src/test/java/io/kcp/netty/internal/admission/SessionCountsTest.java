package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SessionCountsTest {

    private static final long MIB = 1 << 20;

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException notAnAddress) {
            throw new AssertionError(notAnAddress);
        }
    }

    private static SessionCounts counts(int total, int perAddress) {
        return new SessionCounts(SessionLimits.DEFAULT.withTotal(total).withPerAddress(perAddress));
    }

    @ParameterizedTest
    @CsvSource({"256, 128, 16384", "256, 16, 2048", "64, 1024, 4096", "4096, 4096, 262144", "1, 1, 256", "1000000, 1000000, 1048576"})
    void totalFollowsFromTheScarcerMemory(long heapMib, long directMib, int sessions) {
        assertThat(SessionLimits.totalOf(heapMib * MIB, directMib * MIB)).isEqualTo(sessions);
    }

    @Test
    void otherLimitsFollowFromTheTotalUnlessSet() {
        SessionLimits limits = SessionLimits.DEFAULT.withTotal(16_384);
        assertThat(limits.maxSessionsPerAddress()).isEqualTo(2_048);
        assertThat(limits.maxUnvalidated()).isEqualTo(4_096);
        assertThat(limits.withTotal(50).maxUnvalidated()).isEqualTo(50);
        assertThat(limits.withTotal(257).maxUnvalidated()).isEqualTo(256);
        assertThat(limits.withPerAddress(3).maxSessionsPerAddress()).isEqualTo(3);
        assertThat(limits.withUnvalidated(5).maxUnvalidated()).isEqualTo(5);
        assertThat(SessionLimits.DEFAULT.withTotal(1).maxSessionsPerAddress()).isEqualTo(64);
        assertThat(SessionLimits.DEFAULT.maxSessions()).isBetween(256, 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/x", "2001:db8::/129", "localhost", "/8",
        "::ffff:10.0.0.0/95"})
    void whatIsNoPrefixIsRefusedByName(String text) {
        assertThatThrownBy(() -> SessionLimits.DEFAULT.withTrustedPrefixes(text)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("trustedPrefixes: \"" + text + '"');
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.0/8, 10.255.1.2, true", "10.0.0.0/8, 11.0.0.0, false", "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.128/25, 192.0.2.255, true", "192.0.2.7, 192.0.2.7, true", "192.0.2.7, 192.0.2.8, false", "0.0.0.0/0, 8.8.8.8, true",
        "0.0.0.0/0, 2001:db8::1, false", "::/0, 2001:db8::1, true", "::/0, 10.0.0.1, false", "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false", "::1, ::1, true", "::ffff:10.0.0.0/104, 10.255.1.2, true",
        "::ffff:10.0.0.0/104, 11.0.0.1, false", "::ffff:0:0/96, 192.0.2.1, true", "::ffff:10.0.0.1, 10.0.0.1, true",
        "64:ff9b::/96, 64:ff9b::a00:1, true", "10.0.0.0/8, 64:ff9b::a00:1, false"})
    void prefixContainsItsAddresses(String prefix, String address, boolean contained) {
        assertThat(SessionLimits.DEFAULT.withTrustedPrefixes(prefix).isTrusted(address(address))).isEqualTo(contained);
    }

    @Test
    void ipv4AddressOfAnIpv6SocketIsTheSameAddress() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        mapped[12] = 10;
        mapped[15] = 1;
        InetAddress wrapped = Inet6Address.getByAddress(null, mapped, 0);
        assertThat(IpPrefix.bytesOf(wrapped)).containsExactly(10, 0, 0, 1);
        assertThat(SessionLimits.DEFAULT.withTrustedPrefixes("10.0.0.0/8").isTrusted(wrapped)).isTrue();
    }

    @Test
    void releasedPlaceIsFreeOnce() {
        SessionCounts counts = counts(2, 1);
        SessionCounts.Place first = counts.place(address("192.0.2.1"));
        assertThat(counts.take(first)).isNull();
        assertThat(counts.take(counts.place(address("192.0.2.1")))).isEqualTo(SessionCounts.Limit.ADDRESS);
        assertThat(counts.take(counts.place(address("192.0.2.2")))).isNull();
        assertThat(counts.take(counts.place(address("192.0.2.3")))).isEqualTo(SessionCounts.Limit.TOTAL);
        assertThat(counts.sessions()).isEqualTo(2);
        counts.release(first);
        counts.release(first);
        counts.release(counts.place(address("192.0.2.2")));
        assertThat(counts.sessions()).isEqualTo(1);
        assertThat(counts.addresses()).as("an address without sessions is forgotten").isEqualTo(1);
        assertThat(counts.take(counts.place(address("192.0.2.1")))).isNull();
    }

    /** A NAT64 gateway puts the address of each IPv4 client into one /96. */
    @Test
    void clientsBehindNat64CountByTheirIpv4Address() {
        SessionCounts counts = counts(100, 1);
        assertThat(counts.take(counts.place(address("64:ff9b::c000:201")))).isNull();
        assertThat(counts.take(counts.place(address("64:ff9b::c000:202")))).isNull();
        assertThat(counts.take(counts.place(address("64:ff9b::c000:201")))).isEqualTo(SessionCounts.Limit.ADDRESS);
        assertThat(counts.take(counts.place(address("192.0.2.1")))).as("the same client without NAT64")
            .isEqualTo(SessionCounts.Limit.ADDRESS);
        assertThat(counts.take(counts.place(address("64:ff9b:1::c000:201")))).as("another prefix").isNull();
        assertThat(counts.take(counts.place(address("64:ff9b:1::c000:202")))).isEqualTo(SessionCounts.Limit.ADDRESS);
    }

    @Test
    void unvalidatedSessionsAreLimited() {
        SessionCounts counts = new SessionCounts(SessionLimits.DEFAULT.withUnvalidated(8));
        counts.addUnvalidated(7);
        assertThat(counts.isUnvalidatedFull()).isFalse();
        counts.addUnvalidated(1);
        assertThat(counts.isUnvalidatedFull()).isTrue();
    }

    @Test
    void countsOfSeveralSocketsNeverExceedTheLimit() throws InterruptedException {
        SessionCounts counts = counts(100, 30);
        List<Thread> sockets = new ArrayList<>();
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int socket = 0; socket < 4; socket++) {
            Thread thread = new Thread(() -> {
                List<SessionCounts.Place> taken = new ArrayList<>();
                for (int i = 0; i < 20_000; i++) {
                    SessionCounts.Place place = counts.place(address("192.0.2." + i % 7));
                    if (counts.take(place) == null) {
                        taken.add(place);
                        most.accumulateAndGet(open.incrementAndGet(), Math::max);
                    }
                    if (i % 3 == 0 && !taken.isEmpty()) {
                        open.decrementAndGet();
                        counts.release(taken.remove(i % taken.size()));
                    }
                }
                taken.forEach(place -> {
                    open.decrementAndGet();
                    counts.release(place);
                });
            });
            thread.start();
            sockets.add(thread);
        }
        for (Thread socket : sockets) {
            socket.join();
        }
        assertThat(most.get()).isBetween(50, 100);
        assertThat(counts.sessions()).isZero();
        assertThat(counts.addresses()).isZero();
    }
}
