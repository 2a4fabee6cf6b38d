package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions of this library notify each other when they close, and an attacker cannot close them with a forged notice. */
@Timeout(60)
class CloseNoticeTest {

    private static final int CONV = 7;
    private static final int SUPPORT_SN = 0x4B435031;

    private static boolean isNotice(ByteBuf datagram) {
        return SegmentHeader.cmd(datagram, datagram.readerIndex()) == SegmentHeader.CMD_CLOSE;
    }

    /** Opens a session in which each side has announced that it reads notices. */
    private static SessionRecorder establish(EmbeddedLink link) {
        SessionRecorder client = link.establish(CONV);
        link.accepted(link.accepted().size() - 1).session().writeAndFlush(link.text("welcome"));
        link.settle();
        return client;
    }

    private static KcpCloseException cause(SessionRecorder recorder) {
        assertThat(recorder.session().isOpen()).isFalse();
        assertThat(recorder.events()).endsWith("inactive", "unregistered");
        return (KcpCloseException) recorder.session().closeCause();
    }

    /** Drops the notices of one end and returns them. */
    private static List<WireSegment> interceptNotices(EmbeddedLink.End end) {
        List<WireSegment> notices = new ArrayList<>();
        end.lose(datagram -> {
            if (isNotice(datagram)) {
                notices.addAll(WireSegment.parse(datagram));
            }
            return isNotice(datagram);
        });
        return notices;
    }

    // ---- between peers of this library

    @Test
    void closingClientClosesTheServerSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            client.session().writeAndFlush(link.text("bye"));
            ChannelFuture closed = client.session().close();
            link.settle();
            assertThat(closed.isSuccess()).isTrue();
            SessionRecorder server = link.accepted(0);
            assertThat(server.messages()).containsExactly("hello", "bye");
            assertThat(cause(server).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
            assertThat(server.exceptions()).isEmpty();
            assertThat(link.server().stats().closed()).isEqualTo(Map.of(KcpCloseReason.PEER_CLOSED, 1L));
        }
    }

    @Test
    void closingServerClosesTheClientSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            link.accepted(0).session().writeAndFlush(link.text("bye"));
            link.accepted(0).session().close();
            link.settle();
            assertThat(client.messages()).containsExactly("welcome", "bye");
            assertThat(cause(client).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
            assertThat(client.exceptions()).isEmpty();
        }
    }

    @Test
    void clientThatClosesAfterTheFirstReplyNotifiesTheServer() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder()
            .onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'))))) {
            SessionRecorder client = new SessionRecorder().onRead((ctx, text) -> ctx.close());
            link.connect(CONV, client).session().writeAndFlush(link.text("request"));
            link.settle();
            assertThat(client.session().closeCause()).isNull();
            assertThat(cause(link.accepted(0)).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
        }
    }

    @Test
    void unreadMessagesAreDeliveredBeforeTheSessionCloses() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false),
            SessionRecorder::new)) {
            SessionRecorder client = establish(link);
            for (int i = 0; i < 20; i++) {
                client.session().write(link.text("m" + i));
            }
            client.session().flush();
            assertThat(client.session().close().isDone()).isFalse();
            link.settle();
            SessionRecorder server = link.accepted(0);
            assertThat(client.session().isOpen()).isFalse();
            assertThat(server.messages()).isEmpty();
            link.advanceMs(20_000);
            assertThat(server.session().isActive()).as("open until its application has read all messages").isTrue();
            server.session().config().setAutoRead(true);
            link.settle();
            assertThat(server.messages()).hasSize(21).endsWith("m19");
            assertThat(cause(server).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
        }
    }

    @Test
    void sessionThatNeverReadsClosesAfterTheIdleTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false),
            SessionRecorder::new)) {
            SessionRecorder client = establish(link);
            client.session().writeAndFlush(link.text("unread"));
            client.session().close();
            link.advanceMs(59_000);
            assertThat(link.accepted(0).session().isActive()).isTrue();
            link.advanceMs(3_000);
            assertThat(cause(link.accepted(0)).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
        }
    }

    @Test
    void datagramsAfterTheNoticeDoNotKeepTheSessionOpen() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false),
            SessionRecorder::new)) {
            SessionRecorder client = establish(link);
            client.session().writeAndFlush(link.text("unread"));
            link.settle();
            int ts = link.client().sent().last().ts();
            client.session().close();
            link.settle();
            for (int seconds = 10; seconds <= 60; seconds += 10) {
                link.advanceMs(10_000);
                // A duplicate with a new timestamp shows that the peer is active.
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                    new WireSegment(CONV, SegmentHeader.CMD_PUSH, 0, WireSegment.WINDOW, ts + 1_000 * seconds, 0, 0, ""));
            }
            link.advanceMs(2_000);
            assertThat(cause(link.accepted(0)).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).isEqualTo(6);
        }
    }

    @Test
    void reasonOfAFailureReachesThePeer() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            link.accepted(0).session().closeBecause(new KcpPeerRejectedException("no seat left"));
            link.settle();
            assertThat(cause(client).reason()).isEqualTo(KcpCloseReason.PEER_FAILED);
            assertThat(cause(client).peerReason()).isEqualTo(KcpCloseReason.REJECTED);
            assertThat(cause(client)).hasMessageContaining(KcpCloseReason.REJECTED.text());
            assertThat(client.exceptions()).containsExactly(client.session().closeCause());
        }
    }

    @Test
    void peerIsNotifiedOfLostData() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            client.session().writeAndFlush(link.text("received"));
            link.settle();
            link.client().lose(datagram -> !isNotice(datagram));
            client.session().writeAndFlush(link.text("lost"));
            client.session().config().setLingerMs(1_000);
            client.session().close();
            link.advanceMs(5_000);
            assertThat(link.accepted(0).messages()).containsExactly("hello", "received");
            assertThat(cause(link.accepted(0)).reason()).isEqualTo(KcpCloseReason.PEER_FAILED);
            assertThat(cause(link.accepted(0)).peerReason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED);
        }
    }

    @Test
    void ownUndeliveredDataIsReported() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            link.server().lose(datagram -> !isNotice(datagram));
            link.accepted(0).session().writeAndFlush(link.text("never received"));
            link.settle();
            client.session().close();
            link.settle();
            assertThat(cause(link.accepted(0)).unacknowledgedBytes()).isEqualTo("never received".length());
            assertThat(link.accepted(0).exceptions()).containsExactly(link.accepted(0).session().closeCause());
        }
    }

    @Test
    void noticeEndsTheLingerTimeOfThePeer() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            link.client().lose(datagram -> !isNotice(datagram));
            client.session().writeAndFlush(link.text("never received"));
            ChannelFuture closed = client.session().close();
            link.settle();
            link.accepted(0).session().close();
            link.settle();
            assertThat(closed.isDone()).as("without waiting for the linger time").isTrue();
            assertThat(((KcpCloseException) closed.cause()).reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED);
        }
    }

    @Test
    void bothSidesMayCloseAtTheSameTime() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            ChannelFuture one = client.session().close();
            ChannelFuture other = link.accepted(0).session().close();
            link.settle();
            assertThat(one.isSuccess() && other.isSuccess()).isTrue();
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).isPositive();
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isZero();
        }
    }

    // ---- lost notices

    @Test
    void lostNoticeIsRepeatedWhenThePeerSends() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            List<WireSegment> notices = interceptNotices(link.server());
            link.accepted(0).session().close();
            link.settle();
            assertThat(notices).hasSize(3);
            assertThat(client.session().isActive()).isTrue();
            link.server().loseNothing();
            // The keepalive probe of the client arrives after 25 seconds.
            link.advanceMs(26_000);
            assertThat(cause(client).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
        }
    }

    @Test
    void repetitionsAreBounded() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            List<WireSegment> notices = interceptNotices(link.server());
            link.accepted(0).session().close();
            for (int i = 0; i < 100; i++) {
                client.session().writeAndFlush(link.text("nobody listens"));
                link.advanceMs(200);
            }
            assertThat(notices).hasSize(3 + 8);
            client.session().config().setLingerMs(0);
        }
    }

    @Test
    void twoClosedSessionsDoNotRespondToEachOther() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            List<WireSegment> notices = interceptNotices(link.client());
            client.session().close();
            link.settle();
            link.accepted(0).session().close();
            link.settle();
            link.server().channel().releaseOutbound();
            for (int i = 0; i < 10; i++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, notices.get(0));
                link.advanceMs(1_000);
            }
            assertThat(link.client().dropped(DropReason.NO_SESSION)).as("only the three notices of the close").isEqualTo(3);
        }
    }

    // ---- attackers

    @Test
    void forgedNoticesCloseNothing() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<WireSegment> sent = new ArrayList<>();
            link.server().lose(datagram -> !sent.addAll(WireSegment.parse(datagram)));
            link.client().lose(datagram -> !sent.addAll(WireSegment.parse(datagram)));
            SessionRecorder client = establish(link);
            int forged = 0;
            for (WireSegment seen : sent) {
                boolean token = seen.sn() == SUPPORT_SN;
                for (int ts : new int[] {token ? seen.ts() + 1 : seen.ts(), 0, -1}) {
                    link.server().receive(EmbeddedLink.CLIENT_ADDRESS, new WireSegment(CONV, SegmentHeader.CMD_CLOSE, 0, 0, ts, 1, 1, ""));
                    forged++;
                }
            }
            link.settle();
            assertThat(link.accepted(0).session().isActive()).isTrue();
            assertThat(link.server().dropped(DropReason.FORGED_CLOSE_NOTICE)).isEqualTo(forged);
            client.session().writeAndFlush(link.text("still here"));
            link.settle();
            assertThat(link.accepted(0).messages()).endsWith("still here");
        }
    }

    /** The peer of an earlier session knows a part of the timestamps of a later one with the same address and conversation id. */
    @Test
    void tokenCannotBeComputedFromTheTimestamps() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<WireSegment> sent = new ArrayList<>();
            link.server().lose(datagram -> !sent.addAll(WireSegment.parse(datagram)));
            establish(link);
            int nowMs = (int) link.server().host().loop().nowMs();
            int token = sent.stream().filter(seen -> seen.cmd() == SegmentHeader.CMD_WASK && seen.sn() == SUPPORT_SN).findFirst()
                .orElseThrow().ts();
            int ts = sent.stream().filter(WireSegment::isPush).findFirst().orElseThrow().ts();
            assertThat(IntStream.range(0, 1_000).map(ageMs -> mix(ts - nowMs + ageMs ^ SUPPORT_SN))).doesNotContain(token);
        }
    }

    /** The public function with which an earlier release computed tokens, the finalizer of MurmurHash3. */
    private static int mix(int seed) {
        int mixed = (seed ^ seed >>> 16) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }

    @Test
    void noticeOfAnEarlierSessionClosesNothing() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder first = establish(link);
            List<WireSegment> notices = interceptNotices(link.client());
            first.session().close();
            link.accepted(0).session().close();
            link.settle();
            link.client().loseNothing();
            link.advanceMs(31_000);
            SessionRecorder second = establish(link);
            assertThat(link.accepted()).hasSize(2);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, notices.get(0));
            link.settle();
            assertThat(second.session().isActive() && link.accepted(1).session().isActive()).isTrue();
            assertThat(link.server().dropped(DropReason.FORGED_CLOSE_NOTICE)).isEqualTo(1);
        }
    }

    @Test
    void noticeMustBeAloneInItsDatagram() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            List<WireSegment> notices = interceptNotices(link.client());
            client.session().close();
            link.settle();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.ack(CONV, 0, 1), notices.get(0));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, notices.get(0), WireSegment.ack(CONV, 0, 1));
            link.settle();
            assertThat(link.accepted(0).session().isActive()).isTrue();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, notices.get(0));
            link.settle();
            assertThat(link.accepted(0).session().isActive()).isFalse();
        }
    }

    @Test
    void forgedWindowProbeDoesNotReplaceTheTokenOfThePeer() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = establish(link);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                new WireSegment(CONV, SegmentHeader.CMD_WASK, 0, WireSegment.WINDOW, 0xBAD, SUPPORT_SN, 1, ""));
            link.settle();
            link.accepted(0).session().close();
            link.settle();
            assertThat(cause(client).reason()).isEqualTo(KcpCloseReason.PEER_CLOSED);
        }
    }

    // ---- peers without notices

    @Test
    void foreignPeerReceivesNoNotice() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<WireSegment> notices = interceptNotices(link.server());
            List<WireSegment> sent = new ArrayList<>();
            link.server().lose(datagram -> {
                sent.addAll(WireSegment.parse(datagram));
                return true;
            });
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "from kcp-go"));
            link.accepted(0).session().writeAndFlush(link.text("reply"));
            link.advanceMs(100);
            WireSegment reply = sent.stream().filter(WireSegment::isPush).findFirst().orElseThrow();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.ack(CONV, 0, 1).withTs(reply.ts()));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.control(CONV, SegmentHeader.CMD_WINS),
                WireSegment.control(CONV, SegmentHeader.CMD_WASK));
            link.accepted(0).session().close();
            link.settle();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 1, 1, "late"));
            link.settle();
            assertThat(link.accepted(0).session().isOpen()).isFalse();
            assertThat(notices).isEmpty();
            assertThat(sent).noneMatch(segment -> segment.cmd() == SegmentHeader.CMD_CLOSE);
        }
    }

    @Test
    void queriesToAForeignPeerAreBounded() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.CLOSE_NOTICE, false),
            SessionRecorder::new)) {
            SessionRecorder client = link.connect(CONV);
            for (int i = 0; i < 50; i++) {
                client.session().writeAndFlush(link.text("m"));
                link.advanceMs(500);
            }
            assertThat(link.client().sent().segments(SegmentHeader.CMD_WASK)).hasSize(3);
            assertThat(link.client().sent().datagram(0)).as("the first datagram contains only data").allMatch(WireSegment::isPush);
            link.accepted(0).session().close();
            link.advanceMs(1_000);
            assertThat(client.session().isActive()).isTrue();
            client.session().config().setLingerMs(0);
        }
    }

    @Test
    void disabledNoticesAreNeitherSentNorRead() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            client.session().config().setCloseNotice(false);
            client.session().writeAndFlush(link.text("hello"));
            link.advanceMs(2_000);
            client.session().writeAndFlush(link.text("hello again"));
            link.advanceMs(2_000);
            assertThat(link.client().sent().segments()).noneMatch(segment -> segment.sn() == SUPPORT_SN
                && segment.cmd() == SegmentHeader.CMD_WASK);
            client.session().close();
            link.settle();
            assertThat(link.accepted(0).session().isActive()).isTrue();
        }
    }

    @Test
    void unvalidatedPeerReceivesNoNotice() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<WireSegment> notices = interceptNotices(link.server());
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "forged source address"));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                new WireSegment(CONV, SegmentHeader.CMD_WASK, 0, WireSegment.WINDOW, 1, SUPPORT_SN, 0, ""));
            link.accepted(0).session().close();
            link.settle();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 1, 1, "more"));
            link.settle();
            assertThat(notices).isEmpty();
        }
    }

    // ---- with FEC

    @Test
    void noticeIsSentWithoutFec() {
        KcpConfig config = KcpConfig.fast3();
        try (EmbeddedLink link = EmbeddedLink.create(
            channel -> channel.pipeline().addLast(new FecCodec(io.kcp.core.fec.FecConfig.of(3, 1))),
            channel -> channel.pipeline().addLast(new FecCodec(io.kcp.core.fec.FecConfig.of(3, 1))))) {
            SessionRecorder client = establish(link);
            client.session().config().setKcp(config);
            List<WireSegment> notices = interceptNotices(link.client());
            client.session().close();
            link.settle();
            assertThat(notices).hasSize(3);
        }
    }
}
