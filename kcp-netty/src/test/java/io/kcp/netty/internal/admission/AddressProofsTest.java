package io.kcp.netty.internal.admission;

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
        proofs.add(PEER, CONV, ts, NOW_MS + 200);
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
            valid += proofs.isEcho(PEER, CONV, proofs.probeBase(PEER, CONV, NOW_MS) + (int) NOW_MS - age, NOW_MS) ? 1 : 0;
        }
        assertThat(valid).isEqualTo(AddressProofs.PERIOD_MS / AddressProofs.GRANULARITY_MS);
    }

    @Test
    void probeIsNeverNewerThanTheSegmentsOfTheSession() {
        for (int ms = 0; ms < 300; ms++) {
            long nowMs = NOW_MS + ms;
            int oldest = proofs.sessionBase(PEER, CONV, 0, nowMs);
            assertThat(oldest + (int) nowMs - proofs.probeTs(PEER, CONV, nowMs)).isBetween(0, AddressProofs.GRANULARITY_MS - 1);
            assertThat(proofs.sessionBase(PEER, CONV, -1, nowMs) - oldest).isEqualTo(Integer.MAX_VALUE / 2);
        }
    }

    /** An attacker who had the same address and conversation id earlier has received probes. */
    @Test
    void knownProbesDoNotRevealTheTimestampsOfASession() {
        assertThat(IntStream.range(0, 1_000).map(i -> proofs.sessionBase(PEER, CONV, i << 20, NOW_MS)).distinct().count())
            .isGreaterThan(900);
    }

    /** A peer that had the address earlier can compute later timestamps of probes until the secret changes. */
    @Test
    void earlierHolderOfAnAddressCannotProveItLater() {
        int earlierTs = proofs.probeTs(PEER, CONV, NOW_MS);
        int laterMs = AddressProofs.SECRET_MS - AddressProofs.GRANULARITY_MS & -AddressProofs.GRANULARITY_MS;
        assertThat(proofs.isEcho(PEER, CONV, earlierTs + laterMs, NOW_MS + laterMs)).as("the same secret").isTrue();
        for (laterMs *= 2; laterMs < 100 * AddressProofs.SECRET_MS; laterMs *= 2) {
            proofs.probeTs(OTHER, CONV, NOW_MS + laterMs - 2 * AddressProofs.PERIOD_MS);
            assertThat(proofs.isEcho(PEER, CONV, earlierTs + laterMs, NOW_MS + laterMs)).isFalse();
        }
    }

    @Test
    void changeOfTheSecretDoesNotDisturbPeersThatWereProbed() {
        proofs.probeTs(OTHER, CONV, NOW_MS);
        long beforeMs = NOW_MS + AddressProofs.SECRET_MS - 1;
        long afterMs = beforeMs + 1;
        int probeTs = proofs.probeTs(PEER, CONV, beforeMs);
        assertThat(Math.abs((long) proofs.probeTs(PEER, CONV, afterMs) - probeTs)).as("another secret").isGreaterThan(1_000);
        assertThat(proofs.isEcho(PEER, CONV, probeTs, afterMs)).isTrue();
        proofs.add(PEER, CONV, probeTs, afterMs);
        assertThat(proofs.isProven(PEER, CONV, afterMs)).isTrue();
        int sessionTs = proofs.sessionBase(PEER, CONV, 0, afterMs) + (int) afterMs;
        assertThat(sessionTs - probeTs).isBetween(0, AddressProofs.GRANULARITY_MS);
        assertThat(proofs.isProven(PEER, CONV, afterMs + 2 * AddressProofs.PERIOD_MS)).isFalse();
    }

    @Test
    void proofExpires() {
        proofs.add(PEER, CONV, 0, 0);
        assertThat(proofs.isProven(PEER, CONV, AddressProofs.PERIOD_MS - 1)).isTrue();
        assertThat(proofs.isProven(PEER, CONV, 2 * AddressProofs.PERIOD_MS)).isFalse();
    }

    /** An attacker proves the addresses of 256 IPv6 networks, and then sends datagrams from forged addresses. */
    @Test
    void provenAddressesOfAnAttackerProveFewOtherAddresses() {
        for (int conv = 0; conv < 340_000; conv++) {
            long nowMs = conv * 2L * AddressProofs.PERIOD_MS / 340_000;
            proofs.add(PEER, conv, 0, nowMs);
        }
        int mistaken = 0;
        for (int conv = 0; conv < 100_000; conv++) {
            mistaken += proofs.isProven(OTHER, conv, 2L * AddressProofs.PERIOD_MS) ? 1 : 0;
        }
        assertThat(mistaken).isLessThan(300);
    }
}
