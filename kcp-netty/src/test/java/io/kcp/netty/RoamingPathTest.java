package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.fec.FecConfig;
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

    private static void setWritable(RoamingLink link, boolean writable) {
        ChannelOutboundBuffer buffer = link.servers().get(0).unsafe().outboundBuffer();
        assertThat(buffer).isNotNull();
        buffer.setUserDefinedWritability(1, writable);
        link.settle();
    }

    @Test
    void challengeIsNeverSentToTheOldAddress() {
        try (RoamingLink link = new RoamingLink(1, server)) {
            link.open(CONV, client, server);
            InetSocketAddress before = link.nat();
            List<WireSegment> toOldAddress = new ArrayList<>();
            link.onServerSent((to, datagram) -> to.equals(before) && toOldAddress.addAll(RoamingLink.open(datagram)));
            link.rebind();
            setWritable(link, false);
            server.write(link.accepted().get(0), 1_000);
            link.advanceMs(150);
            PathMigration migration = ((DefaultKcpChannel) link.accepted().get(0)).migration;
            assertThat(migration).isNotNull();
            assertThat(migration.candidate()).isEqualTo(link.nat());
            setWritable(link, true);
            assertThat(toOldAddress).filteredOn(WireSegment::isPush).as("data, but no challenge").isNotEmpty()
                .allSatisfy(segment -> assertThat(segment.payload()).isNotEmpty());
            link.advanceMs(1_000);
            assertThat(link.accepted().get(0).remoteAddress()).isEqualTo(link.nat());
            assertThat(client.received()).isEqualTo(server.sent());
        }
    }

    /** Shards of one FEC group must not be sent to different addresses, because neither address could then recover a lost shard. */
    @Test
    void unvalidatedAddressReceivesNoShards() {
        try (RoamingLink link = new RoamingLink(1, server, builder -> builder.roaming(true).fec(FecConfig.of(4, 2)),
            builder -> builder.roaming(true))) {
            KcpChannel session = link.open(CONV, client, server);
            InetSocketAddress after = link.rebind();
            List<byte[]> toNewAddress = new ArrayList<>();
            link.onServerSent((to, datagram) -> to.equals(after) && toNewAddress.add(RoamingLink.decrypt(datagram)));
            for (int i = 0; i < 40; i++) {
                client.write(session, 10);
                link.advanceMs(5);
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
        try (RoamingLink link = new RoamingLink(1, server)) {
            KcpChannel session = link.open(CONV, client, server);
            InetSocketAddress before = link.nat();
            link.rebind();
            client.write(session, 10);
            link.advanceMs(500);
            assertThat(link.accepted().get(0).remoteAddress()).isEqualTo(link.nat());
            List<WireSegment> toOldAddress = new ArrayList<>();
            link.onServerSent((to, datagram) -> to.equals(before) && toOldAddress.addAll(RoamingLink.open(datagram)));
            link.send(before, link.seal(WireSegment.push(CONV, 0, 1, "late")));
            link.advanceMs(100);
            assertThat(toOldAddress).isEmpty();
            assertThat(link.dropped(DropReason.CLOSED_SESSION)).isEqualTo(1);
        }
    }

    /**
     * Opens a second session from an address whose first session has moved to another socket. Closing the first session must not remove
     * the route of the second one.
     */
    @Test
    void sessionOpenedThroughAnotherSocketKeepsItsRoute() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            link.rebind(true);
            client.write(session, 10);
            link.advanceMs(500);
            DefaultKcpChannel moved = (DefaultKcpChannel) link.accepted().get(0);
            assertThat(moved.remoteAddress()).isEqualTo(link.nat());
            PathRouter arrival = arrival(link);
            assertThat(arrival.routedAddresses()).isEqualTo(1);
            CountingStream second = new CountingStream();
            KcpChannel other = link.connect(OTHER_CONV, second);
            second.write(other, 10);
            link.advanceMs(100);
            DefaultKcpChannel accepted = (DefaultKcpChannel) link.accepted().get(1);
            assertThat(accepted.handler()).isSameAs(moved.handler());
            openFromElsewhere(link);
            moved.close();
            link.advanceMs(10_000);
            long before = server.received();
            second.write(other, 10);
            link.advanceMs(500);
            assertThat(server.received()).isEqualTo(before + 10);
            accepted.close();
            link.advanceMs(10_000);
            assertThat(arrival.routedAddresses()).isZero();
        }
    }

    /** The datagrams arrive at another socket of the server, before the event loop of the session has read the first of them. */
    @Test
    void dataThatFollowsTheProofOfANewAddressIsNotLost() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            link.open(CONV, client, server);
            List<WireSegment> sent = new ArrayList<>();
            link.onServerSent((to, datagram) -> sent.addAll(RoamingLink.open(datagram)));
            server.write(link.accepted().get(0), 10);
            link.settle();
            WireSegment unacknowledged = sent.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
            InetSocketAddress moved = link.rebind(true);
            link.send(moved, link.seal(WireSegment.ack(CONV, unacknowledged.sn(), 0).withTs(unacknowledged.ts())));
            link.send(moved, link.seal(WireSegment.push(CONV, 1, 0, "\n")));
            link.settle();
            assertThat(server.received()).isEqualTo(11);
            assertThat(server.wrong()).isZero();
        }
    }

    /** A datagram without an acknowledgement proves nothing, so it is not passed to the session if no proof precedes it. */
    @Test
    void dataFromAnUnknownAddressWithoutProofIsDropped() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            link.open(CONV, client, server);
            InetSocketAddress unknown = link.rebind(true);
            link.send(unknown, link.seal(WireSegment.push(CONV, 1, 0, "\n")));
            link.settle();
            assertThat(server.received()).isEqualTo(10);
            assertThat(link.dropped(DropReason.NO_SESSION)).isEqualTo(1);
        }
    }

    /** Opens a validated session with the same conversation id from another address, so that the id identifies no session. */
    private static void openFromElsewhere(RoamingLink link) {
        InetSocketAddress elsewhere = new InetSocketAddress("198.51.100.7", 7_000);
        List<WireSegment> sent = new ArrayList<>();
        link.onServerSent((to, datagram) -> to.equals(elsewhere) && sent.addAll(RoamingLink.open(datagram)));
        link.send(elsewhere, link.seal(WireSegment.push(OTHER_CONV, 0, 0, "")));
        link.settle();
        WireSegment probe = sent.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
        link.send(elsewhere, link.seal(WireSegment.ack(OTHER_CONV, probe.sn(), 0).withTs(probe.ts())));
        link.settle();
        assertThat(link.accepted()).hasSize(3);
    }

    private static PathRouter arrival(RoamingLink link) {
        PathRouter router = link.servers().get(link.socketOf(link.nat())).pipeline().get(KcpHandler.class).router();
        assertThat(router).isNotNull();
        return router;
    }

    /** Closes a session whose address has changed, but which was not added to the index again because memory was short. */
    @Test
    void closingRemovesTheRouteAlthoughTheAddressHasChanged() {
        try (RoamingLink link = new RoamingLink(4, server)) {
            KcpChannel session = link.open(CONV, client, server);
            link.rebind(true);
            client.write(session, 10);
            link.advanceMs(500);
            DefaultKcpChannel moved = (DefaultKcpChannel) link.accepted().get(0);
            PathRouter arrival = arrival(link);
            assertThat(arrival.routedAddresses()).isEqualTo(1);
            moved.handler().sessions().remove(moved);
            moved.setRemoteAddress(new InetSocketAddress("198.51.100.7", 7_000));
            moved.closeWith(KcpCloseReason.MEMORY_LIMIT);
            link.settle();
            assertThat(arrival.routedAddresses()).isZero();
        }
    }

    /** The session of another client has the same conversation id and belongs to another socket of the server. */
    @Test
    void newPeerProvesItsAddressAlthoughAnotherSessionHasItsConversationId() {
        try (RoamingLink link = new RoamingLink(2, server, builder -> builder.roaming(true).maxUnvalidatedSessions(2),
            builder -> builder.roaming(true))) {
            link.open(CONV, client, server);
            for (int port = 1; port <= 2; port++) {
                link.send(new InetSocketAddress("198.51.100.1", port), link.seal(WireSegment.push(OTHER_CONV, 0, 0, "x").withTs(port)));
            }
            InetSocketAddress peer = new InetSocketAddress("192.0.2.1", 4_000);
            while (link.socketOf(peer) == link.socketOf(link.nat())) {
                peer = new InetSocketAddress(peer.getAddress(), peer.getPort() + 1);
            }
            InetSocketAddress newPeer = peer;
            List<WireSegment> probes = new ArrayList<>();
            link.onServerSent((to, datagram) -> to.equals(newPeer) && probes.addAll(RoamingLink.open(datagram)));
            for (int ts = 1; ts <= 2; ts++) {
                link.send(newPeer, link.seal(WireSegment.push(CONV, 0, 0, "x").withTs(ts)));
                link.settle();
            }
            assertThat(probes).hasSize(1);
            WireSegment response = WireSegment.ack(CONV, probes.get(0).sn(), 0).withTs(probes.get(0).ts());
            link.send(newPeer, link.seal(response, WireSegment.push(CONV, 0, 0, "x").withTs(3)));
            link.settle();
            assertThat(link.accepted()).hasSize(4);
            assertThat(link.accepted().get(3).remoteAddress()).isEqualTo(newPeer);
        }
    }
}
