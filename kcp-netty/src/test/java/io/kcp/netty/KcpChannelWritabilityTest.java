package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KcpChannelWritabilityTest {

    private static final int CONV = 7;

    private static void setSocketWritable(EmbeddedChannel channel, boolean writable) {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(5, writable);
        channel.runPendingTasks();
    }

    @Test
    void writabilityFollowsTheWaterMarks() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            KcpChannel session = client.session();
            session.config().setWriteBufferWaterMark(new WriteBufferWaterMark(5_000, 10_000));
            session.config().setOption(KcpChannelOption.SEND_WINDOW, 4);
            link.client().loseAll();
            int messages = 0;
            for (; session.isWritable(); messages++) {
                session.writeAndFlush(link.bytes(1_000));
            }
            link.settle();
            assertThat(messages).as("4 in KCP, 10 in the queue").isBetween(13, 15);
            assertThat(session.bytesBeforeWritable()).isPositive();
            assertThat(client.events()).containsExactly("active", "unwritable");
            link.client().loseNothing();
            assertThat(link.advanceUntil(session::isWritable, 2_000)).isTrue();
            link.advanceMs(1_000);
            assertThat(client.events()).containsExactly("active", "unwritable", "writable");
            assertThat(link.accepted(0).messages()).hasSize(messages);
        }
    }

    @Test
    void writerThatRespectsWritabilityDeliversEverything() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            KcpChannel session = client.session();
            session.config().setWriteBufferWaterMark(new WriteBufferWaterMark(2_000, 4_000));
            int[] written = {0};
            link.client().loseAtRandom(0.1, 1);
            link.server().loseAtRandom(0.1, 2);
            assertThat(link.advanceUntil(() -> {
                while (session.isWritable() && written[0] < 3_000) {
                    session.writeAndFlush(link.text("m" + written[0]++));
                }
                return !link.accepted().isEmpty() && link.accepted(0).messages().size() == 3_000;
            }, 60_000)).as("seeds 1 and 2").isTrue();
            assertThat(link.accepted(0).messages()).doesNotHaveDuplicates().endsWith("m2999");
        }
    }

    @Test
    void sessionsAreUnwritableWhileTheirSocketIs() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<SessionRecorder> clients = new ArrayList<>();
            for (int conv = 1; conv <= 3; conv++) {
                clients.add(link.establish(conv));
            }
            EmbeddedChannel socket = link.client().channel();
            setSocketWritable(socket, false);
            clients.forEach(client -> client.session().writeAndFlush(link.text("held")));
            link.settle();
            assertThat(link.client().sent().size()).isZero();
            assertThat(clients).allSatisfy(client -> {
                assertThat(client.session().isWritable()).isFalse();
                assertThat(client.events()).containsExactly("active", "unwritable");
            });
            link.advanceMs(50);
            setSocketWritable(socket, true);
            link.settle();
            assertThat(clients).allSatisfy(client -> {
                assertThat(client.session().isWritable()).isTrue();
                assertThat(client.events()).containsExactly("active", "unwritable", "writable");
            });
            assertThat(link.accepted()).allSatisfy(reader -> assertThat(reader.messages()).containsExactly("hello", "held"));
            assertThat(link.advanceUntil(() -> clients.stream().allMatch(c -> c.session().acknowledged().isSuccess()), 500)).isTrue();
        }
    }

    /** Netty's handlers for traffic shaping use the writability indexes 1 to 3. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void writabilityOfOtherHandlersIsKept(int index) {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            KcpChannel session = client.session();
            session.unsafe().outboundBuffer().setUserDefinedWritability(index, false);
            setSocketWritable(link.client().channel(), false);
            session.writeAndFlush(link.text("held"));
            link.settle();
            setSocketWritable(link.client().channel(), true);
            link.settle();
            assertThat(session.isWritable()).isFalse();
            session.unsafe().outboundBuffer().setUserDefinedWritability(index, true);
            assertThat(session.isWritable()).isTrue();
        }
    }

    @Test
    void sessionsWaitingForTheSocketAreServedInTurn() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<SessionRecorder> clients = new ArrayList<>();
            for (int conv = 1; conv <= 4; conv++) {
                clients.add(link.establish(conv));
            }
            EmbeddedChannel socket = link.client().channel();
            socket.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                    ctx.write(message, promise);
                    setSocketWritable(socket, false);
                }
            });
            setSocketWritable(socket, false);
            clients.forEach(client -> client.session().writeAndFlush(link.text("first")));
            List<Integer> served = new ArrayList<>();
            for (int turn = 0; turn < 12; turn++) {
                link.client().sent().clear();
                setSocketWritable(socket, true);
                link.settle();
                int conv = link.client().sent().segments(SegmentHeader.CMD_PUSH).get(0).conv();
                served.add(conv);
                clients.get(conv - 1).session().writeAndFlush(link.text("another"));
            }
            assertThat(served).containsExactly(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4);
            socket.pipeline().removeFirst();
            setSocketWritable(socket, true);
        }
    }

    @Test
    void closeOnUnwritableSocketBlocksNoOtherSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder first = link.establish(1);
            SessionRecorder second = link.establish(2);
            SessionRecorder third = link.establish(3);
            setSocketWritable(link.client().channel(), false);
            List.of(first, second, third).forEach(client -> client.session().writeAndFlush(link.text("held")));
            second.session().config().setLingerMs(0);
            second.session().close();
            setSocketWritable(link.client().channel(), true);
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "held");
            assertThat(link.accepted(1).messages()).containsExactly("hello");
            assertThat(link.accepted(2).messages()).containsExactly("hello", "held");
        }
    }

    @Test
    void lingerEndsInTimeWhileTheSocketIsUnwritable() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            setSocketWritable(link.client().channel(), false);
            session.writeAndFlush(link.text("held"));
            session.close();
            link.advanceMs(5_100);
            assertThat(session.isOpen()).isFalse();
            assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED));
        }
    }

    @Test
    void unwritableSocketStillReadsAndDefersAcknowledgements() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, true),
            SessionRecorder::new)) {
            KcpChannel client = link.establish(CONV).session();
            setSocketWritable(link.server().channel(), false);
            client.writeAndFlush(link.text("in"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "in");
            assertThat(client.acknowledged().isDone()).isFalse();
            setSocketWritable(link.server().channel(), true);
            link.settle();
            assertThat(client.acknowledged().isDone()).isTrue();
        }
    }
}
