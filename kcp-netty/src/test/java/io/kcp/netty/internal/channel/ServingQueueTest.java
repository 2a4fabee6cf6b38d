package io.kcp.netty.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.WireSegment;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A session is served once in a read batch, even if its handlers write. */
class ServingQueueTest {

    private static final int CONV = 7;
    private static final int OTHER = 8;

    private static SessionRecorder echoing(EmbeddedLink[] link) {
        return new SessionRecorder().onRead((ctx, message) -> ctx.writeAndFlush(link[0].text(message)));
    }

    private static EmbeddedLink createEchoing() {
        EmbeddedLink[] link = new EmbeddedLink[1];
        link[0] = EmbeddedLink.create(() -> echoing(link));
        return link[0];
    }

    @Test
    void requestAndItsReplyReadTheClockTwice() {
        try (EmbeddedLink link = createEchoing()) {
            KcpChannel session = link.establish(CONV).session();
            link.advanceMs(100);
            session.writeAndFlush(link.text("request"));
            ByteBuf[] request = link.client().take().toArray(ByteBuf[]::new);
            int readings = link.countClockReadings(() -> link.server().receive(EmbeddedLink.CLIENT_ADDRESS, request));
            assertThat(readings).as("when the batch begins, and before the session sends").isEqualTo(2);
            link.settle();
        }
    }

    @Test
    void fragmentsOfAnIncompleteMessageKeepNoReadBufferAlive() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.server().loseAll();
            List<ByteBuf> readBuffers = new ArrayList<>();
            for (int sn = 0; sn < 100; sn++) {
                ByteBuf datagram = WireSegment.datagram(link.allocator(),
                    new WireSegment(CONV, SegmentHeader.CMD_PUSH, 127 - sn, WireSegment.WINDOW, 0, sn, 0, "x".repeat(256)));
                readBuffers.add(datagram.retain());
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram);
            }
            assertThat(readBuffers).allSatisfy(datagram -> assertThat(datagram.refCnt()).as("only the reference of the test").isEqualTo(1));
            readBuffers.forEach(ByteBuf::release);
        }
    }

    @Test
    void timeForReadingTheSocketIsNotPartOfASlice() {
        List<Integer> served = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) ->
            served.add(((KcpChannel) ctx.channel()).conv())))) {
            link.server().loseAll();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, pushToThreeSessions(link, 0));
            served.clear();
            link.server().channel().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object datagram) {
                    link.ticker.advance(ServingQueue.SLICE_MICROS, TimeUnit.MICROSECONDS);
                    ctx.fireChannelRead(datagram);
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext ctx) {
                    ctx.fireChannelReadComplete();
                    served.add(0);
                }
            });
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, pushToThreeSessions(link, 1));
            assertThat(served).as("all sessions are served before the batch ends").containsExactly(CONV, CONV + 1, CONV + 2, 0);
        }
    }

    private static ByteBuf[] pushToThreeSessions(EmbeddedLink link, int sn) {
        return IntStream.range(CONV, CONV + 3)
            .mapToObj(conv -> WireSegment.datagram(link.allocator(), WireSegment.push(conv, sn, 0, "m"))).toArray(ByteBuf[]::new);
    }

    @Test
    void replyAndAcknowledgementShareADatagram() {
        try (EmbeddedLink link = createEchoing()) {
            SessionRecorder client = link.establish(CONV);
            link.advanceMs(100);
            link.server().sent().clear();
            client.session().writeAndFlush(link.text("request"));
            link.settle();
            assertThat(client.messages()).endsWith("request");
            assertThat(link.server().sent().size()).isEqualTo(1);
        }
    }

    @Test
    void readByTheListenerOfAnAcknowledgedWriteDeliversInTheSameBatch() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            SessionRecorder reader = link.accepted(0);
            reader.session().config().setAutoRead(false);
            reader.session().writeAndFlush(link.text("to be acknowledged"));
            reader.session().acknowledged().addListener(acknowledged -> reader.session().read());
            link.client().receive(EmbeddedLink.SERVER_ADDRESS, link.server().take().toArray(ByteBuf[]::new));
            client.session().writeAndFlush(link.text("first"));
            client.session().writeAndFlush(link.text("second"));
            int before = reader.messages().size();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, link.client().take().toArray(ByteBuf[]::new));
            assertThat(reader.messages().subList(before, reader.messages().size())).as("one read, one message").containsExactly("first");
        }
    }

    @Test
    void writeToAnotherSessionIsSentInTheSameBatch() {
        SessionRecorder[] accepted = new SessionRecorder[2];
        EmbeddedLink[] link = new EmbeddedLink[1];
        int[] opened = new int[1];
        link[0] = EmbeddedLink.create(() -> {
            int index = opened[0]++;
            accepted[index] = new SessionRecorder().onRead((ctx, message) ->
                accepted[1 - index].session().writeAndFlush(link[0].text(message)));
            return accepted[index];
        });
        try (EmbeddedLink relay = link[0]) {
            SessionRecorder first = relay.connect(CONV);
            SessionRecorder second = relay.connect(OTHER);
            // Both sessions open in one batch, so each handler writes to a session that has or has not been served.
            first.session().writeAndFlush(relay.text("from the first"));
            second.session().writeAndFlush(relay.text("from the second"));
            relay.settle();
            assertThat(first.messages()).isEqualTo(List.of("from the second"));
            assertThat(second.messages()).isEqualTo(List.of("from the first"));
        }
    }
}
