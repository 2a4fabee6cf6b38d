package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

class UndecryptableStrangersTest {

    private static final InetSocketAddress SOURCE = new InetSocketAddress("192.0.2.1", 4_000);
    private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.1", 4_001);

    private final UndecryptableStrangers sources = new UndecryptableStrangers(new SecureRandom());

    @Test
    void addressIsRememberedForAtLeastOnePeriod() {
        assertThat(sources.contains(SOURCE, 0)).isFalse();
        sources.add(SOURCE, 100);
        assertThat(sources.contains(SOURCE, 100 + UndecryptableStrangers.PERIOD_MS)).isTrue();
        assertThat(sources.contains(OTHER, 100)).isFalse();
        assertThat(sources.contains(SOURCE, 100 + 2 * UndecryptableStrangers.PERIOD_MS)).isFalse();
    }

    @Test
    void addressIsRememberedLongerIfItIsAddedAgain() {
        for (int ms = 0; ms < 10 * UndecryptableStrangers.PERIOD_MS; ms += UndecryptableStrangers.PERIOD_MS / 2) {
            sources.add(SOURCE, ms);
        }
        assertThat(sources.contains(SOURCE, 10 * UndecryptableStrangers.PERIOD_MS)).isTrue();
    }

    /** The flood from random addresses, at the highest rate at which a common cipher fails. */
    @Test
    void fewOtherAddressesAreMistakenForFailedOnes() {
        for (int i = 0; i < 800_000; i++) {
            sources.add(source(0x0a000000 + i), 0);
        }
        int mistaken = 0;
        for (int i = 0; i < 10_000; i++) {
            mistaken += sources.contains(source(0x0b000000 + i), 0) ? 1 : 0;
        }
        assertThat(mistaken).isLessThan(200);
    }

    private static InetSocketAddress source(int ip) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(
                new byte[] {(byte) (ip >> 24), (byte) (ip >> 16), (byte) (ip >> 8), (byte) ip}), 4_000);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
