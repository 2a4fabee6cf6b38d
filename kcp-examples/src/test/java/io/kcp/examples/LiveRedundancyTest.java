package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpStats;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.kcp.core.fec.FecShape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends small messages at a constant interval, with copies of unacknowledged segments, to kcp-go and to the C implementation. Each test
 * runs its exchanges in parallel: as the client and as the server of the peer, with and without copies. The server sends no copies before
 * it has validated its peer.
 */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveRedundancyTest {

    private static final int MESSAGE_BYTES = 200;
    private static final int INTERVAL_MS = 20;
    private static final int SLOW_INTERVAL_MS = 50;
    /** Without copies, a loss of 10 % loses at least one of these messages with a probability of 99.997 %. */
    private static final int MESSAGES = 100;
    private static final int SLOW_MESSAGES = 40;
    private static final LinkConditions CLEAN = new LinkConditions(0, 25, 0, 0, 0);
    private static final LinkConditions LOSSY = new LinkConditions(10, 25, 0, 0, 0);
    /** Tolerance for timers that expire late on a busy machine. */
    private static final int EXTRA_DATAGRAMS = 10;

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(2);

    private static final ExecutorService THREADS = Executors.newCachedThreadPool();

    @AfterAll
    static void stopThreads() {
        THREADS.shutdown();
    }

    /** Checks the outcomes of one direction, without and with copies. */
    private interface Check {
        void check(LiveExchange.Outcome without, LiveExchange.Outcome with, String exchange);
    }

    private static void inBothDirections(String peer, LinkConditions link, Check check) throws Exception {
        List<Future<LiveExchange.Outcome>> outcomes = new ArrayList<>();
        for (boolean peerIsServer : new boolean[] {true, false}) {
            for (Redundancy redundancy : new Redundancy[] {Redundancy.OFF, Redundancy.ON}) {
                outcomes.add(THREADS.submit(() -> exchange(peer, peerIsServer, link, redundancy)));
            }
        }
        check.check(outcomes.get(0).get(), outcomes.get(1).get(), peer + " as the server");
        check.check(outcomes.get(2).get(), outcomes.get(3).get(), peer + " as the client");
    }

    /** Shows that each peer drops the duplicates that arrive before, after and instead of the originals. */
    @ParameterizedTest
    @ValueSource(strings = {"kcppeer-5.6.72", "kcppeer-5.6.1", "c"})
    void contentIsIntactOverALossyLink(String peer) throws Exception {
        inBothDirections(peer, LOSSY, (off, on, exchange) -> {
            KcpStats without = off.ours().counters();
            KcpStats with = on.ours().counters();
            System.out.printf("  %s: retransmissions %d -> %d, datagrams %d -> %d, copies %d%n", exchange, without.retransmissions(),
                with.retransmissions(), without.datagramsOut(), with.datagramsOut(), with.redundantSegments());
            assertThat(without.redundantSegments()).as(exchange).isZero();
            assertThat(with.redundantSegments()).as(exchange).isPositive();
            assertThat(with.retransmissions()).as(exchange).isLessThan(without.retransmissions());
        });
    }

    /** Shows that the acknowledgements with which each peer responds to duplicates confuse neither side. */
    @ParameterizedTest
    @ValueSource(strings = {"kcppeer-5.6.72", "kcppeer-5.6.1", "c"})
    void copiesChangeNeitherRetransmissionsNorRoundTripSamples(String peer) throws Exception {
        inBothDirections(peer, CLEAN, (off, on, exchange) -> {
            KcpStats without = off.ours().counters();
            KcpStats with = on.ours().counters();
            int rttMs = off.ours().smoothedRttMs();
            System.out.printf("  %s: round trip %d -> %d ms, datagrams %d -> %d, received %d -> %d%n", exchange, rttMs,
                on.ours().smoothedRttMs(), without.datagramsOut(), with.datagramsOut(), without.datagramsIn(), with.datagramsIn());
            assertThat(with.redundantSegments()).as(exchange).isPositive();
            assertThat(with.spuriousRetransmissions()).as(exchange).isZero();
            assertThat(with.unverifiedAcknowledgements()).as(exchange).isZero();
            assertThat(with.datagramsOut()).as(exchange).isLessThanOrEqualTo(without.datagramsOut() + EXTRA_DATAGRAMS);
            assertThat(on.ours().smoothedRttMs()).as(exchange).isBetween(rttMs - 10, rttMs + 10);
            if (!peer.equals("c")) {
                for (String counter : new String[] {"FastRetransSegs", "EarlyRetransSegs"}) {
                    assertThat(PeerProcess.field(on.theirs(), counter)).as("%s, %s", exchange, counter)
                        .isEqualTo(PeerProcess.field(off.theirs(), counter));
                }
                assertThat(Integer.parseInt(PeerProcess.field(on.theirs(), "RepeatSegs"))).as(exchange).isPositive();
            }
        });
    }

    /** Shows that datagrams that contain only copies are data shards of FEC groups for kcp-go. */
    @ParameterizedTest
    @ValueSource(strings = {"kcppeer-5.6.72", "kcppeer-5.6.1"})
    void delayedCopiesAreShardsThatKcpGoDecodes(String peer) throws Exception {
        Future<LiveExchange.Outcome> asClient = THREADS.submit(() -> delayedCopies(peer, false));
        assertDecoded(delayedCopies(peer, true), peer + " as the server");
        assertDecoded(asClient.get(), peer + " as the client");
    }

    private static void assertDecoded(LiveExchange.Outcome outcome, String exchange) {
        KcpStats ours = outcome.ours().counters();
        System.out.printf("  %s, FEC 3:1: retransmissions %d, datagrams %d, copies %d, recovered there %s%n", exchange,
            ours.retransmissions(), ours.datagramsOut(), ours.redundantSegments(), PeerProcess.field(outcome.theirs(), "FECRecovered"));
        assertThat(ours.redundantSegments()).as(exchange).isGreaterThan(SLOW_MESSAGES);
        assertThat(PeerProcess.field(outcome.theirs(), "FECErrs")).as(exchange).isEqualTo("0");
        assertThat(PeerProcess.field(outcome.theirs(), "KCPInErrors")).as(exchange).isEqualTo("0");
    }

    private static LiveExchange.Outcome delayedCopies(String peer, boolean peerIsServer) throws Exception {
        KcpConfig config = KcpConfig.fast3().toBuilder().redundancy(Redundancy.ON).redundancyDelayMs(10).build();
        FecShape shape = new FecShape(3, 1);
        return new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpTransferMode.MESSAGE, SLOW_MESSAGES * MESSAGE_BYTES).over(LOSSY)
            .fec(shape, shape).paced(MESSAGE_BYTES, SLOW_INTERVAL_MS).run(config);
    }

    private static LiveExchange.Outcome exchange(String peer, boolean peerIsServer, LinkConditions link, Redundancy redundancy)
        throws Exception {
        return new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpTransferMode.MESSAGE, MESSAGES * MESSAGE_BYTES).over(link)
            .paced(MESSAGE_BYTES, INTERVAL_MS).run(KcpConfig.fast3().toBuilder().redundancy(redundancy).build());
    }
}
