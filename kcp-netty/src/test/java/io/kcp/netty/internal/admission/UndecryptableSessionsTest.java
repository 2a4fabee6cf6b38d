package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UndecryptableSessionsTest {

    private static final long START_NANOS = Long.MAX_VALUE - 5;

    private final UndecryptableSessions addresses = new UndecryptableSessions(new SecureRandom(), START_NANOS);
    private final InetSocketAddress address = new InetSocketAddress("192.0.2.1", 1_000);

    private static long at(long ms) {
        return START_NANOS + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private void fail(InetSocketAddress from, int datagrams, long ms) {
        for (int i = 0; i < datagrams; i++) {
            addresses.onFailure(from, at(ms));
        }
    }

    @Test
    void addressIsSuspectAfterTooManyFailures() {
        assertThat(addresses.isSuspect(address, at(0))).isFalse();
        fail(address, UndecryptableSessions.BURST - 1, 0);
        assertThat(addresses.isSuspect(address, at(0))).isFalse();
        fail(address, 1, 0);
        assertThat(addresses.isSuspect(address, at(0))).isTrue();
        assertThat(addresses.isSuspect(new InetSocketAddress("192.0.2.1", 1_001), at(0))).as("another port").isFalse();
    }

    @Test
    void fewFailuresPerSecondAreTolerated() {
        for (int ms = 0; ms < 60_000; ms += 1_000 / UndecryptableSessions.FAILURES_PER_SECOND) {
            fail(address, 1, ms);
            assertThat(addresses.isSuspect(address, at(ms))).isFalse();
        }
    }

    @Test
    void suspicionEndsSoonAfterTheLastFailure() {
        fail(address, 10_000, 0);
        assertThat(addresses.isSuspect(address, at(100))).isTrue();
        assertThat(addresses.isSuspect(address, at(125))).isFalse();
        fail(address, 1, 125);
        assertThat(addresses.isSuspect(address, at(125))).isTrue();
    }

    @Test
    void otherFailingAddressesDoNotEndTheSuspicion() {
        fail(address, UndecryptableSessions.BURST, 0);
        for (int port = 1; port < 60_000; port++) {
            fail(new InetSocketAddress("192.0.2.2", port), 1, 0);
        }
        assertThat(addresses.isSuspect(address, at(0))).isTrue();
    }
}
