package io.kcp.netty.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AddressProofsTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.1", 4_000);
    private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.1", 4_001);
    private static final int CONV = 7;
    private static final long NOW_MS = (1L << 32) - 1_000;

    private final AddressProofs proofs = new AddressProofs(new SecureRandom());

    @Test
    void echoProvesOneAddressAndConversation() {
        int ts = proofs.probeTs(PEER, CONV, NOW_MS);
        assertThat(proofs.isProven(PEER, CONV, NOW_MS)).isFalse();
        assertThat(proofs.isEcho(PEER, CONV, ts, NOW_MS + 200)).isTrue();
        assertThat(proofs.isProven(PEER, CONV, NOW_MS + 200)).isFalse();
        proofs.add(PEER, CONV, NOW_MS + 200);
        assertThat(proofs.isProven(PEER, CONV, NOW_MS + 200)).isTrue();
        assertThat(proofs.isProven(OTHER, CONV, NOW_MS + 200)).isFalse();
        assertThat(proofs.isProven(PEER, CONV + 1, NOW_MS + 200)).isFalse();
        assertThat(proofs.isEcho(OTHER, CONV, ts, NOW_MS + 200)).as("another address").isFalse();
        assertThat(proofs.isEcho(PEER, CONV + 1, ts, NOW_MS + 200)).as("another conversation").isFalse();
    }

    @Test
    void onlyThirtyTwoTimestampsAreValidAtATime() {
        int valid = 0;
        for (int age = -10_000; age < 10_000; age++) {
            valid += proofs.isEcho(PEER, CONV, proofs.probeBase(PEER, CONV) + (int) NOW_MS - age, NOW_MS) ? 1 : 0;
        }
        assertThat(valid).isEqualTo(AddressProofs.PERIOD_MS / AddressProofs.GRANULARITY_MS);
    }

    @Test
    void probeIsNeverNewerThanTheSegmentsOfTheSession() {
        for (int ms = 0; ms < 300; ms++) {
            int age = proofs.sessionBase(PEER, CONV, 0) + (int) (NOW_MS + ms) - proofs.probeTs(PEER, CONV, NOW_MS + ms);
            assertThat(age).isBetween(0, AddressProofs.GRANULARITY_MS - 1);
            assertThat(proofs.sessionBase(PEER, CONV, -1) - proofs.sessionBase(PEER, CONV, 0)).isEqualTo(Integer.MAX_VALUE / 2);
        }
    }

    /** An attacker who had the same address and conversation id earlier has received probes. */
    @Test
    void knownProbesDoNotRevealTheTimestampsOfASession() {
        assertThat(IntStream.range(0, 1_000).map(i -> proofs.sessionBase(PEER, CONV, i << 20)).distinct().count()).isGreaterThan(900);
    }

    @Test
    void proofExpires() {
        proofs.add(PEER, CONV, 0);
        assertThat(proofs.isProven(PEER, CONV, AddressProofs.PERIOD_MS - 1)).isTrue();
        assertThat(proofs.isProven(PEER, CONV, 2 * AddressProofs.PERIOD_MS)).isFalse();
    }

    /** An attacker proves the addresses of 256 IPv6 networks, and then sends datagrams from forged addresses. */
    @Test
    void provenAddressesOfAnAttackerProveFewOtherAddresses() {
        for (int conv = 0; conv < 340_000; conv++) {
            long nowMs = conv * 2L * AddressProofs.PERIOD_MS / 340_000;
            proofs.add(PEER, conv, nowMs);
        }
        int mistaken = 0;
        for (int conv = 0; conv < 100_000; conv++) {
            mistaken += proofs.isProven(OTHER, conv, 2L * AddressProofs.PERIOD_MS) ? 1 : 0;
        }
        assertThat(mistaken).isLessThan(300);
    }
}
