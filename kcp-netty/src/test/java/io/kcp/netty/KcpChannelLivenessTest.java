package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpChannelLivenessTest {

    private static final int CONV = 7;

    private static EmbeddedLink withoutSweep() {
        return EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0)
            .childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0).childOption(KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, 0),
            SessionRecorder::new);
    }

    private static void turnSweepOff(KcpChannel session) {
        session.config().setKeepaliveMs(0).setIdleTimeoutMs(0);
    }

    private static void assertClosedBecause(SessionRecorder recorder, KcpCloseReason reason) {
        assertThat(recorder.session().isOpen()).isFalse();
        assertThat(recorder.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(reason));
        if (((KcpCloseException) recorder.session().closeCause()).unacknowledgedBytes() > 0) {
            assertThat(recorder.exceptions()).containsExactly(recorder.session().closeCause());
        } else {
            assertThat(recorder.exceptions()).as("nothing is lost").isEmpty();
        }
        assertThat(recorder.events()).endsWith("inactive", "unregistered");
    }

    private static void cut(EmbeddedLink link) {
        link.client().loseAll();
        link.server().loseAll();
    }

    @Test
    void peerIsDeadAfterThirtySecondsWithUnacknowledgedData() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            link.advanceMs(3_000);
            cut(link);
            client.session().config().setOption(KcpChannelOption.SEND_WINDOW, 1);
            client.session().writeAndFlush(link.text("unanswered"));
            ChannelFuture queued = client.session().writeAndFlush(link.text("queued"));
            ChannelFuture acknowledged = client.session().acknowledged();
            link.advanceMs(29_900);
            assertThat(client.session().isOpen()).isTrue();
            link.advanceMs(200);
            assertClosedBecause(client, KcpCloseReason.PEER_TIMEOUT);
            assertThat(queued.cause()).isSameAs(client.session().closeCause());
            assertThat(acknowledged.cause()).isInstanceOf(ClosedChannelException.class).hasCause(queued.cause());
            assertThat(link.client().stats().activeSessions()).isZero();
        }
    }

    @Test
    void outageShorterThanTheTimeoutClosesNothing() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            cut(link);
            client.session().writeAndFlush(link.text("patient"));
            link.advanceMs(25_000);
            link.client().loseNothing();
            link.server().loseNothing();
            assertThat(link.advanceUntil(() -> link.accepted(0).messages().contains("patient"), 2_100)).isTrue();
            link.advanceMs(60_000);
            assertThat(client.session().isActive()).isTrue();
        }
    }

    @Test
    void disabledDeadPeerTimeoutNeverCloses() {
        try (EmbeddedLink link = withoutSweep()) {
            SessionRecorder client = link.establish(CONV);
            turnSweepOff(client.session());
            client.session().config().setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 0);
            cut(link);
            client.session().writeAndFlush(link.text("patient"));
            link.advanceMs(300_000);
            assertThat(client.session().isActive()).isTrue();
            client.session().config().setLingerMs(0);
        }
    }

    @Test
    void exceedingTheTransmissionLimitClosesTheSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setOption(KcpChannelOption.MAX_TRANSMISSIONS, 5);
            cut(link);
            client.session().writeAndFlush(link.text("x"));
            link.advanceMs(10_000);
            assertClosedBecause(client, KcpCloseReason.TRANSMISSIONS_EXHAUSTED);
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).hasSize(5);
        }
    }

    @Test
    void peerThatNeverReadsIsDisconnected() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false),
            SessionRecorder::new)) {
            SessionRecorder client = link.connect(CONV);
            for (int i = 0; i < 200; i++) {
                client.session().write(link.text("m" + i));
            }
            client.session().flush();
            link.advanceMs(59_000);
            assertThat(client.session().isActive()).isTrue();
            link.advanceMs(7_000);
            assertClosedBecause(client, KcpCloseReason.PEER_NOT_READING);
        }
    }

    @Test
    void idleSessionsScheduleNoTasks() {
        try (EmbeddedLink link = withoutSweep()) {
            for (int conv = 1; conv <= 3; conv++) {
                SessionRecorder client = link.establish(conv);
                turnSweepOff(client.session());
                client.session().writeAndFlush(link.bytes(50_000));
            }
            link.advanceMs(10_000);
            assertThat(link.client().channel().runScheduledPendingTasks()).isEqualTo(-1);
            assertThat(link.server().channel().runScheduledPendingTasks()).isEqualTo(-1);
            link.client().sent().clear();
            link.server().sent().clear();
            link.advanceMs(3_600_000);
            assertThat(link.client().sent().size() + link.server().sent().size()).isZero();
            assertThat(link.client().stats().activeSessions()).isEqualTo(3);
        }
    }

    @Test
    void closingTheLastSessionCancelsItsTasks() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder first = link.establish(1);
            SessionRecorder second = link.establish(2);
            first.session().close();
            assertThat(link.client().channel().runScheduledPendingTasks()).as("the sweep of the second").isPositive();
            second.session().close();
            assertThat(link.client().channel().runScheduledPendingTasks()).isEqualTo(-1);
        }
    }

    @Test
    void keepaliveProbesAfterTwentyFiveSecondsOfInactivity() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0),
            SessionRecorder::new)) {
            SessionRecorder client = link.establish(CONV);
            link.advanceMs(24_900);
            assertThat(link.client().sent().size()).isZero();
            link.advanceMs(1_200);
            assertThat(link.client().sent().segments()).extracting(WireSegment::cmd)
                .containsExactly(SegmentHeader.CMD_WASK, SegmentHeader.CMD_PUSH);
            assertThat(link.server().sent().segments()).extracting(WireSegment::cmd)
                .containsExactly(SegmentHeader.CMD_ACK, SegmentHeader.CMD_WINS);
            link.advanceMs(600_000);
            assertThat(client.session().isActive()).as("idle timeouts are kept away").isTrue();
            assertThat(link.accepted(0).session().isActive()).isTrue();
            assertThat(link.client().sent().size()).isBetween(20, 26);
        }
    }

    @Test
    void keepaliveSendsNothingWhileThePeerIsActive() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.establish(CONV).session();
            for (int i = 0; i < 20; i++) {
                link.advanceMs(10_000);
                client.writeAndFlush(link.text("busy"));
            }
            link.settle();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_WASK)).isEmpty();
            assertThat(link.server().sent().segments(SegmentHeader.CMD_WASK)).isEmpty();
        }
    }

    @Test
    void disabledKeepaliveSendsNothing() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0)
            .childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0).childOption(KcpChannelOption.CLOSE_NOTICE, false), SessionRecorder::new)) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setKeepaliveMs(0);
            link.advanceMs(58_000);
            assertThat(link.client().sent().size() + link.server().sent().size()).isZero();
            link.advanceMs(4_000);
            assertClosedBecause(client, KcpCloseReason.IDLE);
            assertThat(link.accepted(0).session().isActive()).isTrue();
        }
    }

    @Test
    void unansweredKeepaliveDetectsADeadPeer() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            cut(link);
            link.advanceMs(48_000);
            assertThat(client.session().isActive()).isTrue();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_WASK)).as("25 s, then every 5 s").hasSize(5);
            link.advanceMs(9_000);
            assertClosedBecause(client, KcpCloseReason.PEER_TIMEOUT);
        }
    }

    /** Uses the default keepalive settings of KcpReconnect. */
    @Test
    void keepaliveOfThreeSecondsDetectsDeathWithinTen() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setKeepaliveMs(3_000);
            client.session().config().setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 6_000);
            link.advanceMs(60_000);
            assertThat(client.session().isActive()).as("answered").isTrue();
            cut(link);
            link.advanceMs(8_000);
            assertThat(client.session().isActive()).isTrue();
            link.advanceMs(2_000);
            assertClosedBecause(client, KcpCloseReason.PEER_TIMEOUT);
        }
    }

    @Test
    void dataAndAcknowledgementsResetTheIdleTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0)
            .childOption(KcpChannelOption.CLOSE_NOTICE, false),
            SessionRecorder::new)) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setKeepaliveMs(0);
            for (int i = 0; i < 10; i++) {
                link.advanceMs(50_000);
                client.session().writeAndFlush(link.text("one way"));
            }
            link.settle();
            assertThat(client.session().isActive()).as("hears acknowledgements only").isTrue();
            assertThat(link.accepted(0).session().isActive()).as("hears data only").isTrue();
            link.advanceMs(59_000);
            assertThat(client.session().isActive()).isTrue();
            link.advanceMs(3_000);
            assertClosedBecause(client, KcpCloseReason.IDLE);
            assertClosedBecause(link.accepted(0), KcpCloseReason.IDLE);
        }
    }

    @Test
    void forgedOrReplayedSegmentsDoNotResetTheIdleTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KEEPALIVE_MS, 0),
            SessionRecorder::new)) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "first").withTs(50_000));
            for (int i = 0; i < 7; i++) {
                link.advanceMs(9_000);
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "first").withTs(1_000));
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.ack(CONV, 99, 0));
            }
            assertClosedBecause(link.accepted(0), KcpCloseReason.IDLE);
        }
    }

    @Test
    void timeoutChangesApplyToAnOpenSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setOption(KcpChannelOption.KEEPALIVE_MS, 5_000);
            link.advanceMs(6_100);
            assertThat(link.client().sent().segments(SegmentHeader.CMD_WASK)).hasSize(1);
            client.session().config().setKeepaliveMs(0).setIdleTimeoutMs(3_000);
            link.advanceMs(4_100);
            assertClosedBecause(client, KcpCloseReason.IDLE);
        }
    }

    @Test
    void idleTimeoutMayLastHours() {
        try (EmbeddedLink link = withoutSweep()) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setKeepaliveMs(0).setIdleTimeoutMs(3_600_000);
            link.advanceMs(3_599_000);
            assertThat(client.session().isActive()).isTrue();
            link.advanceMs(2_100);
            assertClosedBecause(client, KcpCloseReason.IDLE);
        }
    }
}
