package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Reduced MTUs are remembered per IP address, for a limited time and for a limited number of addresses. */
class ReducedMtusTest {

    private final ReducedMtus mtus = new ReducedMtus();

    private static InetSocketAddress address(int number, int port) {
        return new InetSocketAddress("10.0." + number / 256 + '.' + number % 256, port);
    }

    @Test
    void portDoesNotMatter() {
        mtus.add(address(1, 5), 0);
        assertThat(mtus.contains(address(1, 6), 1)).isTrue();
        assertThat(mtus.contains(address(2, 5), 1)).isFalse();
    }

    @Test
    void addressIsForgottenAlthoughLaterSessionsAreReduced() {
        mtus.add(address(1, 5), 0);
        mtus.add(address(1, 5), ReducedMtus.LIFETIME_MS - 1);
        assertThat(mtus.contains(address(1, 5), ReducedMtus.LIFETIME_MS - 1)).isTrue();
        assertThat(mtus.contains(address(1, 5), ReducedMtus.LIFETIME_MS)).isFalse();
        mtus.add(address(1, 5), ReducedMtus.LIFETIME_MS + 1);
        assertThat(mtus.contains(address(1, 5), ReducedMtus.LIFETIME_MS + 2)).isTrue();
    }

    @Test
    void numberOfAddressesIsLimited() {
        for (int i = 0; i < 2 * ReducedMtus.MAX_ADDRESSES; i++) {
            mtus.add(address(i, 5), i);
        }
        assertThat(mtus.contains(address(ReducedMtus.MAX_ADDRESSES - 1, 5), 10_000)).isTrue();
        assertThat(mtus.contains(address(ReducedMtus.MAX_ADDRESSES, 5), 10_000)).isFalse();
        mtus.add(address(60_000, 5), ReducedMtus.LIFETIME_MS + 10_000);
        assertThat(mtus.contains(address(60_000, 5), ReducedMtus.LIFETIME_MS + 10_000)).isTrue();
    }

    /** An attacker has one IPv6 network with many addresses. */
    @Test
    void oneNetworkUsesOnePlace() {
        for (int i = 0; i < 2 * ReducedMtus.MAX_ADDRESSES; i++) {
            mtus.add(new InetSocketAddress("2001:db8:0:1::" + Integer.toHexString(i), 5), i);
        }
        mtus.add(new InetSocketAddress("2001:db8:0:2::1", 5), 10_000);
        assertThat(mtus.contains(new InetSocketAddress("2001:db8:0:2::1", 5), 10_000)).isTrue();
        assertThat(mtus.contains(new InetSocketAddress("2001:db8:0:1::ffff", 5), 10_000)).isTrue();
        assertThat(mtus.contains(new InetSocketAddress("2001:db8:0:3::1", 5), 10_000)).isFalse();
    }
}
