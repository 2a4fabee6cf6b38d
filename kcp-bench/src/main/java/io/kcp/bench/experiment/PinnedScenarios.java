package io.kcp.bench.experiment;

import static io.kcp.bench.experiment.Metric.CPU_US_MESSAGE;
import static io.kcp.bench.experiment.Metric.MEDIAN_US;
import static io.kcp.bench.experiment.Metric.P99_US;
import static io.kcp.bench.experiment.Metric.USER_US_MESSAGE;
import static io.kcp.bench.experiment.Peer.JAVA_KCP;
import static io.kcp.bench.experiment.Peer.KCP_GO;
import static io.kcp.bench.experiment.Peer.KCP_NETTY;
import static io.kcp.bench.experiment.Peer.OURS;
import static io.kcp.bench.experiment.Peer.UDP;
import static io.kcp.bench.experiment.Target.atMost;

import io.kcp.bench.experiment.Scenario.Work;
import java.util.List;

/**
 * Defines the scenarios with small messages in which the server and the client run on different processors.
 *
 * <p>The lower limit of the cost is plain UDP with Netty and the datagrams that KCP needs for a message of 64 bytes. In the scenarios with
 * many sessions, these are a datagram of 88 bytes to the server, one of 112 bytes back, and one of 24 bytes to the server, which the server
 * discards. In a ping-pong, the next request contains the acknowledgement, so one datagram in each direction suffices. The contender
 * {@value #UDP_SINGLE} reads one datagram per system call, and {@code udp} reads up to 64.
 */
final class PinnedScenarios {

    private static final String UDP_SINGLE = "udp single reads";

    private static final String OURS_BLOCKING = "ours blocking";
    private static final String[] SINGLE_READS = {"--datagrams-at-once", "1"};
    private static final List<Metric> COST =
        List.of(CPU_US_MESSAGE, USER_US_MESSAGE, Metric.KERNEL_US_MESSAGE, Metric.P50_US, P99_US, Metric.LOST);
    private static final List<Metric> ROUND_TRIP = List.of(MEDIAN_US, P99_US, Metric.CPU_US_ROUND_TRIP);

    private PinnedScenarios() {
    }

    static List<Scenario> all() {
        List<Contender> fleet = List.of(Contender.of(OURS), Contender.ours("blocking", "--block"), Contender.of(KCP_GO),
            Contender.of(KCP_NETTY), Contender.of(JAVA_KCP), Contender.of(UDP, "", "--like-kcp"),
            Contender.of(UDP, "single reads", "--like-kcp", "--datagrams-at-once", "1"));
        List<String> message = List.of("--write-bytes", "64");
        return List.of(
            new Scenario("pinned-2000", "2,000 sessions, each ten messages per second, server on one processor", Work.FLEET,
                Scenarios.fleet(2_000, 10, 0), COST, fleet,
                atMost(0.4, CPU_US_MESSAGE, KCP_GO).or(atMost(1.5, CPU_US_MESSAGE, UDP, UDP_SINGLE)), atMost(1_000, P99_US)),
            new Scenario("pinned-5000", "5,000 sessions, each one message per second, server on one processor", Work.FLEET,
                Scenarios.fleet(5_000, 1, 0), COST, fleet,
                atMost(0.3, CPU_US_MESSAGE, KCP_NETTY).or(atMost(1.6, CPU_US_MESSAGE, UDP, UDP_SINGLE)), atMost(6, USER_US_MESSAGE)),
            new Scenario("pinned-ping-pong", "Ping-pong of 64 bytes, server on one processor", Work.PINGPONG, message, ROUND_TRIP,
                List.of(Contender.of(OURS), Contender.ours("blocking", "--block"), Contender.of(KCP_GO), Contender.of(KCP_NETTY),
                    Contender.of(JAVA_KCP), Contender.of(UDP), Contender.of(UDP, "single reads", SINGLE_READS)),
                atMost(0.85, MEDIAN_US, KCP_GO, KCP_NETTY, JAVA_KCP).of(OURS_BLOCKING),
                atMost(1.15, MEDIAN_US, UDP, UDP_SINGLE).of(OURS_BLOCKING)),
            new Scenario("pinned-ping-pong-spin", "Ping-pong of 64 bytes, busy-polling, server on one processor", Work.PINGPONG, message,
                ROUND_TRIP, List.of(Contender.ours("", "--spin"), Contender.of(UDP, "", "--spin"),
                    Contender.of(UDP, "single reads", "--spin", "--datagrams-at-once", "1")),
                atMost(1.3, MEDIAN_US, UDP, UDP_SINGLE)))
            .stream().map(Scenario::withPinning).toList();
    }
}
