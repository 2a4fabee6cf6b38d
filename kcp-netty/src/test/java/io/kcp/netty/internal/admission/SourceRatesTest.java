package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SourceRatesTest {

    private static final int RATE = 500;
    private static final int BURST = 1_000;
    private static final long START_NANOS = Long.MIN_VALUE + 5;

    private final SourceRates rates = new SourceRates(new SecureRandom(), RATE, START_NANOS);

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException notAnAddress) {
            throw new AssertionError(notAnAddress);
        }
    }

    private static InetAddress ipv4(int number) {
        try {
            return InetAddress.getByAddress(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private int taken(InetAddress source, int datagrams, long atMs) {
        int taken = 0;
        for (int i = 0; i < datagrams; i++) {
            taken += rates.take(source, START_NANOS + TimeUnit.MILLISECONDS.toNanos(atMs)) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void sourceIsLimitedToABurstAndARate() {
        InetAddress source = address("192.0.2.1");
        assertThat(taken(source, 5_000, 0)).isEqualTo(BURST);
        assertThat(taken(source, 5_000, 100)).isEqualTo(RATE / 10);
        assertThat(taken(source, 5_000, 60_000)).isEqualTo(BURST);
        assertThat(taken(address("192.0.2.2"), 5_000, 60_000)).as("another address").isEqualTo(BURST);
    }

    @Test
    void ipv6SubnetIsOneSource() {
        assertThat(taken(address("2001:db8::1"), BURST, 0)).isEqualTo(BURST);
        assertThat(taken(address("2001:db8::ffff:ffff:ffff:ffff"), 1, 0)).isZero();
        assertThat(taken(address("2001:db8:0:1::1"), 1, 0)).isEqualTo(1);
    }

    @Test
    void nat64AddressIsItsIpv4Address() {
        assertThat(taken(address("64:ff9b::192.0.2.9"), BURST, 0)).isEqualTo(BURST);
        assertThat(taken(address("192.0.2.9"), 1, 0)).isZero();
        assertThat(taken(address("64:ff9b::192.0.2.8"), 1, 0)).isEqualTo(1);
    }

    @Test
    void unspecifiedSubnetIsAlsoLimited() {
        assertThat(taken(address("::1"), 5_000, 0)).isEqualTo(BURST);
    }

    /** An attacker cannot reset the bucket of one source with datagrams from many other addresses. */
    @Test
    void manySourcesDoNotDisplaceASourceAtItsLimit() {
        InetAddress source = address("192.0.2.1");
        assertThat(taken(source, 5_000, 0)).isEqualTo(BURST);
        for (int i = 0; i < 1_000_000; i++) {
            rates.take(ipv4(0x0b000000 + i), START_NANOS);
        }
        assertThat(taken(source, 5_000, 0)).isZero();
    }

    @Test
    @Tag("slow")
    void newSourcesAreAcceptedDuringAFloodFromManySources() {
        for (int i = 0; i < 1_000_000; i++) {
            assertThat(rates.take(ipv4(0x0b000000 + i), START_NANOS + i)).isTrue();
        }
    }
}
