package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
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

    private KcpChannel open(RoamingLink link) {
        KcpChannel session = link.connect(CONV, client);
        client.write(session, 10);
        link.advanceMs(20);
        server.write(link.accepted().get(0), 10);
        link.advanceMs(20);
        link.onServerSent((to, datagram) -> {
            if (to.getAddress().equals(ATTACKER.getAddress())) {
                toAttacker.add(datagram);
            }
            return false;
        });
        return session;
    }

    private void exchange(RoamingLink link, int rounds) {
        KcpChannel accepted = link.accepted().get(0);
        for (int i = 0; i < rounds; i++) {
            server.write(accepted, 2_000);
            link.advanceMs(10);
        }
    }

    /** Asserts that the session still belongs to its client, and that nothing was lost. */
    private void assertNotMoved(RoamingLink link) {
        link.onClientSent((from, datagram) -> false);
        KcpChannel accepted = link.accepted().get(0);
        assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
        assertThat(server.changes()).isEmpty();
        exchange(link, 10);
        link.advanceMs(1_000);
        assertThat(client.received()).isEqualTo(server.sent());
        assertThat(client.wrong()).isZero();
        assertThat(toAttacker).allSatisfy(datagram -> assertThat(RoamingLink.open(datagram))
            .allSatisfy(segment -> assertThat(segment.payload()).isEmpty()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void replayedDatagramsReceiveNoResponse(int sockets) {
        try (RoamingLink link = new RoamingLink(sockets, server)) {
            link.onClientSent((from, datagram) -> !fromClient.add(datagram));
            KcpChannel session = open(link);
            for (int i = 0; i < 30; i++) {
                client.write(session, 100);
                exchange(link, 1);
            }
            link.advanceMs(1_000);
            for (int i = 0; i < 4; i++) {
                InetSocketAddress attacker = new InetSocketAddress(ATTACKER.getAddress(), ATTACKER.getPort() + i);
                List.copyOf(fromClient).forEach(datagram -> link.send(attacker, datagram));
            }
            link.advanceMs(1_000);
            assertThat(toAttacker).isEmpty();
            assertThat(fromClient).hasSizeGreaterThan(30);
            assertNotMoved(link);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void recordedDatagramsThatArriveFirstReceiveNoData(int sockets) {
        try (RoamingLink link = new RoamingLink(sockets, server)) {
            open(link);
            KcpChannel accepted = link.accepted().get(0);
            int[] stolen = new int[1];
            for (int i = 0; i < 50; i++) {
                link.onClientSent((from, datagram) -> {
                    // Delivers the datagram from the attacker's address only. The original is dropped.
                    link.send(new InetSocketAddress(ATTACKER.getAddress(), ATTACKER.getPort() + stolen[0]++ % 3), datagram);
                    fromClient.add(datagram);
                    return true;
                });
                exchange(link, 1);
                link.onClientSent((from, datagram) -> false);
                exchange(link, 3);
            }
            assertThat(fromClient).isNotEmpty();
            assertThat(toAttacker).as("the attacker is challenged").isNotEmpty();
            assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
            long in = fromClient.stream().mapToLong(datagram -> datagram.length).sum();
            assertThat(toAttacker.stream().mapToLong(datagram -> datagram.length).sum()).isLessThanOrEqualTo(3 * in);
            assertNotMoved(link);
        }
    }

    /** The server delays its acknowledgements, so the replays arrive while acknowledgements for the client are pending. */
    @Test
    void pendingAcknowledgementsAreNotSentToAnUnvalidatedAddress() {
        try (RoamingLink link = new RoamingLink(1, server,
            builder -> builder.roaming(true).config(KcpConfig.fast3().toBuilder().ackNoDelay(false).build()),
            builder -> builder.roaming(true))) {
            KcpChannel session = open(link);
            link.onClientSent((from, datagram) -> {
                fromClient.add(datagram);
                link.send(ATTACKER, datagram);
                return true;
            });
            exchange(link, 1);
            assertThat(toAttacker).as("the attacker's address is the candidate").isNotEmpty();
            toAttacker.clear();
            byte[] recorded = fromClient.get(0);
            link.onClientSent((from, datagram) -> {
                link.send(from, datagram);
                link.send(ATTACKER, recorded);
                return true;
            });
            for (int i = 0; i < 20; i++) {
                client.write(session, 2_000);
                link.advanceMs(3);
            }
            List<WireSegment> diverted = toAttacker.stream().flatMap(datagram -> RoamingLink.open(datagram).stream())
                .filter(segment -> segment.cmd() == SegmentHeader.CMD_ACK).toList();
            assertThat(diverted).as("acknowledgements of segments that arrived from the client").isEmpty();
            link.advanceMs(1_000);
            assertThat(server.received()).isEqualTo(client.sent());
            assertNotMoved(link);
        }
    }

    /** The recorded acknowledgement opens the send window, so the server has data to send when it responds to the attacker. */
    @Test
    void queuedDataIsNotSentToAnUnvalidatedAddress() {
        try (RoamingLink link = new RoamingLink(1, server,
            builder -> builder.roaming(true).config(KcpConfig.fast3().toBuilder().sendWindow(4).build()),
            builder -> builder.roaming(true))) {
            open(link);
            link.onClientSent((from, datagram) -> {
                link.send(ATTACKER, datagram);
                return true;
            });
            server.write(link.accepted().get(0), 20_000);
            link.settle();
            assertThat(toAttacker).isNotEmpty();
            assertNotMoved(link);
        }
    }

    @Test
    void attackerCannotAnswerTheChallengeWithReplays() {
        try (RoamingLink link = new RoamingLink(1, server)) {
            open(link);
            link.onClientSent((from, datagram) -> {
                fromClient.add(datagram);
                link.send(ATTACKER, datagram);
                return true;
            });
            exchange(link, 1);
            link.onClientSent((from, datagram) -> !fromClient.add(datagram));
            assertThat(toAttacker).isNotEmpty();
            for (int i = 0; i < 20; i++) {
                exchange(link, 1);
                List.copyOf(fromClient).forEach(datagram -> link.send(ATTACKER, datagram));
            }
            assertNotMoved(link);
        }
    }

    @Test
    void responsesFromTheOldAddressDoNotValidateTheNewOne() {
        try (RoamingLink link = new RoamingLink(1, server)) {
            open(link);
            link.onClientSent((from, datagram) -> {
                link.send(ATTACKER, datagram);
                return true;
            });
            exchange(link, 1);
            assertThat(toAttacker).isNotEmpty();
            // The attacker forwards the challenge to the client, and the response of the client reaches the server from the client's own
            // address.
            link.onClientSent((from, datagram) -> false);
            for (byte[] challenge : List.copyOf(toAttacker)) {
                link.deliverToClient(challenge);
            }
            link.advanceMs(1_000);
            assertNotMoved(link);
        }
    }

    /** The attacker knows the key and the conversation id, but has seen no datagram of the session. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void attackerWithTheKeyCannotGuessTimestamps(int sockets) {
        try (RoamingLink link = new RoamingLink(sockets, server)) {
            KcpChannel session = open(link);
            KcpChannel accepted = link.accepted().get(0);
            link.onServerSent((to, datagram) -> {
                if (to.getAddress().equals(ATTACKER.getAddress())) {
                    toAttacker.add(datagram);
                }
                // Keeps segments in flight.
                return to.equals(link.nat());
            });
            exchange(link, 4);
            Random random = new Random(1);
            for (int i = 0; i < 500; i++) {
                int sn = i % 4;
                link.send(ATTACKER, link.seal(WireSegment.ack(CONV, sn, 0).withTs(random.nextInt()),
                    WireSegment.push(CONV, 1, 0, "hijacked").withTs(random.nextInt())));
                link.settle();
            }
            link.onServerSent((to, datagram) -> to.getAddress().equals(ATTACKER.getAddress()) && toAttacker.add(datagram));
            assertThat(toAttacker).isEmpty();
            assertThat(link.dropped(DropReason.FORGED_ACKNOWLEDGEMENT)).isEqualTo(MoveLimits.MAX_WRONG_ECHOES);
            assertThat(accepted.remoteAddress()).isEqualTo(link.nat());
            link.advanceMs(3_000);
            client.write(session, 10);
            link.advanceMs(100);
            assertThat(server.received()).isEqualTo(client.sent());
            assertThat(server.wrong()).isZero();
            assertNotMoved(link);
        }
    }

    @Test
    void dataWithoutAcknowledgementsDoesNotMoveTheSession() {
        try (RoamingLink link = new RoamingLink(1, server)) {
            open(link);
            link.advanceMs(500);
            link.send(ATTACKER, link.seal(WireSegment.push(CONV, 1, 1, "hijacked")));
            link.send(ATTACKER, link.seal(WireSegment.push(CONV, 1, 1, "hijacked"), WireSegment.ack(CONV, 900, 1)));
            link.send(ATTACKER, link.seal(WireSegment.ack(CONV, -5, 1), WireSegment.push(CONV, 1, 1, "hijacked")));
            link.send(ATTACKER, link.seal(WireSegment.control(CONV, 83), WireSegment.push(CONV, 1, 1, "hijacked")));
            link.advanceMs(500);
            assertThat(server.received()).isEqualTo(client.sent());
            assertThat(toAttacker).isEmpty();
            assertNotMoved(link);
        }
    }

    @Test
    void reflectedDatagramsMoveNothing() {
        try (RoamingLink link = new RoamingLink(1, server)) {
            KcpChannel session = open(link);
            List<byte[]> fromServer = new ArrayList<>();
            link.onServerSent((to, datagram) -> to.getAddress().equals(ATTACKER.getAddress()) ? toAttacker.add(datagram)
                : !fromServer.add(datagram));
            client.write(session, 100);
            exchange(link, 5);
            List<byte[]> reflected = List.copyOf(fromServer);
            reflected.forEach(datagram -> link.send(ATTACKER, datagram));
            link.advanceMs(500);
            assertThat(link.dropped(DropReason.REFLECTED)).isEqualTo(reflected.size());
            assertThat(toAttacker).isEmpty();
            link.onServerSent((to, datagram) -> false);
            assertNotMoved(link);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void sessionsWithTheSameConvDoNotMove(int sockets) {
        try (RoamingLink link = new RoamingLink(sockets, server)) {
            open(link);
            InetSocketAddress other = new InetSocketAddress(ATTACKER.getAddress(), 4_001);
            List<WireSegment> toOther = new ArrayList<>();
            link.onServerSent((to, datagram) -> to.equals(other) && toOther.addAll(RoamingLink.open(datagram)));
            link.send(other, link.seal(WireSegment.push(CONV, 0, 0, "")));
            link.settle();
            assertThat(link.accepted()).hasSize(2);
            // The other client responds to the probe, so both sessions are validated.
            WireSegment probe = toOther.stream().filter(segment -> segment.isPush()).findFirst().orElseThrow();
            link.send(other, link.seal(WireSegment.ack(CONV, probe.sn(), 0).withTs(probe.ts())));
            link.settle();
            KcpChannel accepted = link.accepted().get(0);
            InetSocketAddress before = link.nat();
            link.rebind();
            for (int i = 0; i < 20; i++) {
                server.write(accepted, 100);
                link.advanceMs(50);
            }
            assertThat(accepted.remoteAddress()).isEqualTo(before);
            assertThat(server.changes()).isEmpty();
            // After the other session has closed, the session follows its client again.
            link.accepted().get(1).close();
            assertThat(link.advanceUntil(() -> accepted.remoteAddress().equals(link.nat()), 30_000)).isTrue();
            link.advanceMs(1_000);
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    @Test
    void unvalidatedSessionsWithTheSameConvDoNotPreventMoves() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            open(link);
            for (int i = 0; i < 8; i++) {
                link.send(new InetSocketAddress("198.51.100.7", 7_000 + i), link.seal(WireSegment.push(CONV, 0, 0, "").withTs(i)));
            }
            assertThat(link.accepted()).hasSize(9);
            link.rebind();
            exchange(link, 20);
            link.advanceMs(500);
            assertThat(link.accepted().get(0).remoteAddress()).isEqualTo(link.nat());
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    @Test
    void newSessionsWithTheSameConvStillOpen() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            open(link);
            for (int i = 0; i < 8; i++) {
                link.send(new InetSocketAddress("10.0.0.3", 7_000 + i), link.seal(WireSegment.push(CONV, 0, 0, "").withTs(i)));
            }
            assertThat(link.accepted()).hasSize(9);
        }
    }

    @Test
    void alternatingAddressesMoveTheSessionAtALimitedRate() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = open(link);
            InetSocketAddress one = link.nat();
            InetSocketAddress two = link.rebind();
            for (int i = 0; i < 5_000; i++) {
                link.rebindTo(i % 2 == 0 ? one : two);
                client.write(session, 1);
                server.write(link.accepted().get(0), 1);
                link.advanceMs(1);
            }
            assertThat(server.changes()).hasSizeLessThanOrEqualTo(MoveLimits.BURST + 5_000 / MoveLimits.REFILL_MS + 1);
            link.advanceMs(30_000);
            assertThat(client.received()).isEqualTo(server.sent());
            assertThat(server.received()).isEqualTo(client.sent());
        }
    }

    @Test
    void datagramsWithoutTheKeyChangeNothing() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            link.onClientSent((from, datagram) -> !fromClient.add(datagram));
            open(link);
            exchange(link, 5);
            Random random = new Random(2);
            int flood = 2_000;
            for (int i = 0; i < flood; i++) {
                byte[] damaged = fromClient.get(random.nextInt(fromClient.size())).clone();
                damaged[damaged.length - 1 - random.nextInt(16)] ^= 1;
                link.send(new InetSocketAddress(ATTACKER.getAddress(), 1_024 + i), damaged);
            }
            assertThat(link.dropped(DropReason.DECRYPTION_FAILED)).isEqualTo(flood);
            assertThat(((DefaultKcpChannel) link.accepted().get(0)).migration).isNull();
            assertNotMoved(link);
        }
    }

    @Test
    void movesCountAgainstTheLimitPerAddress() {
        InetSocketAddress full = new InetSocketAddress("198.51.100.7", 5_000);
        try (RoamingLink link = new RoamingLink(1, server,
            builder -> builder.roaming(true).maxSessionsPerAddress(2).trustedPrefixes(), builder -> builder.roaming(true))) {
            open(link);
            for (int i = 0; i < 2; i++) {
                link.send(new InetSocketAddress(full.getAddress(), 6_000 + i), link.seal(WireSegment.push(5 + i, 0, 0, "").withTs(i)));
            }
            assertThat(link.accepted()).hasSize(3);
            KcpChannel accepted = link.accepted().get(0);
            InetSocketAddress before = link.nat();
            link.rebindTo(full);
            for (int i = 0; i < 20; i++) {
                server.write(accepted, 100);
                link.advanceMs(50);
            }
            assertThat(accepted.remoteAddress()).isEqualTo(before);
            assertThat(link.dropped(DropReason.ADDRESS_LIMIT)).isPositive();
            link.accepted().get(2).close();
            assertThat(link.advanceUntil(() -> accepted.remoteAddress().equals(full), 30_000)).isTrue();
            // The old address has no session any more, so two sessions can open there.
            for (int i = 0; i < 2; i++) {
                link.send(new InetSocketAddress(before.getAddress(), 6_000 + i), link.seal(WireSegment.push(8 + i, 0, 0, "").withTs(i)));
            }
            assertThat(link.accepted()).hasSize(5);
        }
    }
}
