package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.channel.DefaultKcpChannelConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a minimum drain rate, a peer that accepts data very slowly cannot keep its session open. */
@Timeout(60)
class SlowReaderTest {

    private static final int CONV = 7;
    private static final int MESSAGES = 120;

    /** Sends queued messages to a peer that accepts one segment per second and never closes its window for long. */
    private static EmbeddedLink trickle(int minDrainBytesPerSecond, int seconds) {
        EmbeddedLink link = EmbeddedLink.create(
            server -> server.amplificationLimit(false)
                .childOption(KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND, minDrainBytesPerSecond), SessionRecorder::new);
        List<WireSegment> sent = new ArrayList<>();
        link.server().lose(datagram -> {
            WireSegment.parse(datagram).stream().filter(WireSegment::isPush).forEach(sent::add);
            return true;
        });
        link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "download"));
        KcpChannel session = link.accepted(0).session();
        for (int i = 0; i < MESSAGES; i++) {
            session.write(link.bytes(1_000));
        }
        session.flush();
        link.settle();
        for (int sn = 0; sn < seconds && session.isOpen(); sn++) {
            WireSegment oldest = sent.get(sent.size() - 1);
            for (WireSegment segment : sent) {
                oldest = segment.sn() == sn ? segment : oldest;
            }
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                new WireSegment(CONV, SegmentHeader.CMD_ACK, 0, 1, oldest.ts(), sn, sn + 1, ""));
            link.advanceMs(1_000);
        }
        return link;
    }

    @Test
    void peerThatAcceptsOneSegmentAtATimeIsDisconnected() {
        try (EmbeddedLink link = trickle(2_000, 30)) {
            SessionRecorder server = link.accepted(0);
            assertThat(server.session().isOpen()).isFalse();
            KcpCloseException cause = (KcpCloseException) server.session().closeCause();
            assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TOO_SLOW);
            assertThat(server.exceptions()).containsExactly(cause);
        }
    }

    @Test
    void sufficientRateKeepsTheSession() {
        try (EmbeddedLink link = trickle(900, 60)) {
            assertThat(link.accepted(0).session().isActive()).isTrue();
            link.accepted(0).session().config().setLingerMs(0);
        }
    }

    @Test
    void minimumRateIsOffByDefault() {
        assertThat(DefaultKcpChannelConfig.DEFAULT_KCP.minDrainBytesPerSecond()).isZero();
        try (EmbeddedLink link = trickle(0, 60)) {
            assertThat(link.accepted(0).session().isActive()).isTrue();
            link.accepted(0).session().config().setLingerMs(0);
        }
    }

    @Test
    void minimumRateIgnoresSmallAmountsOfData() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.childOption(KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND, 1_000_000), SessionRecorder::new)) {
            SessionRecorder client = link.establish(CONV);
            for (int i = 0; i < 30; i++) {
                link.accepted(0).session().writeAndFlush(link.text("tick"));
                link.advanceMs(1_000);
            }
            assertThat(link.accepted(0).session().isActive() && client.session().isActive()).isTrue();
        }
    }

    @Test
    void deadPeerIsReportedAsDead() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.childOption(KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND, 1_000), SessionRecorder::new)) {
            link.establish(CONV);
            link.accepted(0).session().writeAndFlush(link.text("received"));
            link.settle();
            link.server().loseAll();
            link.client().loseAll();
            link.accepted(0).session().writeAndFlush(link.bytes(50_000));
            link.advanceMs(31_000);
            assertThat(((KcpCloseException) link.accepted(0).session().closeCause()).reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
        }
    }
}
