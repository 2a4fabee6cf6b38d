package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.Tombstones;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which sessions a server closes to make room for new ones. Except where stated, the limits that apply under load are off. */
@Timeout(60)
class SessionEvictionTest {

    private static final int CONV = 7;

    private static void disableLoadLimits(KcpHandlerBuilder server) {
        server.retransmittedOnlyUnderLoad(false).addressProofUnderLoad(false).openingsPerSecondUnderLoad(0);
    }

    private static EmbeddedLink answering(int maxSessions, int maxUnvalidated) {
        return EmbeddedLink.create(
            server -> disableLoadLimits(server.maxSessions(maxSessions).maxUnvalidatedSessions(maxUnvalidated)),
            () -> new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'))));
    }

    private static InetSocketAddress stranger(int number) {
        return new InetSocketAddress("192.0." + (number >> 8) + '.' + (number & 0xff), 1_000);
    }

    /** Opens sessions from other addresses, which never receive the responses. */
    private static void open(EmbeddedLink link, int from, int to) {
        for (int i = from; i < to; i++) {
            link.server().receive(stranger(i), WireSegment.push(CONV, 0, 0, "x"));
            link.server().channel().releaseOutbound();
        }
    }

    private static boolean[] areOpen(List<SessionRecorder> sessions) {
        boolean[] open = new boolean[sessions.size()];
        for (int i = 0; i < open.length; i++) {
            open[i] = sessions.get(i).session().isOpen();
        }
        return open;
    }

    private static long evicted(EmbeddedLink link) {
        return link.server().stats().closed().getOrDefault(KcpCloseReason.EVICTED, 0L);
    }

    @Test
    void newcomerEvictsTheOldestUnvalidatedSession() {
        try (EmbeddedLink link = answering(100, 3)) {
            open(link, 0, 5);
            assertThat(areOpen(link.accepted())).containsExactly(false, false, true, true, true);
            assertThat(evicted(link)).isEqualTo(2);
            assertThat(link.server().stats().droppedTotal()).as("no newcomer is refused").isZero();
            SessionRecorder first = link.accepted(0);
            assertThat(first.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.EVICTED));
            assertThat(first.exceptions()).as("eviction is quiet").isEmpty();
            assertThat(first.events()).contains("inactive");
        }
    }

    @Test
    void validatedSessionsAreNotEvicted() {
        try (EmbeddedLink link = answering(100, 3)) {
            SessionRecorder client = link.establish(CONV);
            assertThat(client.messages()).as("what the client acknowledges").containsExactly("!");
            open(link, 0, 20);
            assertThat(link.accepted(0).session().isActive()).isTrue();
            client.session().writeAndFlush(link.text("still here"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "still here");
            assertThat(evicted(link)).isEqualTo(17);
        }
    }

    @Test
    void guessedAcknowledgementsValidateNothing() {
        try (EmbeddedLink link = answering(100, 3)) {
            open(link, 0, 1);
            link.server().receive(stranger(0), WireSegment.push(CONV, 1, 1, "una is guessed"));
            link.server().receive(stranger(0), WireSegment.ack(CONV, 1, 2));
            link.server().channel().releaseOutbound();
            assertThat(link.accepted(0).messages()).hasSize(2);
            open(link, 1, 4);
            assertThat(areOpen(link.accepted())).containsExactly(false, true, true, true);
        }
    }

    @Test
    void sessionsOfTenSecondsAreNotEvictedByNewcomers() {
        try (EmbeddedLink link = answering(100, 3)) {
            link.server().loseAll();
            open(link, 0, 3);
            link.advanceMs(UnvalidatedSessions.MAX_AGE_MS);
            open(link, 3, 7);
            assertThat(areOpen(link.accepted())).containsExactly(true, true, true, false, true, true, true);
        }
    }

    /** All sockets share one count, so sessions of a socket without newcomers must not prevent other sockets from accepting clients. */
    @Test
    void sessionsExpireWithoutNewcomersAndLeaveNoTimer() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.maxUnvalidatedSessions(100).childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0)
                .childOption(KcpChannelOption.KEEPALIVE_MS, 0), SessionRecorder::new)) {
            SessionCounts counts = link.server().counts();
            open(link, 0, 3);
            link.advanceMs(5_000);
            open(link, 3, 7);
            assertThat(counts.unvalidated()).isEqualTo(7);
            link.advanceMs(UnvalidatedSessions.MAX_AGE_MS - 5_000);
            assertThat(counts.unvalidated()).isEqualTo(4);
            link.advanceMs(5_000);
            assertThat(counts.unvalidated()).isZero();
            assertThat(link.server().channel().runScheduledPendingTasks()).as("nothing is scheduled").isEqualTo(-1);
            assertThat(counts.sessions()).isEqualTo(7);
        }
    }

    @Test
    void fullServerEvictsAnUnvalidatedSession() {
        try (EmbeddedLink link = answering(5, 16)) {
            open(link, 0, 4);
            link.establish(CONV);
            open(link, 5, 6);
            assertThat(areOpen(link.accepted())).containsExactly(false, true, true, true, true, true);
            assertThat(evicted(link)).isEqualTo(1);
            assertThat(link.server().stats().activeSessions()).isEqualTo(5);
            assertThat(link.server().stats().droppedTotal()).isZero();
        }
    }

    @Test
    void fullServerRefusesIfAllSessionsAreValidated() {
        try (EmbeddedLink link = answering(3, 16)) {
            for (int conv = 1; conv <= 3; conv++) {
                link.establish(conv);
            }
            open(link, 0, 1);
            assertThat(link.server().dropped(DropReason.SESSION_LIMIT)).isEqualTo(1);
            assertThat(areOpen(link.accepted())).containsExactly(true, true, true);
        }
    }

    @Test
    void fullServerSparesSessionsWithinTheirFirstRoundTrip() {
        try (EmbeddedLink link = answering(3, 16)) {
            link.server().loseAll();
            open(link, 0, 2);
            link.advanceMs(UnvalidatedSessions.MAX_AGE_MS);
            open(link, 2, 3);
            link.advanceMs(UnvalidatedSessions.ROUND_TRIP_MS - 1);
            open(link, 3, 4);
            assertThat(areOpen(link.accepted())).containsExactly(false, true, true, true);
            link.advanceMs(1);
            open(link, 4, 5);
            assertThat(areOpen(link.accepted())).as("the third had its round trip").containsExactly(false, true, false, true, true);
        }
    }

    /** A peer that only sends has no data to acknowledge, but it acknowledges a probe. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void receiveOnlySessionsAreNotEvicted(boolean limitsAmplification) {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> disableLoadLimits(server.maxSessions(2).amplificationLimit(limitsAmplification)), SessionRecorder::new)) {
            SessionRecorder early = link.establish(1);
            SessionRecorder late = link.establish(2);
            send(link, early, UnvalidatedSessions.PROBE_DATAGRAMS);
            link.advanceMs(UnvalidatedSessions.MAX_AGE_MS);
            send(link, late, UnvalidatedSessions.PROBE_DATAGRAMS);
            open(link, 0, 3);
            assertThat(areOpen(link.accepted())).containsExactly(true, true);
            assertThat(link.server().dropped(DropReason.SESSION_LIMIT)).isEqualTo(3);
        }
    }

    private static void send(EmbeddedLink link, SessionRecorder client, int datagrams) {
        for (int i = 0; i < datagrams; i++) {
            client.session().writeAndFlush(link.text("data"));
            link.settle();
        }
    }

    /** An attacker sends each forged datagram many times, and later one more segment before the session closes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copiesOfAForgedDatagramDoNotExemptItsSession(boolean limitsAmplification) {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> disableLoadLimits(server.maxSessions(10).amplificationLimit(limitsAmplification)), SessionRecorder::new)) {
            for (int copy = 0; copy < 40; copy++) {
                for (int i = 0; i < 10; i++) {
                    link.server().receive(stranger(i), WireSegment.push(CONV, 0, 0, "x"));
                    link.server().channel().releaseOutbound();
                }
            }
            link.server().lose(datagram -> WireSegment.parse(datagram).stream().allMatch(segment -> segment.conv() == CONV));
            for (int seconds = 0; seconds < 60; seconds += 20) {
                link.advanceMs(20_000);
                for (int i = 0; i < 10; i++) {
                    link.server().receive(stranger(i), WireSegment.push(CONV, 1 + seconds / 20, 0, "x"));
                }
            }
            assertThat(link.server().stats().activeSessions()).as("forged sessions").isEqualTo(10);
            for (int client = 0; client < 10; client++) {
                SessionRecorder recorder = link.connect(1_000 + client);
                recorder.session().writeAndFlush(link.text("hello"));
                link.settle();
                send(link, recorder, UnvalidatedSessions.PROBE_DATAGRAMS);
                assertThat(link.accepted()).as("client " + client).hasSize(11 + client);
            }
            assertThat(evicted(link)).isEqualTo(10);
            assertThat(link.server().stats().droppedTotal()).isZero();
        }
    }

    /** An attacker opens sessions from the address of a company or a carrier NAT, at a rate that does not put the server under load. */
    @Test
    void forgedSessionsDoNotLockOutTheirAddress() {
        try (EmbeddedLink link = answering(8_192, 2_048)) {
            int forged = 0;
            for (int ms = 0; ms < 40_000; ms += 25) {
                forge(link, forged++);
                link.advanceMs(25);
            }
            assertThat(openSessions(link)).as("forged sessions").isGreaterThan(1_000);
            for (int client = 0; client < 20; client++) {
                int before = link.accepted().size();
                SessionRecorder recorder = link.establish(client);
                assertThat(recorder.messages()).as("client " + client).containsExactly("!");
                assertThat(link.accepted()).hasSize(before + 1);
                for (int ms = 0; ms < 500; ms += 25) {
                    forge(link, forged++);
                    link.advanceMs(25);
                }
            }
            assertThat(openSessions(link)).as("sessions of the address").isLessThanOrEqualTo(1_024);
        }
    }

    private static long openSessions(EmbeddedLink link) {
        return link.accepted().stream().filter(recorder -> recorder.session().isOpen()).count();
    }

    /** Opens a session from the address of the client and another port. */
    private static void forge(EmbeddedLink link, int number) {
        link.server().receive(new InetSocketAddress(EmbeddedLink.CLIENT_ADDRESS.getAddress(), 10_000 + number % 50_000),
            WireSegment.push(number, 0, 0, "x"));
        link.server().channel().releaseOutbound();
    }

    /** At a high rate, further new sessions are refused, because a session is not evicted during its first 500 ms. */
    @Test
    void fullAddressSparesSessionsWithinTheirFirstRoundTrip() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> disableLoadLimits(server.maxSessions(100).maxSessionsPerAddress(3)),
            SessionRecorder::new)) {
            link.server().loseAll();
            for (int i = 0; i < 3; i++) {
                forge(link, i);
            }
            link.advanceMs(UnvalidatedSessions.ROUND_TRIP_MS - 1);
            forge(link, 3);
            assertThat(areOpen(link.accepted())).containsExactly(true, true, true);
            assertThat(link.server().dropped(DropReason.ADDRESS_LIMIT)).isEqualTo(1);
            link.advanceMs(1);
            forge(link, 4);
            assertThat(areOpen(link.accepted())).containsExactly(false, true, true, true);
        }
    }

    @Test
    void fullAddressEvictsNoValidatedSession() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> disableLoadLimits(server.maxSessions(100).maxSessionsPerAddress(2)),
            () -> new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'))))) {
            link.establish(1);
            link.establish(2);
            link.advanceMs(20_000);
            forge(link, 3);
            assertThat(areOpen(link.accepted())).containsExactly(true, true);
            assertThat(link.server().dropped(DropReason.ADDRESS_LIMIT)).isEqualTo(1);
        }
    }

    /** Sessions are opened from forged addresses, slowly enough for the sessions to age. */
    @ParameterizedTest
    @CsvSource({"50, 100, 30, 20", "200, 160, 60, 100", "8, 100, 30, 4"})
    void smallServersAdmitClientsDuringAFlood(int maxSessions, int floodIntervalMs, int floodSeconds, int lastingClients) {
        for (boolean answers : new boolean[] {true, false}) {
            try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessions(maxSessions).maxSessionsPerAddress(1_000),
                () -> answers ? new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!')))
                    : new SessionRecorder())) {
                int forged = 0;
                for (int ms = 0; ms < floodSeconds * 1_000; ms += floodIntervalMs) {
                    open(link, forged, ++forged);
                    link.advanceMs(floodIntervalMs);
                }
                List<SessionRecorder> lasting = new ArrayList<>();
                for (int client = 0; client < 64 + lastingClients; client++) {
                    int before = link.accepted().size();
                    SessionRecorder recorder = link.establish(1_000 + client);
                    if (link.accepted().size() == before) {
                        // A server under load sends a probe in response to the first retransmission, and accepts the second one.
                        link.advanceMs(700);
                    }
                    assertThat(link.accepted()).as("client " + client).hasSize(before + 1);
                    assertThat(recorder.messages()).hasSize(answers ? 1 : 0);
                    if (lasting.size() < lastingClients) {
                        lasting.add(recorder);
                    } else {
                        recorder.session().close();
                        link.accepted(before).session().close();
                    }
                    open(link, forged, ++forged);
                    link.advanceMs(floodIntervalMs);
                }
                if (answers) {
                    for (SessionRecorder recorder : lasting) {
                        recorder.session().writeAndFlush(link.text("still here"));
                        link.settle();
                        assertThat(recorder.messages()).hasSize(2);
                    }
                }
            }
        }
    }

    @Test
    void newSessionsOfAFullAddressEvictNoSession() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> disableLoadLimits(server.maxSessions(6).maxUnvalidatedSessions(4).maxSessionsPerAddress(2)),
            SessionRecorder::new)) {
            for (int port = 1; port <= 10; port++) {
                link.server().receive(new InetSocketAddress("192.0.2.1", port), WireSegment.push(port, 0, 0, "x"));
            }
            open(link, 0, 2);
            for (int port = 11; port <= 20; port++) {
                link.server().receive(new InetSocketAddress("192.0.2.1", port), WireSegment.push(port, 0, 0, "x"));
            }
            assertThat(evicted(link)).isZero();
            assertThat(link.server().dropped(DropReason.ADDRESS_LIMIT)).isEqualTo(18);
        }
    }

    @Test
    void filteredSessionsEvictNoSession() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> disableLoadLimits(server.maxUnvalidatedSessions(2).acceptFilter((peer, conv) -> conv == CONV)),
            SessionRecorder::new)) {
            open(link, 0, 2);
            link.server().receive(stranger(3), WireSegment.push(13, 0, 0, "x"));
            assertThat(areOpen(link.accepted())).containsExactly(true, true);
        }
    }

    /** The peer continues in the middle of its data, so a new session would acknowledge segments that it can never deliver. */
    @Test
    void datagramsOfAnEvictedSessionOpenNoNewSession() {
        try (EmbeddedLink link = answering(100, 2)) {
            open(link, 0, 3);
            link.server().receive(stranger(0), WireSegment.push(CONV, 1, 0, "next"));
            link.server().receive(stranger(0), WireSegment.push(CONV, 0, 0, "x"));
            assertThat(link.accepted()).hasSize(3);
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).isEqualTo(2);
            assertThat(link.server().channel().outboundMessages()).isEmpty();
        }
    }

    /** The client must not wait for the end of a tombstone, because the server has delivered none of its messages. */
    @Test
    void evictedClientReopensItsSessionImmediatelyIfNothingWasDelivered() {
        try (EmbeddedLink link = answering(100, 2)) {
            WireSegment fragment = new WireSegment(CONV, SegmentHeader.CMD_PUSH, 1, WireSegment.WINDOW, 0, 0, 0, "log");
            link.server().receive(stranger(0), fragment);
            open(link, 1, 3);
            assertThat(areOpen(link.accepted())).containsExactly(false, true, true);
            link.server().receive(stranger(0), fragment, WireSegment.push(CONV, 1, 0, "in"));
            assertThat(link.accepted()).hasSize(4);
            assertThat(link.accepted(3).messages()).containsExactly("login");
        }
    }

    @Test
    void evictedClientReopensItsSessionAfterFiveSecondsIfAMessageWasDelivered() {
        try (EmbeddedLink link = answering(100, 2)) {
            open(link, 0, 3);
            assertThat(link.accepted(0).messages()).containsExactly("x");
            link.advanceMs(4_999);
            open(link, 0, 1);
            assertThat(link.accepted()).as("an early datagram").hasSize(3);
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).isEqualTo(1);
            link.advanceMs(1);
            open(link, 0, 1);
            assertThat(link.accepted()).hasSize(4);
        }
    }

    private static void assertEvictedClientEnds(Consumer<EmbeddedLink> forget, boolean firstIsAcknowledged) {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> disableLoadLimits(server.maxSessions(100).maxUnvalidatedSessions(2).amplificationLimit(false)),
            SessionRecorder::new)) {
            SessionRecorder client = link.connect(CONV);
            if (!firstIsAcknowledged) {
                link.server().loseAll();
            }
            client.session().writeAndFlush(link.text("login-begin"));
            link.settle();
            link.server().loseAll();
            open(link, 0, 2);
            assertThat(link.accepted(0).session().isOpen()).isFalse();
            forget.accept(link);
            int openedBefore = link.accepted().size();
            link.server().loseNothing();
            ChannelFuture lastWrite = client.session().writeAndFlush(link.text("login-end"));
            ChannelFuture acknowledged = client.session().acknowledged();
            link.advanceMs(120_000);
            if (firstIsAcknowledged) {
                assertThat(link.accepted()).as("no session opens in the middle").hasSize(openedBefore);
                assertThat(acknowledged.isDone()).isTrue();
                assertThat(acknowledged.isSuccess()).as("the server has not received it").isFalse();
                assertThat(client.session().isOpen()).as("the client notices").isFalse();
                assertThat(client.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
            } else {
                assertThat(link.accepted()).as("it retransmits everything").hasSize(openedBefore + 1);
                assertThat(link.accepted(openedBefore).messages()).containsExactly("login-begin", "login-end");
                assertThat(acknowledged.isSuccess()).isTrue();
            }
            assertThat(lastWrite.isSuccess()).as("written").isTrue();
        }
    }

    @Test
    void evictedClientIsNotAcknowledgedAfterItsTombstoneExpires() {
        assertEvictedClientEnds(link -> link.advanceMs(Tombstones.LIFETIME_MS + 500), true);
    }

    @Test
    void evictedClientIsNotAcknowledgedWithoutItsTombstone() {
        assertEvictedClientEnds(link -> open(link, 2, 17_002), true);
    }

    @Test
    void evictedClientWithoutAcknowledgementsOpensANewSession() {
        assertEvictedClientEnds(link -> open(link, 2, 17_002), false);
    }

    @Test
    void laterSegmentsOpenNoSessionAfterTheTombstoneExpires() {
        try (EmbeddedLink link = answering(100, 2)) {
            open(link, 0, 3);
            link.advanceMs(Tombstones.LIFETIME_MS + 500);
            for (int sn = 3; sn < 10; sn++) {
                link.server().receive(stranger(0), WireSegment.push(CONV, sn, 0, "later"));
            }
            assertThat(link.accepted()).hasSize(3);
        }
    }

    @Test
    void evictionWithinABatchAffectsNoOtherSession() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> disableLoadLimits(server.maxSessions(100).maxUnvalidatedSessions(2).amplificationLimit(false)),
            SessionRecorder::new)) {
            for (int i = 0; i < 10; i++) {
                ByteBuf opener = WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 0, 0, "m" + i));
                link.server().channel().writeOneInbound(new DatagramPacket(opener, EmbeddedLink.SERVER_ADDRESS, stranger(i)));
            }
            link.server().channel().flushInbound();
            assertThat(link.accepted()).hasSize(10);
            assertThat(link.accepted(8).messages()).containsExactly("m8");
            assertThat(link.accepted(9).messages()).containsExactly("m9");
            assertThat(evicted(link)).isEqualTo(8);
            link.settle();
            assertThat(link.server().sent().segments(SegmentHeader.CMD_ACK)).hasSize(2);
        }
    }
}
