package io.kcp.netty;

import static io.kcp.netty.EncryptedSegments.seal;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.roaming.PathMigration;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that knows the key and its own session tries to redirect its download to the address of a victim. The peer sends datagrams with
 * the source address of the victim, but does not receive the challenge that the server sends to the victim.
 */
@Timeout(120)
class RoamingHostilePeerTest {

    private static final int CONV = 77;
    private static final int GUESSES_PER_DATAGRAM = 58;
    private static final InetSocketAddress VICTIM = new InetSocketAddress("203.0.113.9", 4_000);

    private final CountingStream server = new CountingStream();
    private final CountingStream client = new CountingStream();
    private final List<WireSegment> toPeer = new ArrayList<>();
    private final List<WireSegment> toVictim = new ArrayList<>();

    /** Opens a session whose download segments the peer observes but does not acknowledge. */
    private void open(RoamingPair link) {
        KcpChannel session = link.client.connect(CONV, client);
        client.write(session, 10);
        link.hosts.runForMs(20);
        server.write(link.accepted(), 10);
        link.hosts.runForMs(20);
        link.server.drop((to, datagram) -> (to.equals(VICTIM) ? toVictim : toPeer).addAll(EncryptedSegments.open(datagram)));
        server.write(link.accepted(), 2_000);
        link.hosts.settle();
    }

    /** Makes the server consider the address of the victim. Returns the segment with which the peer proved its identity. */
    private WireSegment becomeCandidate(RoamingPair link) {
        WireSegment inFlight = toPeer.stream().filter(segment -> segment.isPush() && !segment.payload().isEmpty()).findFirst()
            .orElseThrow();
        link.server.receive(VICTIM, seal(WireSegment.ack(CONV, inFlight.sn(), 1).withTs(inFlight.ts()),
            WireSegment.push(CONV, 1, 1, "x").withTs(inFlight.ts())));
        link.hosts.settle();
        assertThat(toVictim).as("the victim is challenged").isNotEmpty();
        return inFlight;
    }

    private static void assertNotMoved(RoamingPair link, CountingStream server) {
        assertThat(link.accepted().remoteAddress()).isEqualTo(link.client.address());
        assertThat(server.changes()).isEmpty();
    }

    private static PathMigration migration(RoamingPair link) {
        PathMigration migration = PathMigration.of((DefaultKcpChannel) link.accepted());
        assertThat(migration).isNotNull();
        return migration;
    }

    /** The timestamp of a challenge is the clock of the server, which the peer knows from all other segments. */
    @Test
    void peerCannotComputeTheChallengeFromItsOwnSegments() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            open(link);
            int ts = becomeCandidate(link).ts();
            for (int sn : new int[] {-2, -1, 0}) {
                List<WireSegment> guesses = new ArrayList<>();
                for (int i = 0; i < GUESSES_PER_DATAGRAM; i++) {
                    guesses.add(WireSegment.ack(CONV, sn, 1).withTs(ts + i - GUESSES_PER_DATAGRAM / 2));
                }
                link.server.receive(VICTIM, seal(guesses.toArray(new WireSegment[0])));
                link.hosts.settle();
            }
            assertNotMoved(link, server);
            assertThat(toVictim).allSatisfy(segment -> assertThat(segment.payload()).isEmpty());
        }
    }

    @Test
    void addressIsAbandonedAfterThreeWrongAnswers() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            open(link);
            int ts = becomeCandidate(link).ts();
            Random random = new Random(1);
            int datagrams = 0;
            while (migration(link).candidate() != null) {
                List<WireSegment> guesses = new ArrayList<>();
                for (int i = 0; i < GUESSES_PER_DATAGRAM; i++) {
                    guesses.add(WireSegment.ack(CONV, -(1 << 20) - random.nextInt(1 << 29), 1).withTs(ts));
                }
                link.server.receive(VICTIM, seal(guesses.toArray(new WireSegment[0])));
                link.hosts.settle();
                datagrams++;
                assertThat(datagrams).isLessThanOrEqualTo(3);
            }
            assertThat(link.server.dropped(DropReason.FORGED_ACKNOWLEDGEMENT)).isEqualTo(3);
            assertNotMoved(link, server);
        }
    }

    @Test
    void eachChallengeIsDifferent() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            open(link);
            becomeCandidate(link);
            WireSegment first = toVictim.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
            toVictim.clear();
            link.hosts.runForMs(11_000);
            server.write(link.accepted(), 2_000);
            link.hosts.settle();
            toPeer.removeIf(segment -> segment.sn() <= 2);
            becomeCandidate(link);
            WireSegment second = toVictim.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
            assertThat(second.sn()).isNotEqualTo(first.sn());
        }
    }
}
