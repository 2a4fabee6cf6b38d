package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A session that sends bulk data does not starve other sessions of its event loop. */
class KcpChannelFairnessTest {

    private static final int TURN_SEGMENTS = 256;
    private static final int TURN_MESSAGES = 1_024;
    private static final int TURN_BYTES = 2_097_152;
    private static final int BULK = 1;
    private static final int OTHER = 2;
    private static final int BYTES = 2_000_000;

    /** Returns a link that runs an action during a flush, because an embedded event loop runs no other task between two flushes. */
    private static EmbeddedLink interrupted(AtomicReference<Runnable> betweenTurns) {
        return EmbeddedLink.create(server -> {
        }, client -> client.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                Runnable action = betweenTurns.getAndSet(null);
                if (action != null) {
                    action.run();
                }
                context.flush();
            }
        }));
    }

    private static SessionRecorder establishBulk(EmbeddedLink link) {
        KcpConfig config = KcpConfig.fast3().toBuilder().windows(4_096).mode(KcpTransferMode.STREAM).build();
        SessionRecorder bulk = link.establish(BULK);
        bulk.session().config().setOption(KcpChannelOption.KCP_CONFIG, config);
        link.accepted(0).session().config().setOption(KcpChannelOption.KCP_CONFIG, config);
        // The next segment advertises the new window to the peer.
        bulk.session().writeAndFlush(link.text("x"));
        link.settle();
        link.client().sent().clear();
        return bulk;
    }

    private static long pushed(EmbeddedLink link, int conv) {
        return link.client().sent().segments(SegmentHeader.CMD_PUSH).stream().filter(segment -> segment.conv() == conv).count();
    }

    @Test
    void bulkSessionSendsOneTurnAtATime() {
        AtomicReference<Runnable> betweenTurns = new AtomicReference<>();
        try (EmbeddedLink link = interrupted(betweenTurns)) {
            SessionRecorder bulk = establishBulk(link);
            SessionRecorder other = link.establish(OTHER);
            link.client().sent().clear();
            betweenTurns.set(() -> other.session().writeAndFlush(link.text("quick")));
            bulk.session().writeAndFlush(link.bytes(BYTES));
            long nowMs = link.nowMs();
            link.settle();
            link.advanceMs(0);
            assertThat(link.nowMs()).isEqualTo(nowMs);
            List<Integer> order = link.client().sent().segments(SegmentHeader.CMD_PUSH).stream().map(WireSegment::conv).toList();
            assertThat(order.indexOf(OTHER)).as("not behind all of the other").isEqualTo(TURN_SEGMENTS);
            assertThat(pushed(link, BULK)).as("the rest follows without a pause").isGreaterThan(BYTES / 1_376);
            assertThat(bulk.session().acknowledged().isSuccess()).isTrue();
        }
    }

    @Test
    void sessionClosedBetweenTwoTurnsSendsNothingMore() {
        AtomicReference<Runnable> betweenTurns = new AtomicReference<>();
        try (EmbeddedLink link = interrupted(betweenTurns)) {
            SessionRecorder bulk = establishBulk(link);
            bulk.session().config().setOption(KcpChannelOption.LINGER_MS, 0);
            betweenTurns.set(bulk.session()::close);
            bulk.session().writeAndFlush(link.bytes(BYTES));
            link.settle();
            link.advanceMs(100);
            assertThat(pushed(link, BULK)).isEqualTo(TURN_SEGMENTS);
        }
    }

    /** Returns datagrams of 50 one-byte messages each. */
    private static ByteBuf[] flood(EmbeddedLink link, int conv, int datagrams) {
        ByteBuf[] flood = new ByteBuf[datagrams];
        for (int i = 0; i < datagrams; i++) {
            WireSegment[] segments = new WireSegment[50];
            for (int j = 0; j < segments.length; j++) {
                segments[j] = WireSegment.push(conv, 50 * i + j, 0, "m");
            }
            flood[i] = WireSegment.datagram(link.allocator(), segments);
        }
        return flood;
    }

    @Test
    void floodOfOneSessionDelaysOthersByOneIteration() {
        List<Long> order = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4_096),
            () -> new SessionRecorder().onRead((ctx, text) -> order.add((long) ((KcpChannel) ctx.channel()).conv())))) {
            link.server().loseAll();
            List<ByteBuf> batch = new ArrayList<>(List.of(flood(link, BULK, 40)));
            batch.add(WireSegment.datagram(link.allocator(), WireSegment.push(OTHER, 0, 0, "quick")));
            long nowMs = link.nowMs();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, batch.toArray(ByteBuf[]::new));
            link.advanceMs(0);
            assertThat(order.indexOf((long) OTHER)).as("messages delivered before that of the other session").isEqualTo(TURN_MESSAGES);
            assertThat(order).as("the rest follows without a pause").hasSize(40 * 50 + 1);
            assertThat(link.nowMs()).isEqualTo(nowMs);
        }
    }

    @ParameterizedTest
    @CsvSource({"32, 262144, 32", "0, 100, 100", "0, 0, 2000"})
    void limitsOfAnIterationAreOptions(int messages, int bytes, int deliveredBefore) {
        List<Long> order = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4_096)
            .childOption(KcpChannelOption.MAX_MESSAGES_PER_ITERATION, messages)
            .childOption(KcpChannelOption.MAX_BYTES_PER_ITERATION, bytes),
            () -> new SessionRecorder().onRead((ctx, text) -> order.add((long) ((KcpChannel) ctx.channel()).conv())))) {
            link.server().loseAll();
            List<ByteBuf> batch = new ArrayList<>(List.of(flood(link, BULK, 40)));
            batch.add(WireSegment.datagram(link.allocator(), WireSegment.push(OTHER, 0, 0, "quick")));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, batch.toArray(ByteBuf[]::new));
            link.advanceMs(0);
            assertThat(order.indexOf((long) OTHER)).isEqualTo(deliveredBefore);
            assertThat(order).hasSize(40 * 50 + 1);
        }
    }

    @Test
    void sessionThatStopsReadingBetweenTwoTurnsNeedsNoFurtherTurn() {
        int[] delivered = new int[1];
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4_096),
            () -> new SessionRecorder().onRead((ctx, text) -> {
                if (++delivered[0] == TURN_MESSAGES) {
                    // The task runs between two turns.
                    ctx.channel().eventLoop().execute(() -> ctx.channel().config().setAutoRead(false));
                }
            }))) {
            link.server().loseAll();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, flood(link, BULK, 40));
            link.advanceMs(0);
            assertThat(delivered[0]).isEqualTo(TURN_MESSAGES);
            DefaultKcpChannel session = (DefaultKcpChannel) link.accepted(0).session();
            assertThat(session.delivery.isCut()).as("a further turn is due").isFalse();
            session.config().setAutoRead(true);
            link.advanceMs(0);
            assertThat(delivered[0]).isEqualTo(40 * 50);
        }
    }

    @Test
    void messagesOfTheNextTurnAreNotCopied() {
        List<Long> addresses = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4_096),
            () -> new SessionRecorder().onActive(ctx -> ctx.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ByteBuf payload = (ByteBuf) message;
                    addresses.add(payload.memoryAddress() + payload.readerIndex());
                    context.fireChannelRead(message);
                }
            })))) {
            link.server().loseAll();
            ByteBuf[] batch = new ByteBuf[TURN_MESSAGES + 100];
            for (int sn = 0; sn < batch.length; sn++) {
                batch[sn] = WireSegment.datagram(link.allocator(), WireSegment.push(BULK, sn, 0, "x".repeat(1_000)));
            }
            List<Long> payloads = Arrays.stream(batch).map(datagram -> datagram.memoryAddress() + SegmentHeader.LENGTH).toList();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, batch);
            link.advanceMs(0);
            assertThat(addresses).isEqualTo(payloads);
        }
    }

    @Test
    void manyLargeMessagesEndATurnByTheirBytes() {
        List<Long> order = new ArrayList<>();
        String payload = "x".repeat(1_300);
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4_096),
            () -> new SessionRecorder().onRead((ctx, text) -> order.add((long) ((KcpChannel) ctx.channel()).conv())))) {
            link.server().loseAll();
            List<ByteBuf> batch = new ArrayList<>();
            for (int sn = 0; sn < 2_000; sn++) {
                // Each message has two fragments.
                batch.add(WireSegment.datagram(link.allocator(),
                    new WireSegment(BULK, SegmentHeader.CMD_PUSH, 1 - sn % 2, WireSegment.WINDOW, 0, sn, 0, payload)));
            }
            batch.add(WireSegment.datagram(link.allocator(), WireSegment.push(OTHER, 0, 0, "quick")));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, batch.toArray(ByteBuf[]::new));
            link.advanceMs(0);
            assertThat(order.indexOf((long) OTHER)).isEqualTo((TURN_BYTES + 2_599) / 2_600);
            assertThat(order).hasSize(1_001);
        }
    }

    @Test
    void handlerThatReadsByItselfReceivesEverything() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4_096)
            .childOption(ChannelOption.AUTO_READ, false),
            () -> new SessionRecorder().onActive(ChannelHandlerContext::read).onReadComplete(ChannelHandlerContext::read))) {
            link.server().loseAll();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, flood(link, BULK, 40));
            link.advanceMs(0);
            assertThat(link.accepted(0).messages()).hasSize(2_000);
        }
    }

    @Test
    void channelLimitsItsSendRate() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder bulk = establishBulk(link);
            bulk.session().config().setOption(KcpChannelOption.MAX_BYTES_PER_SECOND, 100_000);
            bulk.session().writeAndFlush(link.bytes(BYTES));
            link.settle();
            link.advanceMs(5_000);
            assertThat(pushed(link, BULK)).isBetween(345L, 375L);
            bulk.session().config().setOption(KcpChannelOption.LINGER_MS, 0);
        }
    }
}
