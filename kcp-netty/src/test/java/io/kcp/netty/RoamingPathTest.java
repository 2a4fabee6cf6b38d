package io.kcp.netty;

import static io.kcp.netty.EncryptedSegments.seal;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.fec.FecConfig;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.roaming.PathMigration;
import io.kcp.netty.internal.roaming.PathRouter;
import io.netty.channel.ChannelOutboundBuffer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a server sends to the old address and to the new address of a client that moves, and which socket passes its datagrams on. */
@Timeout(120)
class RoamingPathTest {

    private static final int CONV = 77;
    private static final int OTHER_CONV = 78;

    private final CountingStream server = new CountingStream();
    private final CountingStream client = new CountingStream();

    private static void setWritable(RoamingPair link, boolean writable) {
        ChannelOutboundBuffer buffer = link.server.sockets().get(0).unsafe().outboundBuffer();
        assertThat(buffer).isNotNull();
        buffer.setUserDefinedWritability(1, writable);
        link.hosts.settle();
    }

    @Test
    void challengeIsNeverSentToTheOldAddress() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            link.open(CONV, client, server);
            InetSocketAddress before = link.client.address();
            List<WireSegment> toOldAddress = new ArrayList<>();
            link.server.drop((to, datagram) -> to.equals(before) && toOldAddress.addAll(EncryptedSegments.open(datagram)));
            link.client.rebind();
            setWritable(link, false);
            server.write(link.accepted(), 1_000);
            link.hosts.runForMs(150);
            PathMigration migration = PathMigration.of((DefaultKcpChannel) link.accepted());
            assertThat(migration).isNotNull();
            assertThat(migration.candidate()).isEqualTo(link.client.address());
            setWritable(link, true);
            assertThat(toOldAddress).filteredOn(WireSegment::isPush).as("data, but no challenge").isNotEmpty()
                .allSatisfy(segment -> assertThat(segment.payload()).isNotEmpty());
            link.hosts.runForMs(1_000);
            assertThat(link.accepted().remoteAddress()).isEqualTo(link.client.address());
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    /** Shards of one FEC group must not be sent to different addresses, because neither address could then recover a lost shard. */
    @Test
    void unvalidatedAddressReceivesNoShards() {
        try (RoamingPair link = new RoamingPair(1, server, builder -> builder.roaming(true).fec(FecConfig.of(4, 2)),
            builder -> builder.roaming(true))) {
            KcpChannel session = link.open(CONV, client, server);
            InetSocketAddress after = link.client.rebind();
            List<byte[]> toNewAddress = new ArrayList<>();
            link.server.drop((to, datagram) -> to.equals(after) && toNewAddress.add(EncryptedSegments.decrypt(datagram)));
            for (int i = 0; i < 40; i++) {
                client.write(session, 10);
                link.hosts.runForMs(5);
            }
            assertThat(toNewAddress).hasSizeGreaterThan(10).allSatisfy(datagram -> assertThat(isShard(datagram)).isFalse());
        }
    }

    private static boolean isShard(byte[] datagram) {
        return (datagram[4] & 0xFF) >= 0xF1;
    }

    /** The server must not send a closed window to the old address, because the session is still open at the new address. */
    @Test
    void lateDatagramsFromTheOldAddressReceiveNoResponse() {
        try (RoamingPair link = new RoamingPair(1, server)) {
            KcpChannel session = link.open(CONV, client, server);
            InetSocketAddress before = link.client.address();
            link.client.rebind();
            client.write(session, 10);
            link.hosts.runForMs(500);
            assertThat(link.accepted().remoteAddress()).isEqualTo(link.client.address());
            List<WireSegment> toOldAddress = new ArrayList<>();
            link.server.drop((to, datagram) -> to.equals(before) && toOldAddress.addAll(EncryptedSegments.open(datagram)));
            link.server.receive(before, seal(WireSegment.push(CONV, 0, 1, "late")));
            link.hosts.runForMs(100);
            assertThat(toOldAddress).isEmpty();
            assertThat(link.server.dropped(DropReason.CLOSED_SESSION)).isEqualTo(1);
        }
    }

    /**
     * Opens a second session from an address whose first session has moved to another socket. Closing the first session must not remove
     * the route of the second one.
     */
    @Test
    void sessionOpenedThroughAnotherSocketKeepsItsRoute() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            link.rebind(true);
            client.write(session, 10);
            link.hosts.runForMs(500);
            DefaultKcpChannel moved = (DefaultKcpChannel) link.accepted();
            assertThat(moved.remoteAddress()).isEqualTo(link.client.address());
            PathRouter arrival = arrival(link);
            assertThat(arrival.routedAddresses()).isEqualTo(1);
            CountingStream second = new CountingStream();
            KcpChannel other = link.client.connect(OTHER_CONV, second);
            second.write(other, 10);
            link.hosts.runForMs(100);
            DefaultKcpChannel accepted = (DefaultKcpChannel) link.server.accepted().get(1);
            assertThat(accepted.host()).isSameAs(moved.host());
            openFromElsewhere(link);
            moved.close();
            link.hosts.runForMs(10_000);
            long before = server.received();
            second.write(other, 10);
            link.hosts.runForMs(500);
            assertThat(server.received()).isEqualTo(before + 10);
            accepted.close();
            link.hosts.runForMs(10_000);
            assertThat(arrival.routedAddresses()).isZero();
        }
    }

    /** The datagrams arrive at another socket of the server, before the event loop of the session has read the first of them. */
    @Test
    void dataThatFollowsTheProofOfANewAddressIsNotLost() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            link.open(CONV, client, server);
            List<WireSegment> sent = new ArrayList<>();
            link.server.drop((to, datagram) -> sent.addAll(EncryptedSegments.open(datagram)));
            server.write(link.accepted(), 10);
            link.hosts.settle();
            WireSegment unacknowledged = sent.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
            InetSocketAddress moved = link.rebind(true);
            link.server.receive(moved, seal(WireSegment.ack(CONV, unacknowledged.sn(), 0).withTs(unacknowledged.ts())));
            link.server.receive(moved, seal(WireSegment.push(CONV, 1, 0, "\n")));
            link.hosts.settle();
            assertThat(server.received()).isEqualTo(11);
            assertThat(server.wrong()).isZero();
        }
    }

    /** A datagram without an acknowledgement proves nothing, so it is not passed to the session if no proof precedes it. */
    @Test
    void dataFromAnUnknownAddressWithoutProofIsDropped() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            link.open(CONV, client, server);
            InetSocketAddress unknown = link.rebind(true);
            link.server.receive(unknown, seal(WireSegment.push(CONV, 1, 0, "\n")));
            link.hosts.settle();
            assertThat(server.received()).isEqualTo(10);
            assertThat(link.server.dropped(DropReason.NO_SESSION)).isEqualTo(1);
        }
    }

    /** Opens a validated session with the same conversation id from another address, so that the id identifies no session. */
    private static void openFromElsewhere(RoamingPair link) {
        InetSocketAddress elsewhere = new InetSocketAddress("198.51.100.7", 7_000);
        List<WireSegment> sent = new ArrayList<>();
        link.server.drop((to, datagram) -> to.equals(elsewhere) && sent.addAll(EncryptedSegments.open(datagram)));
        link.server.receive(elsewhere, seal(WireSegment.push(OTHER_CONV, 0, 0, "")));
        link.hosts.settle();
        WireSegment probe = sent.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
        link.server.receive(elsewhere, seal(WireSegment.ack(OTHER_CONV, probe.sn(), 0).withTs(probe.ts())));
        link.hosts.settle();
        assertThat(link.server.accepted()).hasSize(3);
    }

    private static PathRouter arrival(RoamingPair link) {
        PathRouter router = link.server.socketOf(link.client.address()).pipeline().get(DefaultKcpHandler.class).router();
        assertThat(router).isNotNull();
        return router;
    }

    /** Closes a session whose address has changed, but which was not added to the index again because memory was short. */
    @Test
    void closingRemovesTheRouteAlthoughTheAddressHasChanged() {
        try (RoamingPair link = new RoamingPair(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            link.rebind(true);
            client.write(session, 10);
            link.hosts.runForMs(500);
            DefaultKcpChannel moved = (DefaultKcpChannel) link.accepted();
            PathRouter arrival = arrival(link);
            assertThat(arrival.routedAddresses()).isEqualTo(1);
            moved.host().sessions().remove(moved);
            moved.setRemoteAddress(new InetSocketAddress("198.51.100.7", 7_000));
            moved.closeWith(KcpCloseReason.MEMORY_LIMIT);
            link.hosts.settle();
            assertThat(arrival.routedAddresses()).isZero();
        }
    }

    /** The session of another client has the same conversation id and belongs to another socket of the server. */
    @Test
    void newPeerProvesItsAddressAlthoughAnotherSessionHasItsConversationId() {
        try (RoamingPair link = new RoamingPair(2, server, builder -> builder.roaming(true).maxUnvalidatedSessions(2),
            builder -> builder.roaming(true))) {
            link.open(CONV, client, server);
            for (int port = 1; port <= 2; port++) {
                link.server.receive(new InetSocketAddress("198.51.100.1", port),
                    seal(WireSegment.push(OTHER_CONV, 0, 0, "x").withTs(port)));
            }
            InetSocketAddress peer = new InetSocketAddress("192.0.2.1", 4_000);
            while (link.server.socketOf(peer) == link.server.socketOf(link.client.address())) {
                peer = new InetSocketAddress(peer.getAddress(), peer.getPort() + 1);
            }
            InetSocketAddress newPeer = peer;
            List<WireSegment> probes = new ArrayList<>();
            link.server.drop((to, datagram) -> to.equals(newPeer) && probes.addAll(EncryptedSegments.open(datagram)));
            for (int ts = 1; ts <= 2; ts++) {
                link.server.receive(newPeer, seal(WireSegment.push(CONV, 0, 0, "x").withTs(ts)));
                link.hosts.settle();
            }
            assertThat(probes).hasSize(1);
            WireSegment response = WireSegment.ack(CONV, probes.get(0).sn(), 0).withTs(probes.get(0).ts());
            link.server.receive(newPeer, seal(response, WireSegment.push(CONV, 0, 0, "x").withTs(3)));
            link.hosts.settle();
            assertThat(link.server.accepted()).hasSize(4);
            assertThat(link.server.accepted().get(3).remoteAddress()).isEqualTo(newPeer);
        }
    }
}
