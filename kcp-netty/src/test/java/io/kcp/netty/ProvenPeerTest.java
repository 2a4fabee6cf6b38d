package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers prove their addresses to a server that is under load. */
@Timeout(60)
class ProvenPeerTest {

    private static final int CONV = 7;

    private static InetSocketAddress peer(int number) {
        return new InetSocketAddress("192.0." + (number >> 8) + '.' + (number & 0xff), 1_000);
    }

    /** Creates a server that is under load because two sessions of forged addresses exceed its threshold. */
    private static EmbeddedLink underLoad(Consumer<KcpHandlerBuilder> settings) {
        EmbeddedLink link = EmbeddedLink.create(server -> settings.accept(server.maxUnvalidatedSessions(2)), SessionRecorder::new);
        send(link, new InetSocketAddress("198.51.100.1", 1), first());
        send(link, new InetSocketAddress("198.51.100.2", 1), first());
        assertThat(link.accepted()).hasSize(2);
        return link;
    }

    private static WireSegment first() {
        return WireSegment.push(CONV, 0, 0, "x");
    }

    private static void send(EmbeddedLink link, InetSocketAddress from, WireSegment... segments) {
        link.server().receive(from, segments);
        link.server().channel().releaseOutbound();
    }

    /** Sends a first datagram and its retransmission, and returns the response of a peer to the probe of the server. */
    private static WireSegment response(EmbeddedLink link, InetSocketAddress peer) {
        send(link, peer, first());
        link.server().receive(peer, first());
        List<ByteBuf> sent = link.server().take();
        assertThat(sent).as("probes").hasSize(1);
        WireSegment probe = WireSegment.parse(sent.get(0)).get(0);
        sent.get(0).release();
        assertThat(probe.cmd()).isEqualTo(SegmentHeader.CMD_PUSH);
        return new WireSegment(CONV, SegmentHeader.CMD_ACK, 0, WireSegment.WINDOW, probe.ts(), probe.sn(), 0, "");
    }

    private static boolean opens(EmbeddedLink link, InetSocketAddress peer) {
        int before = link.accepted().size();
        send(link, peer, response(link, peer), first());
        return link.accepted().size() > before;
    }

    /** The server may be mistaken about the proof, and the peer may be an attacker, so a proof must not protect a session forever. */
    @Test
    @Tag("slow")
    void provenSessionsWithoutAcknowledgementsMakeRoom() {
        try (EmbeddedLink link = underLoad(server -> server.maxSessions(6))) {
            for (int i = 0; i < 6; i++) {
                assertThat(opens(link, peer(i))).isTrue();
            }
            send(link, peer(6), response(link, peer(6)), first());
            assertThat(link.server().dropped(DropReason.SESSION_LIMIT)).as("sessions within their first round trip stay").isEqualTo(1);
            link.advanceMs(UnvalidatedSessions.ROUND_TRIP_MS);
            assertThat(opens(link, peer(7))).isTrue();
            assertThat(link.accepted(2).session().isOpen()).as("the oldest session").isFalse();
            assertThat(link.accepted(3).session().isOpen()).isTrue();
            assertThat(link.server().stats().activeSessions()).isEqualTo(6);
        }
    }

    /** An attacker with a real address must not use up the rate at which the server opens sessions. */
    @Test
    void sessionsOfOneAddressAreLimited() {
        for (String trusted : List.of("198.51.100.0/24", "192.0.0.0/16")) {
            try (EmbeddedLink link = underLoad(server -> server.unknownDatagramsPerSecond(5).trustedPrefixes(trusted))) {
                int opened = 0;
                for (int port = 1; port <= 20; port++) {
                    opened += opens(link, new InetSocketAddress("192.0.2.1", port)) ? 1 : 0;
                }
                boolean isTrusted = trusted.startsWith("192");
                assertThat(opened).as("the burst is twice the rate").isEqualTo(isTrusted ? 20 : 10);
                assertThat(link.server().dropped(DropReason.SOURCE_RATE)).isEqualTo(20 - opened);
                assertThat(opens(link, new InetSocketAddress("192.1.2.1", 1))).as("another address").isTrue();
                link.advanceMs(200);
                assertThat(opens(link, new InetSocketAddress("192.0.2.1", 21))).isTrue();
            }
        }
    }

    /** An attacker who forges an address cannot prove it, and must not use up the rate of the clients with that address. */
    @Test
    void forgedDatagramsUseNoneOfTheRateOfTheirAddress() {
        try (EmbeddedLink link = underLoad(server -> server.unknownDatagramsPerSecond(5))) {
            for (int port = 1_000; port < 1_100; port++) {
                send(link, new InetSocketAddress("192.0.2.1", port), first());
                send(link, new InetSocketAddress("192.0.2.1", port), first());
            }
            assertThat(opens(link, new InetSocketAddress("192.0.2.1", 1))).isTrue();
        }
    }

    /** An attacker fills the limit of one address with forged datagrams, and continues to forge that address. */
    @Test
    void fullAddressPutsOnlyItselfUnderLoad() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessions(1_000).maxSessionsPerAddress(4), SessionRecorder::new)) {
            for (int port = 1; port <= 4; port++) {
                send(link, new InetSocketAddress("192.0.2.1", port), first());
            }
            for (int port = 5; port <= 10; port++) {
                link.advanceMs(UnvalidatedSessions.ROUND_TRIP_MS);
                link.server().channel().releaseOutbound();
                send(link, new InetSocketAddress("192.0.2.1", port), first());
                send(link, new InetSocketAddress("192.0.3." + port, 1), first());
            }
            assertThat(link.accepted()).as("other addresses need one datagram").hasSize(10);
            assertThat(link.server().stats().closed()).isEmpty();
            assertThat(opens(link, new InetSocketAddress("192.0.2.1", 11))).as("a client with the forged address").isTrue();
            assertThat(link.accepted(0).session().isOpen()).as("its oldest session").isFalse();
        }
    }

    /** A client that has received two probes acknowledges both in one datagram. A client that roams repeats its acknowledgements. */
    @Test
    void responseMayContainSeveralAcknowledgementsAndProbes() {
        WireSegment window = WireSegment.control(CONV, SegmentHeader.CMD_WASK);
        WireSegment duplicate = WireSegment.push(CONV, -1, 0, "");
        try (EmbeddedLink link = underLoad(server -> { })) {
            WireSegment twice = response(link, peer(1));
            send(link, peer(1), twice, twice.withTs(twice.ts() + 128), first());
            assertThat(link.accepted()).hasSize(3);
            WireSegment repeated = response(link, peer(2));
            send(link, peer(2), repeated, first(), repeated, window, duplicate);
            assertThat(link.accepted()).hasSize(4);
            send(link, peer(3), response(link, peer(3)));
            send(link, peer(3), first(), repeated.withTs(1), window, duplicate);
            assertThat(link.accepted()).hasSize(5);
            assertThat(link.accepted(4).messages()).containsExactly("x");
            send(link, peer(4), first(), duplicate);
            send(link, peer(4), first(), repeated);
            assertThat(link.accepted()).as("unproven peers").hasSize(5);
            assertThat(link.server().dropped(DropReason.NO_SESSION)).isEqualTo(2);
        }
    }
}
