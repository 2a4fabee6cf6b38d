package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.core.KcpStats;
import io.kcp.core.Redundancy;
import io.kcp.core.fec.FecShape;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sends small messages at a constant interval, with copies of unacknowledged segments, to kcp-go and to the C implementation. */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveRedundancyTest {

    private static final int MESSAGE_BYTES = 200;
    private static final int INTERVAL_MS = 20;
    private static final int SLOW_INTERVAL_MS = 50;
    private static final long BYTES = 250 * MESSAGE_BYTES;
    private static final LinkConditions CLEAN = new LinkConditions(0, 25, 0, 0, 0);
    private static final LinkConditions LOSSY = new LinkConditions(10, 25, 0, 0, 0);
    /** Tolerance for timers that expire late on a busy machine. */
    private static final int EXTRA_DATAGRAMS = 10;

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(2);

    @ParameterizedTest
    @CsvSource({"kcppeer-5.6.72, true", "kcppeer-5.6.72, false", "kcppeer-5.6.1, true", "kcppeer-5.6.1, false", "c, true", "c, false"})
    void contentIsIntactOverALossyLink(String peer, boolean peerIsServer) throws Exception {
        KcpStats without = exchange(peer, peerIsServer, LOSSY, Redundancy.OFF).ours().counters();
        KcpStats with = exchange(peer, peerIsServer, LOSSY, Redundancy.ON).ours().counters();
        System.out.printf("  %s, peer is server %s: retransmissions %d -> %d, datagrams %d -> %d, copies %d%n", peer, peerIsServer,
            without.retransmissions(), with.retransmissions(), without.datagramsOut(), with.datagramsOut(), with.redundantSegments());
        assertThat(without.redundantSegments()).isZero();
        assertThat(with.redundantSegments()).isPositive();
        assertThat(with.retransmissions()).isLessThan(without.retransmissions());
    }

    @ParameterizedTest
    @CsvSource({"kcppeer-5.6.72, true", "kcppeer-5.6.72, false", "kcppeer-5.6.1, true", "kcppeer-5.6.1, false", "c, true", "c, false"})
    void copiesChangeNeitherRetransmissionsNorRoundTripSamples(String peer, boolean peerIsServer) throws Exception {
        LiveExchange.Outcome without = exchange(peer, peerIsServer, CLEAN, Redundancy.OFF);
        LiveExchange.Outcome with = exchange(peer, peerIsServer, CLEAN, Redundancy.ON);
        System.out.printf("  %s, peer is server %s: round trip %d -> %d ms, datagrams %d -> %d, received %d -> %d%n", peer, peerIsServer,
            without.ours().smoothedRttMs(), with.ours().smoothedRttMs(), without.ours().counters().datagramsOut(),
            with.ours().counters().datagramsOut(), without.ours().counters().datagramsIn(), with.ours().counters().datagramsIn());
        assertThat(with.ours().counters().redundantSegments()).isPositive();
        assertThat(with.ours().counters().spuriousRetransmissions()).isZero();
        assertThat(with.ours().counters().unverifiedAcknowledgements()).isZero();
        assertThat(with.ours().counters().datagramsOut()).isLessThanOrEqualTo(without.ours().counters().datagramsOut() + EXTRA_DATAGRAMS);
        assertThat(with.ours().smoothedRttMs()).isBetween(without.ours().smoothedRttMs() - 10, without.ours().smoothedRttMs() + 10);
        if (!peer.equals("c")) {
            for (String counter : new String[] {"FastRetransSegs", "EarlyRetransSegs"}) {
                assertThat(PeerProcess.field(with.theirs(), counter)).as(counter).isEqualTo(PeerProcess.field(without.theirs(), counter));
            }
            assertThat(Integer.parseInt(PeerProcess.field(with.theirs(), "RepeatSegs"))).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"kcppeer-5.6.72, true", "kcppeer-5.6.72, false", "kcppeer-5.6.1, true", "kcppeer-5.6.1, false"})
    void delayedCopiesAreShardsThatKcpGoDecodes(String peer, boolean peerIsServer) throws Exception {
        KcpConfig config = KcpConfig.fast3().toBuilder().redundancy(Redundancy.ON).redundancyDelayMs(10).build();
        FecShape shape = new FecShape(3, 1);
        LiveExchange.Outcome outcome = new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpMode.MESSAGE, 100 * MESSAGE_BYTES).over(LOSSY)
            .fec(shape, shape).paced(MESSAGE_BYTES, SLOW_INTERVAL_MS).run(config);
        KcpStats ours = outcome.ours().counters();
        System.out.printf("  %s, peer is server %s, FEC 3:1: retransmissions %d, datagrams %d, copies %d, recovered there %s%n", peer,
            peerIsServer, ours.retransmissions(), ours.datagramsOut(), ours.redundantSegments(),
            PeerProcess.field(outcome.theirs(), "FECRecovered"));
        assertThat(ours.redundantSegments()).isGreaterThan(100);
        assertThat(PeerProcess.field(outcome.theirs(), "FECErrs")).isEqualTo("0");
        assertThat(PeerProcess.field(outcome.theirs(), "KCPInErrors")).isEqualTo("0");
    }

    private static LiveExchange.Outcome exchange(String peer, boolean peerIsServer, LinkConditions link, Redundancy redundancy)
        throws Exception {
        return new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpMode.MESSAGE, BYTES).over(link).paced(MESSAGE_BYTES, INTERVAL_MS)
            .run(KcpConfig.fast3().toBuilder().redundancy(redundancy).build());
    }
}
