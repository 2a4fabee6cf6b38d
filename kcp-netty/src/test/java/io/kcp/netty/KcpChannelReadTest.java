package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpChannelReadTest {

    private static final int CONV = 7;

    private static EmbeddedLink withoutAutoRead(SessionRecorder recorder) {
        return EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false), () -> recorder);
    }

    private static void write(EmbeddedLink link, KcpChannel session, int messages) {
        for (int i = 0; i < messages; i++) {
            session.write(link.text("m" + i));
        }
        session.flush();
        link.settle();
    }

    private static List<String> numbered(int messages) {
        return IntStream.range(0, messages).mapToObj(i -> "m" + i).toList();
    }

    @Test
    void readingRespectsAutoRead() {
        SessionRecorder reader = new SessionRecorder();
        try (EmbeddedLink link = withoutAutoRead(reader)) {
            write(link, link.connect(CONV).session(), 3);
            assertThat(reader.messages()).isEmpty();
            reader.session().read();
            assertThat(reader.messages()).containsExactly("m0");
            reader.session().read();
            assertThat(reader.messages()).containsExactly("m0", "m1");
            link.advanceMs(1_000);
            assertThat(reader.messages()).containsExactly("m0", "m1");
        }
    }

    @Test
    void pendingReadDeliversTheNextMessageOnArrival() {
        SessionRecorder reader = new SessionRecorder();
        try (EmbeddedLink link = withoutAutoRead(reader)) {
            KcpChannel client = link.connect(CONV).session();
            write(link, client, 1);
            reader.session().read();
            reader.session().read();
            assertThat(reader.messages()).containsExactly("m0");
            client.writeAndFlush(link.text("late"));
            link.settle();
            assertThat(reader.messages()).containsExactly("m0", "late");
        }
    }

    @Test
    void readInsideChannelReadDeliversEverythingInOrder() {
        SessionRecorder reader = new SessionRecorder().onActive(ChannelHandlerContext::read).onRead((ctx, text) -> ctx.read());
        try (EmbeddedLink link = withoutAutoRead(reader)) {
            write(link, link.connect(CONV).session(), 100);
            assertThat(reader.messages()).isEqualTo(numbered(100));
        }
    }

    @Test
    void readInsideChannelReadCompleteDoesNotOverflowTheStack() {
        int messages = 100_000;
        KcpConfig wide = KcpConfig.builder().windows(KcpConfig.MAX_WINDOW_SEGMENTS).build();
        SessionRecorder reader = new SessionRecorder().onReadComplete(ctx -> ctx.read());
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.KCP_CONFIG, wide)
            .childOption(ChannelOption.AUTO_READ, false), () -> reader)) {
            KcpChannel client = link.connect(CONV).session();
            client.config().setKcp(wide);
            write(link, client, messages);
            assertThat(reader.messages()).isEmpty();
            reader.session().read();
            link.settle();
            assertThat(reader.messages()).hasSize(messages).isEqualTo(numbered(messages));
        }
    }

    @Test
    void enablingAutoReadDeliversQueuedMessages() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.establish(CONV).session();
            SessionRecorder reader = link.accepted(0);
            reader.session().config().setAutoRead(false);
            write(link, client, 40);
            assertThat(reader.messages()).containsExactly("hello");
            reader.session().config().setAutoRead(true);
            assertThat(reader.messages()).hasSize(41);
        }
    }

    @Test
    void disablingAutoReadInChannelReadStopsAfterThatMessage() {
        SessionRecorder reader = new SessionRecorder().onRead((ctx, text) -> ctx.channel().config().setAutoRead(false));
        try (EmbeddedLink link = EmbeddedLink.create(() -> reader)) {
            write(link, link.connect(CONV).session(), 10);
            assertThat(reader.messages()).containsExactly("m0");
            reader.session().config().setAutoRead(true);
            assertThat(reader.messages()).containsExactly("m0", "m1");
        }
    }

    @Test
    void readCompleteFiresAfterTheAllocatorsMessageLimit() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            write(link, link.connect(CONV).session(), 32);
            assertThat(link.accepted(0).messages()).hasSize(32);
            assertThat(link.accepted(0).readCompletes()).as("16 messages a read").isEqualTo(2);
        }
    }

    @Test
    void pausedReaderClosesTheWindowUntilItReadsAgain() {
        SessionRecorder reader = new SessionRecorder();
        int window = 16;
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false)
            .childOption(KcpChannelOption.RECEIVE_WINDOW, window), () -> reader)) {
            KcpChannel client = link.connect(CONV).session();
            write(link, client, 100);
            assertThat(link.server().sent().last().wnd()).as("advertised window").isZero();
            assertThat(client.collectStats().getNow().remoteWindow()).isZero();
            int sentWhileOpen = link.client().sent().segments(SegmentHeader.CMD_PUSH).size();
            reader.session().config().setAutoRead(true);
            link.settle();
            assertThat(reader.messages()).isEqualTo(numbered(100));
            assertThat(sentWhileOpen).isLessThanOrEqualTo(2 * 32);
        }
    }

    @Test
    void lostWindowUpdateDelaysTheSenderByOneProbe() {
        SessionRecorder reader = new SessionRecorder();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false)
            .childOption(KcpChannelOption.RECEIVE_WINDOW, 16), () -> reader)) {
            write(link, link.connect(CONV).session(), 100);
            link.advanceMs(20_000);
            link.server().loseAll();
            reader.session().config().setAutoRead(true);
            link.settle();
            link.server().loseNothing();
            assertThat(link.advanceUntil(() -> reader.messages().size() == 100, 5_100)).isTrue();
            assertThat(reader.messages()).isEqualTo(numbered(100));
        }
    }

    @Test
    void emptyMessageIsDelivered() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.connect(CONV).session();
            client.write(link.text("before"));
            client.write(link.text(""));
            client.writeAndFlush(link.text("after"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("before", "", "after");
        }
    }

    @Test
    void messageOfManyFragmentsIsReassembled() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.connect(CONV).session();
            client.writeAndFlush(link.bytes(30_000));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("x".repeat(30_000));
        }
    }

    @Test
    void streamPreservesByteOrderForAnyWriteSizes() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.connect(CONV).session();
            client.config().setOption(KcpChannelOption.MODE, KcpTransferMode.STREAM);
            for (int i = 0; i < 500; i++) {
                client.write(link.text(i + ","));
            }
            client.writeAndFlush(link.bytes(400_000));
            link.settle();
            StringBuilder expected = new StringBuilder();
            IntStream.range(0, 500).forEach(i -> expected.append(i).append(','));
            assertThat(String.join("", link.accepted(0).messages())).isEqualTo(expected.append("x".repeat(400_000)).toString());
        }
    }

    @Test
    void unreadDataRetainsNoReadBuffer() {
        try (EmbeddedLink link = withoutAutoRead(new SessionRecorder())) {
            KcpChannel client = link.connect(CONV).session();
            for (int i = 0; i < 50; i++) {
                client.writeAndFlush(link.text("tiny"));
                link.settle();
            }
            link.client().releaseSlab();
            link.server().releaseSlab();
            assertThat(link.outstandingBytes()).as("50 messages of 4 bytes wait").isLessThan(50 * 100);
        }
    }
}
