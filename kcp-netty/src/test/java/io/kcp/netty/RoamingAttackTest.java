package io.kcp.netty;

import static io.kcp.netty.EncryptedSegments.seal;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.roaming.MoveLimits;
import io.kcp.netty.internal.roaming.PathMigration;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attackers try to redirect a session that follows its client to new addresses. */
@Timeout(120)
class RoamingAttackTest {

    private static final int CONV = 77;
    private static final InetSocketAddress ATTACKER = new InetSocketAddress("203.0.113.9", 4_000);

    private final CountingStream server = new CountingStream();
    private final CountingStream client = new CountingStream();
    private final List<byte[]> fromClient = new ArrayList<>();
    private final List<byte[]> toAttacker = new ArrayList<>();

    private KcpChannel open(RoamingPair link) {
        KcpChannel session = link.client.connect(CONV, client);
        client.write(session, 10);
        link.hosts.runForMs(20);
        server.write(link.accepted(), 10);
        link.hosts.runForMs(20);
        link.server.drop((to, datagram) -> {
            if (to.getAddress().equals(ATTACKER.getAddress())) {
                toAttacker.add(datagram);
            }
            return false;
        });
        return session;
    }

    private void exchange(RoamingPair link, int rounds) {
        KcpChannel accepted = link.accepted();
        for (int i = 0; i < rounds; i++) {
            server.write(accepted, 2_000);
            link.hosts.runForMs(10);
        }
    }

    /** Asserts that the session still belongs to its client, and that nothing was lost. */
    private void assertNotMoved(RoamingPair link) {
        link.client.dropNothing();
        KcpChannel accepted = link.accepted();
        assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
        assertThat(server.changes()).isEmpty();
        exchange(link, 10);
        link.hosts.runForMs(1_000);
        assertThat(client.received()).isEqualTo(server.sent());
        assertThat(client.wrong()).isZero();
        assertThat(toAttacker).allSatisfy(datagram -> assertThat(EncryptedSegments.open(datagram))
            .allSatisfy(segment -> assertThat(segment.payload()).isEmpty()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void replayedDatagramsReceiveNoResponse(int sockets) {
        try (RoamingPair link = new RoamingPair(sockets, server)) {
            link.client.drop((to, datagram) -> !fromClient.add(datagram));
            KcpChannel session = open(link);
            for (int i = 0; i < 30; i++) {
                client.write(session, 100);
                exchange(link, 1);
            }
            link.hosts.runForMs(1_000);
            for (int i = 0; i < 4; i++) {
                InetSocketAddress attacker = new InetSocketAddress(ATTACKER.getAddress(), ATTACKER.getPort() + i);
                List.copyOf(fromClient).forEach(datagram -> link.server.receive(attacker, datagram));
            }
            link.hosts.runForMs(1_000);
            assertThat(toAttacker).isEmpty();
            assertThat(fromClient).hasSizeGreaterThan(30);
            assertNotMoved(link);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void recordedDatagramsThatArriveFirstReceiveNoData(int sockets) {
        try (RoamingPair link = new RoamingPair(sockets, server)) {
            open(link);
            KcpChannel accepted = link.accepted();
            int[] stolen = new int[1];
            for (int i = 0; i < 50; i++) {
                link.client.drop((to, datagram) -> {
                    // Delivers the datagram from the attacker's address only. The original is dropped.
                    link.server.receive(new InetSocketAddress(ATTACKER.getAddress(), ATTACKER.getPort() + stolen[0]++ % 3), datagram);
                    fromClient.add(datagram);
                    return true;
                });
                exchange(link, 1);
                link.client.dropNothing();
                exchange(link, 3);
            }
            assertThat(fromClient).isNotEmpty();
            assertThat(toAttacker).as("the attacker is challenged").isNotEmpty();
            assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
            long in = fromClient.stream().mapToLong(datagram -> datagram.length).sum();
            assertThat(toAttacker.stream().mapToLong(datagram -> datagram.length).sum()).isLessThanOrEqualTo(3 * in);
            assertNotMoved(link);
        }
    }

    /** The server delays its acknowledgements, so the replays arrive while acknowledgements for the client are pending. */
    @Test
    void pendingAcknowledgementsAreNotSentToAnUnvalidatedAddress() {
        try (RoamingPair link = new RoamingPair(1, server,
            builder -> builder.roaming(true).config(KcpConfig.fast3().toBuilder().ackNoDelay(false).build()),
            builder -> builder.roaming(true))) {
            KcpChannel session = open(link);
            link.client.drop((to, datagram) -> {
                fromClient.add(datagram);
                link.server.receive(ATTACKER, datagram);
                return true;
            });
            exchange(link, 1);
            assertThat(toAttacker).as("the attacker's address is the candidate").isNotEmpty();
            toAttacker.clear();
            byte[] recorded = fromClient.get(0);
            link.client.drop((to, datagram) -> {
                link.server.receive(link.client.address(), datagram);
                link.server.receive(ATTACKER, recorded);
                return true;
            });
            for (int i = 0; i < 20; i++) {
                client.write(session, 2_000);
                link.hosts.runForMs(3);
            }
            List<WireSegment> diverted = toAttacker.stream().flatMap(datagram -> EncryptedSegments.open(datagram).stream())
                .filter(segment -> segment.cmd() == SegmentHeader.CMD_ACK).toList();
            assertThat(diverted).as("acknowledgements of segments that arrived from the client").isEmpty();
            link.hosts.runForMs(1_000);
            assertThat(server.received()).isEqualTo(client.sent());
            assertNotMoved(link);
        }
    }

    /** The recorded acknowledgement opens the send window, so the server has data to send when it responds to the attacker. */
    @Test
    void queuedDataIsNotSentToAnUnvalidatedAddress() {
        try (RoamingPair link = new RoamingPair(1, server,
            builder -> builder.roaming(true).config(KcpConfig.fast3().toBuilder().sendWindow(4).build()),
            builder -> builder.roaming(true))) {
            open(link);
            link.client.drop((to, datagram) -> {
                link.server.receive(ATTACKER, datagram);
                return true;
            });
            server.write(link.accepted(), 20_000);
            link.hosts.settle();
            assertThat(toAttacker).isNotEmpty();
            assertNotMoved(link);
        }
    }

    @Test
    void attackerCannotAnswerTheChallengeWithReplays() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            open(link);
            link.client.drop((to, datagram) -> {
                fromClient.add(datagram);
                link.server.receive(ATTACKER, datagram);
                return true;
            });
            exchange(link, 1);
            link.client.drop((to, datagram) -> !fromClient.add(datagram));
            assertThat(toAttacker).isNotEmpty();
            for (int i = 0; i < 20; i++) {
                exchange(link, 1);
                List.copyOf(fromClient).forEach(datagram -> link.server.receive(ATTACKER, datagram));
            }
            assertNotMoved(link);
        }
    }

    @Test
    void responsesFromTheOldAddressDoNotValidateTheNewOne() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            open(link);
            link.client.drop((to, datagram) -> {
                link.server.receive(ATTACKER, datagram);
                return true;
            });
            exchange(link, 1);
            assertThat(toAttacker).isNotEmpty();
            // The attacker forwards the challenge to the client, and the response of the client reaches the server from the client's own
            // address.
            link.client.dropNothing();
            for (byte[] challenge : List.copyOf(toAttacker)) {
                link.client.receive(SimulatedHosts.SERVER, challenge);
            }
            link.hosts.runForMs(1_000);
            assertNotMoved(link);
        }
    }

    /** The attacker knows the key and the conversation id, but has seen no datagram of the session. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void attackerWithTheKeyCannotGuessTimestamps(int sockets) {
        try (RoamingPair link = new RoamingPair(sockets, server)) {
            KcpChannel session = open(link);
            KcpChannel accepted = link.accepted();
            link.server.drop((to, datagram) -> {
                if (to.getAddress().equals(ATTACKER.getAddress())) {
                    toAttacker.add(datagram);
                }
                // Keeps segments in flight.
                return to.equals(link.client.address());
            });
            exchange(link, 4);
            Random random = new Random(1);
            for (int i = 0; i < 500; i++) {
                int sn = i % 4;
                link.server.receive(ATTACKER, seal(WireSegment.ack(CONV, sn, 0).withTs(random.nextInt()),
                    WireSegment.push(CONV, 1, 0, "hijacked").withTs(random.nextInt())));
                link.hosts.settle();
            }
            link.server.drop((to, datagram) -> to.getAddress().equals(ATTACKER.getAddress()) && toAttacker.add(datagram));
            assertThat(toAttacker).isEmpty();
            assertThat(link.server.dropped(DropReason.FORGED_ACKNOWLEDGEMENT)).isEqualTo(MoveLimits.MAX_WRONG_ECHOES);
            assertThat(accepted.remoteAddress()).isEqualTo(link.client.address());
            link.hosts.runForMs(3_000);
            client.write(session, 10);
            link.hosts.runForMs(100);
            assertThat(server.received()).isEqualTo(client.sent());
            assertThat(server.wrong()).isZero();
            assertNotMoved(link);
        }
    }

    @Test
    void dataWithoutAcknowledgementsDoesNotMoveTheSession() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            open(link);
            link.hosts.runForMs(500);
            link.server.receive(ATTACKER, seal(WireSegment.push(CONV, 1, 1, "hijacked")));
            link.server.receive(ATTACKER, seal(WireSegment.push(CONV, 1, 1, "hijacked"), WireSegment.ack(CONV, 900, 1)));
            link.server.receive(ATTACKER, seal(WireSegment.ack(CONV, -5, 1), WireSegment.push(CONV, 1, 1, "hijacked")));
            link.server.receive(ATTACKER, seal(WireSegment.control(CONV, 83), WireSegment.push(CONV, 1, 1, "hijacked")));
            link.hosts.runForMs(500);
            assertThat(server.received()).isEqualTo(client.sent());
            assertThat(toAttacker).isEmpty();
            assertNotMoved(link);
        }
    }

    @Test
    void reflectedDatagramsMoveNothing() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            KcpChannel session = open(link);
            List<byte[]> fromServer = new ArrayList<>();
            link.server.drop((to, datagram) -> to.getAddress().equals(ATTACKER.getAddress()) ? toAttacker.add(datagram)
                : !fromServer.add(datagram));
            client.write(session, 100);
            exchange(link, 5);
            List<byte[]> reflected = List.copyOf(fromServer);
            reflected.forEach(datagram -> link.server.receive(ATTACKER, datagram));
            link.hosts.runForMs(500);
            assertThat(link.server.dropped(DropReason.REFLECTED)).isEqualTo(reflected.size());
            assertThat(toAttacker).isEmpty();
            link.server.dropNothing();
            assertNotMoved(link);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void sessionsWithTheSameConvDoNotMove(int sockets) {
        try (RoamingPair link = new RoamingPair(sockets, server)) {
            open(link);
            InetSocketAddress other = new InetSocketAddress(ATTACKER.getAddress(), 4_001);
            List<WireSegment> toOther = new ArrayList<>();
            link.server.drop((to, datagram) -> to.equals(other) && toOther.addAll(EncryptedSegments.open(datagram)));
            link.server.receive(other, seal(WireSegment.push(CONV, 0, 0, "")));
            link.hosts.settle();
            assertThat(link.server.accepted()).hasSize(2);
            // The other client responds to the probe, so both sessions are validated.
            WireSegment probe = toOther.stream().filter(segment -> segment.isPush()).findFirst().orElseThrow();
            link.server.receive(other, seal(WireSegment.ack(CONV, probe.sn(), 0).withTs(probe.ts())));
            link.hosts.settle();
            KcpChannel accepted = link.accepted();
            InetSocketAddress before = link.client.address();
            link.client.rebind();
            for (int i = 0; i < 20; i++) {
                server.write(accepted, 100);
                link.hosts.runForMs(50);
            }
            assertThat(accepted.remoteAddress()).isEqualTo(before);
            assertThat(server.changes()).isEmpty();
            // After the other session has closed, the session follows its client again.
            link.server.accepted().get(1).close();
            assertThat(link.hosts.runUntil(() -> accepted.remoteAddress().equals(link.client.address()), 30_000)).isTrue();
            link.hosts.runForMs(1_000);
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    @Test
    void unvalidatedSessionsWithTheSameConvDoNotPreventMoves() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            open(link);
            for (int i = 0; i < 8; i++) {
                link.server.receive(new InetSocketAddress("198.51.100.7", 7_000 + i), seal(WireSegment.push(CONV, 0, 0, "").withTs(i)));
            }
            assertThat(link.server.accepted()).hasSize(9);
            link.client.rebind();
            exchange(link, 20);
            link.hosts.runForMs(500);
            assertThat(link.accepted().remoteAddress()).isEqualTo(link.client.address());
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    @Test
    void newSessionsWithTheSameConvStillOpen() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            open(link);
            for (int i = 0; i < 8; i++) {
                link.server.receive(new InetSocketAddress("10.0.0.3", 7_000 + i), seal(WireSegment.push(CONV, 0, 0, "").withTs(i)));
            }
            assertThat(link.server.accepted()).hasSize(9);
        }
    }

    @Test
    void alternatingAddressesMoveTheSessionAtALimitedRate() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = open(link);
            InetSocketAddress one = link.client.address();
            InetSocketAddress two = link.client.rebind();
            for (int i = 0; i < 5_000; i++) {
                link.client.rebindTo(i % 2 == 0 ? one : two);
                client.write(session, 1);
                server.write(link.accepted(), 1);
                link.hosts.runForMs(1);
            }
            assertThat(server.changes()).hasSizeLessThanOrEqualTo(MoveLimits.BURST + 5_000 / MoveLimits.REFILL_MS + 1);
            link.hosts.runForMs(30_000);
            assertThat(client.received()).isEqualTo(server.sent());
            assertThat(server.received()).isEqualTo(client.sent());
        }
    }

    @Test
    void datagramsWithoutTheKeyChangeNothing() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            link.client.drop((to, datagram) -> !fromClient.add(datagram));
            open(link);
            exchange(link, 5);
            Random random = new Random(2);
            int flood = 2_000;
            for (int i = 0; i < flood; i++) {
                byte[] damaged = fromClient.get(random.nextInt(fromClient.size())).clone();
                damaged[damaged.length - 1 - random.nextInt(16)] ^= 1;
                link.server.receive(new InetSocketAddress(ATTACKER.getAddress(), 1_024 + i), damaged);
            }
            assertThat(link.server.dropped(DropReason.DECRYPTION_FAILED)).isEqualTo(flood);
            assertThat(PathMigration.of((DefaultKcpChannel) link.accepted())).isNull();
            assertNotMoved(link);
        }
    }

    @Test
    void movesCountAgainstTheLimitPerAddress() {
        InetSocketAddress full = new InetSocketAddress("198.51.100.7", 5_000);
        try (RoamingPair link = new RoamingPair(1, server,
            builder -> builder.roaming(true).maxSessionsPerAddress(2).trustedPrefixes(), builder -> builder.roaming(true))) {
            open(link);
            for (int i = 0; i < 2; i++) {
                link.server.receive(new InetSocketAddress(full.getAddress(), 6_000 + i), seal(WireSegment.push(5 + i, 0, 0, "").withTs(i)));
            }
            assertThat(link.server.accepted()).hasSize(3);
            KcpChannel accepted = link.accepted();
            InetSocketAddress before = link.client.address();
            link.client.rebindTo(full);
            for (int i = 0; i < 20; i++) {
                server.write(accepted, 100);
                link.hosts.runForMs(50);
            }
            assertThat(accepted.remoteAddress()).isEqualTo(before);
            assertThat(link.server.dropped(DropReason.ADDRESS_LIMIT)).isPositive();
            link.server.accepted().get(2).close();
            assertThat(link.hosts.runUntil(() -> accepted.remoteAddress().equals(full), 30_000)).isTrue();
            // The old address has no session any more, so two sessions can open there.
            for (int i = 0; i < 2; i++) {
                link.server.receive(new InetSocketAddress(before.getAddress(), 6_000 + i),
                    seal(WireSegment.push(8 + i, 0, 0, "").withTs(i)));
            }
            assertThat(link.server.accepted()).hasSize(5);
        }
    }
}
