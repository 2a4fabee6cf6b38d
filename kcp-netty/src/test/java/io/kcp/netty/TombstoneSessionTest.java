package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a server handles datagrams of closed sessions. */
@Timeout(60)
class TombstoneSessionTest {

    private static final int CONV = 7;

    private static boolean isPureAck(ByteBuf datagram) {
        return WireSegment.parse(datagram).stream().allMatch(WireSegment::isAck);
    }

    /** Creates a link whose client is not notified when the server closes a session. */
    private static EmbeddedLink withoutCloseNotices(Supplier<SessionRecorder> recorders) {
        return EmbeddedLink.create(server -> server.childOption(KcpChannelOption.CLOSE_NOTICE, false), recorders);
    }

    private static SessionRecorder answering() {
        return new SessionRecorder().onRead((ctx, text) -> {
            ctx.write(ctx.alloc().buffer().writeBytes(("re: " + text).getBytes(StandardCharsets.UTF_8)));
            ctx.flush();
            ctx.close();
        });
    }

    @Test
    void lateDatagramOfAClosedSessionOpensNoSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "pay"));
            link.accepted(0).session().close();
            link.server().channel().releaseOutbound();
            for (int second = 1; second < 30; second++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "pay"));
                link.advanceMs(1_000);
            }
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).isEqualTo(29);
            assertThat(link.server().sent().segments()).as("no response to datagrams that may be forged").hasSize(0);
        }
    }

    @Test
    void eachRetransmissionToAClosedSessionIsAcknowledgedOnce() {
        try (EmbeddedLink link = withoutCloseNotices(() -> new SessionRecorder().onRead((ctx, text) -> {
            if (text.equals("last")) {
                ctx.close();
            } else {
                ctx.writeAndFlush(ctx.alloc().buffer().writeBytes(new byte[] {'o', 'k'}));
            }
        }))) {
            SessionRecorder client = link.establish(CONV);
            assertThat(client.messages()).containsExactly("ok");
            link.server().lose(TombstoneSessionTest::isPureAck);
            client.session().writeAndFlush(link.text("last"));
            ChannelFuture acknowledged = client.session().acknowledged();
            link.advanceMs(1_000);
            assertThat(link.accepted(0).session().isOpen()).isFalse();
            assertThat(acknowledged.isDone()).isFalse();
            long repetitions = link.server().dropped(DropReason.CLOSED_SESSION);
            assertThat(repetitions).isBetween(1L, 10L);
            assertThat(link.server().sent().segments(SegmentHeader.CMD_ACK)).as("the session's own, if any, and these")
                .hasSizeBetween((int) repetitions, (int) repetitions + 1);
            link.server().loseNothing();
            assertThat(link.advanceUntil(acknowledged::isSuccess, 2_000)).isTrue();
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.accepted(0).messages()).containsExactly("hello", "last");
        }
    }

    @Test
    void newDataForAClosedSessionIsNotAcknowledged() {
        try (EmbeddedLink link = withoutCloseNotices(SessionRecorder::new)) {
            KcpChannel client = link.establish(CONV).session();
            KcpChannel server = link.accepted(0).session();
            server.writeAndFlush(link.text("hi"));
            link.settle();
            server.close();
            link.server().sent().clear();
            client.writeAndFlush(link.text("for nobody"));
            link.advanceMs(3_000);
            assertThat(link.server().sent().size()).isZero();
            assertThat(client.acknowledged().isDone()).isFalse();
            assertThat(link.accepted()).hasSize(1);
            client.config().setLingerMs(0);
        }
    }

    @Test
    void requestIsDeliveredOnceIfAcknowledgementsAreLost() {
        for (int lostDatagrams = 0; lostDatagrams <= 12; lostDatagrams++) {
            int[] left = {lostDatagrams};
            try (EmbeddedLink link = EmbeddedLink.create(TombstoneSessionTest::answering)) {
                link.server().lose(datagram -> left[0]-- > 0);
                SessionRecorder client = link.connect(CONV);
                client.session().writeAndFlush(link.text("transfer 100"));
                link.advanceMs(40_000);
                assertThat(link.accepted()).as("lost " + lostDatagrams).hasSize(1);
                assertThat(link.accepted(0).messages()).containsExactly("transfer 100");
                assertThat(client.messages()).hasSizeLessThanOrEqualTo(1);
                if (lostDatagrams < 5) {
                    assertThat(client.messages()).containsExactly("re: transfer 100");
                }
            }
        }
    }

    @Test
    void requestIsDeliveredOnceIfNoAnswerArrives() {
        try (EmbeddedLink link = EmbeddedLink.create(TombstoneSessionTest::answering)) {
            link.server().loseAll();
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("transfer 100"));
            link.advanceMs(120_000);
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.accepted(0).messages()).containsExactly("transfer 100");
            assertThat(client.session().closeCause()).isInstanceOf(KcpCloseException.class);
        }
    }

    @Test
    void reusedConversationIdWaitsForTheTombstone() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder first = link.establish(CONV);
            link.accepted(0).session().writeAndFlush(link.text("heard"));
            link.settle();
            link.accepted(0).session().close();
            first.session().close();
            SessionRecorder second = link.connect(CONV);
            second.session().writeAndFlush(link.text("again"));
            link.advanceMs(4_900);
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.advanceUntil(() -> link.accepted().size() == 2, 2_200)).isTrue();
            assertThat(link.accepted(1).messages()).containsExactly("again");
            assertThat(second.session().acknowledged().isSuccess()).isTrue();
        }
    }

    @Test
    void tombstoneLastsLongerForAnUnvalidatedPeer() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "first"));
            link.accepted(0).session().close();
            link.server().channel().releaseOutbound();
            link.advanceMs(29_900);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "early"));
            link.advanceMs(200);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "in time"));
            assertThat(link.accepted()).hasSize(2);
            assertThat(link.accepted(1).messages()).containsExactly("in time");
        }
    }

    @Test
    void otherConversationsAndAddressesAreNotDelayed() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.establish(CONV);
            link.accepted(0).session().close();
            link.establish(CONV + 1);
            link.server().receive(new InetSocketAddress("10.0.0.9", 1), WireSegment.push(CONV, 0, 0, "x"));
            assertThat(link.accepted()).hasSize(3);
        }
    }

    @Test
    void clientMayReopenItsSessionImmediately() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder first = link.establish(CONV);
            first.session().close();
            link.accepted(0).session().writeAndFlush(link.text("to a closed session"));
            link.settle();
            assertThat(link.client().dropped(DropReason.NO_SESSION)).isEqualTo(1);
            assertThat(link.connect(CONV).session().isActive()).isTrue();
            link.accepted(0).session().config().setLingerMs(0);
        }
    }

    @Test
    void unwritableSocketSendsNoAcknowledgementsForClosedSessions() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            link.accepted(0).session().close();
            link.settle();
            link.server().sent().clear();
            link.server().channel().unsafe().outboundBuffer().setUserDefinedWritability(5, false);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 1, "hello"));
            link.settle();
            assertThat(link.server().sent().size()).isZero();
            link.server().channel().unsafe().outboundBuffer().setUserDefinedWritability(5, true);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 1, "hello"));
            link.settle();
            assertThat(link.server().sent().segments(SegmentHeader.CMD_ACK)).hasSize(1);
            client.session().config().setLingerMs(0);
        }
    }
}
