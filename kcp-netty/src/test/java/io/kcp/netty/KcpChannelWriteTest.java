package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpTransferMode;
import io.kcp.core.MessageTooLargeException;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DatagramPacket;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpChannelWriteTest {

    private static final int CONV = 7;

    @Test
    void writeAndFlushOutsideABatchSendsImmediately() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            ChannelFuture written = session.writeAndFlush(link.text("now"));
            assertThat(link.client().channel().outboundMessages()).hasSize(1);
            assertThat(written.isSuccess()).as("accepted by KCP").isTrue();
        }
    }

    @Test
    void writeWithoutFlushSendsNothing() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            ChannelFuture written = session.write(link.text("later"));
            link.advanceMs(5_000);
            assertThat(link.client().sent().size()).isZero();
            assertThat(written.isDone()).isFalse();
            session.flush();
            link.settle();
            assertThat(written.isSuccess()).isTrue();
            assertThat(link.accepted(0).messages()).containsExactly("later");
        }
    }

    @Test
    void batchCausesOneParentFlushForAllSessions() {
        try (EmbeddedLink link = EmbeddedLink.create(KcpChannelWriteTest::echo)) {
            for (int conv = 1; conv <= 5; conv++) {
                KcpChannel session = link.connect(conv).session();
                session.write(link.text("a"));
                session.write(link.text("b"));
            }
            int before = link.server().flushes();
            for (int conv = 1; conv <= 5; conv++) {
                link.server().channel().writeOneInbound(datagram(link, conv));
            }
            assertThat(link.server().channel().outboundMessages()).as("before the batch is over").isEmpty();
            link.server().channel().flushInbound();
            assertThat(link.server().flushes() - before).isEqualTo(1);
            assertThat(link.server().channel().outboundMessages()).hasSize(5);
        }
    }

    private static DatagramPacket datagram(EmbeddedLink link, int conv) {
        return new DatagramPacket(
            WireSegment.datagram(link.allocator(), WireSegment.push(conv, 0, 0, "a"), WireSegment.push(conv, 1, 0, "b")),
            EmbeddedLink.SERVER_ADDRESS, EmbeddedLink.CLIENT_ADDRESS);
    }

    private static SessionRecorder echo() {
        return new SessionRecorder().onRead((ctx, text) ->
            ctx.writeAndFlush(ctx.alloc().buffer().writeBytes(text.getBytes(StandardCharsets.ISO_8859_1))));
    }

    @Test
    void answerFromChannelReadIsSentWithTheAcknowledgement() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.amplificationLimit(false), KcpChannelWriteTest::echo)) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "question"));
            assertThat(link.server().flushes()).isEqualTo(1);
            link.server().lose(datagram -> true);
            link.settle();
            assertThat(link.server().sent().size()).isEqualTo(1);
            assertThat(link.server().sent().datagram(0)).satisfiesExactly(
                ack -> assertThat(ack.isAck()).isTrue(),
                query -> assertThat(query.cmd()).as("announces that this side reads close notices").isEqualTo(SegmentHeader.CMD_WASK),
                answer -> assertThat(answer.payload()).isEqualTo("question"));
        }
    }

    @Test
    void writesToOtherSessionsAreSentWithTheBatch() {
        List<KcpChannel> room = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onActive(ctx -> room.add((KcpChannel) ctx.channel()))
            .onRead((ctx, text) -> {
                for (KcpChannel member : room) {
                    member.writeAndFlush(ctx.alloc().buffer().writeBytes(text.getBytes(StandardCharsets.ISO_8859_1)));
                }
            }))) {
            List<SessionRecorder> clients = new ArrayList<>();
            for (int conv = 1; conv <= 10; conv++) {
                clients.add(link.establish(conv));
            }
            int before = link.server().flushes();
            clients.get(2).session().writeAndFlush(link.text("to all"));
            link.settle();
            assertThat(link.server().flushes() - before).isEqualTo(1);
            assertThat(clients).allSatisfy(client -> assertThat(client.messages()).endsWith("to all"));
        }
    }

    @Test
    void datagramsReceivedDuringAHandlerJoinItsBatch() {
        EmbeddedLink[] running = new EmbeddedLink[1];
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            ctx.writeAndFlush(ctx.alloc().buffer().writeBytes(text.getBytes(StandardCharsets.ISO_8859_1)));
            if (text.equals("first")) {
                for (int conv = 1; conv <= 3; conv++) {
                    running[0].server().channel().pipeline().fireChannelRead(new DatagramPacket(WireSegment.datagram(
                        ctx.alloc(), WireSegment.push(conv, conv == 1 ? 1 : 0, 0, "meanwhile")),
                        EmbeddedLink.SERVER_ADDRESS, EmbeddedLink.CLIENT_ADDRESS));
                }
            }
        }))) {
            running[0] = link;
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, 0, 0, "first"));
            assertThat(link.server().flushes()).isEqualTo(1);
            link.server().loseAll();
            link.settle();
            assertThat(link.accepted()).extracting(SessionRecorder::messages)
                .containsExactly(List.of("first", "meanwhile"), List.of("meanwhile"), List.of("meanwhile"));
            assertThat(link.server().sent().size()).isEqualTo(3);
            assertThat(link.server().sent().segments(SegmentHeader.CMD_PUSH)).hasSize(4);
        }
    }

    @Test
    void largeBatchIsFlushedBeforeItsEnd() {
        String answer = "x".repeat(1_300);
        Supplier<SessionRecorder> answering = () -> new SessionRecorder().onRead((ctx, text) -> {
            for (int i = 0; i < 100; i++) {
                ctx.write(ctx.alloc().buffer().writeBytes(answer.getBytes(StandardCharsets.ISO_8859_1)));
            }
            ctx.flush();
        });
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.amplificationLimit(false), answering)) {
            int sessions = 12;
            for (int conv = 1; conv <= sessions; conv++) {
                link.server().channel().writeOneInbound(datagram(link, conv));
            }
            link.server().channel().flushInbound();
            int datagrams = link.server().channel().outboundMessages().size();
            assertThat(datagrams).isGreaterThan(sessions * 32);
            assertThat(link.server().flushes()).isEqualTo((datagrams + 255) / 256);
            link.server().channel().releaseOutbound();
        }
    }

    @Test
    void tooLargeMessageFailsImmediatelyWithTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            int limit = 128 * (1_400 - SegmentHeader.LENGTH);
            ByteBuf tooLarge = link.bytes(limit + 1);
            ChannelFuture refused = session.write(tooLarge);
            assertThat(refused.cause()).isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining(String.valueOf(limit)).hasMessageContaining("window");
            assertThat(tooLarge.refCnt()).isZero();
            ChannelFuture fits = session.writeAndFlush(link.bytes(limit));
            link.settle();
            assertThat(fits.isSuccess()).isTrue();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "x".repeat(limit));
        }
    }

    @Test
    void firstMessagesMayExceedTheInitialWindow() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                writes.add(session.write(link.bytes(60_000 + i)));
            }
            session.flush();
            assertThat(writes.get(0).isDone()).as("before the window is known").isFalse();
            link.settle();
            assertThat(writes).allMatch(ChannelFuture::isSuccess);
            assertThat(link.accepted(0).messages()).extracting(String::length).containsExactly(60_000, 60_001, 60_002);
            assertThat(session.acknowledged().isSuccess()).isTrue();
        }
    }

    /** The peer responds like a kcp-go listener with a window of 40 segments, which stores 32 of the 44 fragments. */
    @Test
    void firstMessageLargerThanThePeersWindowClosesTheSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            ChannelFuture large = client.session().writeAndFlush(link.bytes(60_000));
            ChannelFuture next = client.session().writeAndFlush(link.text("next"));
            link.client().take().forEach(ByteBuf::release);
            link.client().receive(EmbeddedLink.SERVER_ADDRESS,
                new WireSegment(CONV, SegmentHeader.CMD_WINS, 0, 8, 0, 0, 32, ""));
            assertThat(large.cause()).isInstanceOf(MessageTooLargeException.class).hasMessageContaining("40 segments");
            assertThat(next.isSuccess()).isFalse();
            assertThat(client.session().isOpen()).isFalse();
            assertThat(client.session().closeCause()).hasCauseInstanceOf(MessageTooLargeException.class);
        }
    }

    /** A closed window may be advertised by a server that is short of memory, or by a forged WINS. */
    @Test
    void closedWindowDoesNotFailTheFirstMessage() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            ChannelFuture large = client.session().writeAndFlush(link.bytes(60_000));
            link.client().receive(EmbeddedLink.SERVER_ADDRESS, new WireSegment(CONV, SegmentHeader.CMD_WINS, 0, 0, 0, 0, 0, ""));
            assertThat(client.session().isOpen()).isTrue();
            assertThat(large.isDone()).isFalse();
            link.settle();
            assertThat(large.isSuccess()).isTrue();
            assertThat(link.accepted(0).messages()).extracting(String::length).containsExactly(60_000);
        }
    }

    /** A kcp-go listener with a window of 32 segments stores 32 of the 44 fragments, and its window stays closed. */
    @Test
    void partlyStoredFirstMessageFailsAtTheZeroWindowTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            ChannelFuture large = client.session().writeAndFlush(link.bytes(60_000));
            link.client().take().forEach(ByteBuf::release);
            link.client().receive(EmbeddedLink.SERVER_ADDRESS, new WireSegment(CONV, SegmentHeader.CMD_WINS, 0, 0, 0, 0, 32, ""));
            for (int second = 0; second < 61 && client.session().isOpen(); second++) {
                assertThat(large.isDone()).isFalse();
                link.passMs(1_000);
                for (ByteBuf datagram : link.client().take()) {
                    WireSegment.parse(datagram).stream().filter(segment -> segment.cmd() == SegmentHeader.CMD_PUSH)
                        .forEach(probe -> link.client().receive(EmbeddedLink.SERVER_ADDRESS,
                            new WireSegment(CONV, SegmentHeader.CMD_ACK, 0, 0, probe.ts(), probe.sn(), 32, "")));
                    datagram.release();
                }
            }
            assertThat(client.session().closeCause()).hasCauseInstanceOf(MessageTooLargeException.class)
                .isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_NOT_READING));
            assertThat(large.cause()).isNotNull();
        }
    }

    /** The first message needs a larger window than this library's server has and advertises. */
    @Test
    void firstMessageAboveTheServersWindowFailsSoon() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 32),
            SessionRecorder::new)) {
            SessionRecorder client = link.connect(CONV);
            ChannelFuture large = client.session().writeAndFlush(link.bytes(60_000));
            for (int i = 0; i < 30 && client.session().isOpen(); i++) {
                link.settle();
                link.advanceMs(100);
            }
            assertThat(large.cause()).isInstanceOf(MessageTooLargeException.class).hasMessageContaining("32 segments");
            assertThat(client.session().closeCause()).hasCauseInstanceOf(MessageTooLargeException.class);
            assertThat(link.accepted(0).messages()).isEmpty();
        }
    }

    /** The allocation for the second part of a write fails after the first part was sent. */
    @Test
    void partiallyFailedStreamWriteClosesTheSession() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.MODE, KcpTransferMode.STREAM),
            SessionRecorder::new)) {
            SessionRecorder client = link.connect(CONV);
            client.session().config().setOption(KcpChannelOption.MODE, KcpTransferMode.STREAM);
            client.session().config().setOption(KcpChannelOption.SEND_WINDOW, 4);
            int[] parts = {0};
            ByteBuf large = new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 100_000, 100_000) {
                @Override
                public ByteBuf readRetainedSlice(int length) {
                    if (parts[0]++ > 0) {
                        throw new OutOfMemoryError("thrown by the test");
                    }
                    return super.readRetainedSlice(length);
                }
            };
            ChannelFuture write = client.session().writeAndFlush(large.writeZero(100_000));
            ChannelFuture next = client.session().writeAndFlush(link.text("next"));
            link.settle();
            assertThat(write.cause()).isInstanceOf(OutOfMemoryError.class);
            assertThat(client.session().isOpen()).isFalse();
            assertThat(next.isSuccess()).isFalse();
            assertThat(client.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.FAILED));
            link.accepted(0).session().config().setLingerMs(0);
            assertThat(String.join("", link.accepted(0).messages())).as("nothing after the hole").doesNotContain("next");
        }
    }

    @Test
    void largerPeerWindowAllowsLargerMessages() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            MessageTooLargeException refused = (MessageTooLargeException) session.write(link.bytes(350_000)).cause();
            assertThat(refused.limitBytes()).isEqualTo(128 * (1_400 - SegmentHeader.LENGTH));
            assertThat(session.writeAndFlush(link.bytes(refused.limitBytes())).isSuccess()).isTrue();
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "x".repeat(refused.limitBytes()));
        }
    }

    @Test
    void queuedMessageThatBecomesTooLargeFailsAlone() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            ChannelFuture large = session.write(link.bytes(20_000));
            ChannelFuture small = session.write(link.text("small"));
            ChannelFuture acknowledged = session.acknowledged();
            session.config().setOption(KcpChannelOption.MAX_MESSAGE_BYTES, 10_000);
            session.flush();
            link.settle();
            assertThat(large.cause()).isInstanceOf(MessageTooLargeException.class).hasMessageContaining("maxMessageBytes");
            assertThat(small.isSuccess()).isTrue();
            assertThat(acknowledged.isSuccess()).isTrue();
            assertThat(link.accepted(0).messages()).containsExactly("small");
        }
    }

    @Test
    void nonBufferMessagesAreRejectedAndReleased() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            assertThat(session.writeAndFlush("text").cause()).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("String").hasMessageContaining("ByteBuf");
            ByteBufHolder holder = new DefaultByteBufHolder(link.text("held"));
            assertThat(session.writeAndFlush(holder).cause()).isInstanceOf(UnsupportedOperationException.class);
            assertThat(holder.refCnt()).isZero();
        }
    }

    @Test
    void voidPromiseIsSupported() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("silent"), client.session().voidPromise());
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("silent");
        }
    }

    @Test
    void acknowledgedCompletesWhenAllDataIsAcknowledged() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            assertThat(session.acknowledged().isSuccess()).as("nothing was written since").isTrue();
            link.server().loseAll();
            link.client().lose(datagram -> WireSegment.parse(datagram).stream().anyMatch(segment -> segment.sn() > 1));
            session.writeAndFlush(link.text("one"));
            ChannelFuture first = session.acknowledged();
            session.writeAndFlush(link.bytes(100_000));
            ChannelFuture second = session.acknowledged();
            link.advanceMs(10);
            assertThat(link.accepted(0).messages()).as("arrived").contains("one");
            assertThat(first.isDone()).isFalse();
            link.server().loseNothing();
            assertThat(link.advanceUntil(first::isDone, 2_000)).isTrue();
            assertThat(second.isDone()).isFalse();
            link.client().loseNothing();
            assertThat(link.advanceUntil(second::isSuccess, 4_000)).isTrue();
        }
    }

    @Test
    void acknowledgedIsNotCompletedByLaterWrites() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.client().loseAll();
            session.writeAndFlush(link.text("lost"));
            ChannelFuture first = session.acknowledged();
            link.settle();
            link.client().loseNothing();
            session.writeAndFlush(link.text("later, and longer"));
            link.settle();
            assertThat(link.accepted(0).messages()).as("nothing is delivered out of order").containsExactly("hello");
            assertThat(first.isDone()).isFalse();
            assertThat(session.collectStats().getNow().unacknowledgedBytes()).as("not known to be delivered").isEqualTo(21);
            link.advanceMs(1_000);
            assertThat(link.accepted(0).messages()).containsExactly("hello", "lost", "later, and longer");
            assertThat(first.isSuccess()).isTrue();
        }
    }

    @Test
    void acknowledgedFailsWhenTheSessionCloses() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            session.config().setLingerMs(0);
            link.client().loseAll();
            session.writeAndFlush(link.text("lost"));
            ChannelFuture acknowledged = session.acknowledged();
            session.close();
            assertThat(acknowledged.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(session.acknowledged().cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void lossInBothDirectionsCorruptsNothing() {
        for (long seed = 1; seed <= 10; seed++) {
            System.out.println("seed " + seed);
            try (EmbeddedLink link = EmbeddedLink.create(KcpChannelWriteTest::echo)) {
                link.client().loseAtRandom(0.3, seed);
                link.server().loseAtRandom(0.3, seed + 100);
                SessionRecorder client = link.connect(CONV);
                for (int i = 0; i < 200; i++) {
                    client.session().write(link.text("m" + i));
                }
                client.session().flush();
                assertThat(link.advanceUntil(() -> client.messages().size() == 200, 60_000)).as("seed " + seed).isTrue();
                assertThat(client.messages().get(199)).isEqualTo("m199");
                assertThat(client.messages()).isEqualTo(link.accepted(0).messages()).doesNotHaveDuplicates();
            }
        }
    }
}
