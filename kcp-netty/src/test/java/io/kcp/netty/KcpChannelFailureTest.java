package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.test.FailingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A local failure of one session or one write affects no other session or write. */
@Timeout(60)
class KcpChannelFailureTest {

    @Test
    void failingDeadlineClosesOnlyItsSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<SessionRecorder> clients = new ArrayList<>();
            for (int conv = 1; conv <= 4; conv++) {
                clients.add(link.establish(conv));
            }
            FailingAllocator allocator = new FailingAllocator(link.allocator());
            link.client().channel().config().setAllocator(allocator);
            link.client().loseAll();
            clients.forEach(client -> client.session().writeAndFlush(link.text("x")));
            link.client().releaseSlab();
            allocator.failAfter(0, 1);
            link.advanceMs(250);
            link.client().loseNothing();
            link.advanceMs(5_000);
            assertThat(clients).filteredOn(client -> !client.session().isOpen()).hasSize(1).allSatisfy(client -> {
                assertThat(client.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.FAILED));
                assertThat(client.session().closeCause()).hasRootCauseMessage("no memory, thrown by the test");
                assertThat(client.events()).contains("inactive");
            });
            assertThat(link.accepted()).filteredOn(server -> server.messages().contains("x")).hasSize(3);
        }
    }

    @Test
    void failingSweepClosesOnlyItsSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            FailingAllocator allocator = new FailingAllocator(link.allocator());
            link.server().channel().config().setAllocator(allocator);
            link.establish(1);
            link.establish(2);
            link.client().loseAll();
            link.server().releaseSlab();
            allocator.failAfter(0, 1);
            link.advanceMs(30_000);
            assertThat(allocator.failuresLeft()).isZero();
            assertThat(link.server().sent().segments(SegmentHeader.CMD_WASK)).as("of the other session").isNotEmpty();
            link.advanceMs(100_000);
            assertThat(link.accepted()).allMatch(server -> !server.session().isOpen());
        }
    }

    @Test
    void writeOfAReleasedBufferFailsAlone() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(1);
            ByteBuf released = link.text("dead");
            ChannelFuture failed = client.session().write(released);
            released.release();
            client.session().writeAndFlush(link.text("alive"));
            ChannelFuture acknowledged = client.session().acknowledged();
            link.settle();
            assertThat(failed.isDone()).isTrue();
            assertThat(failed.isSuccess()).isFalse();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "alive");
            assertThat(acknowledged.isSuccess()).isTrue();
            assertThat(client.session().isActive()).isTrue();
        }
    }

    @Test
    void cancelledWriteIsNeitherSentNorAwaited() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(1);
            assertThat(client.session().write(link.text("cancelled")).cancel(false)).isTrue();
            client.session().write(Unpooled.EMPTY_BUFFER);
            client.session().writeAndFlush(link.text("next"));
            ChannelFuture acknowledged = client.session().acknowledged();
            link.settle();
            assertThat(link.accepted(0).messages()).as("an empty one that was meant, too").containsExactly("hello", "", "next");
            assertThat(acknowledged.isSuccess()).isTrue();
            assertThat(client.session().collectStats().getNow().unacknowledgedBytes()).isZero();
        }
    }

    @Test
    void rejectedWriteDoesNotAcknowledgeEarlierWrites() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(1);
            link.client().loseAll();
            client.session().writeAndFlush(link.text("A"));
            ChannelFuture first = client.session().acknowledged();
            ChannelFuture refused = client.session().write(link.bytes(5_000));
            client.session().config().setOption(KcpChannelOption.MAX_MESSAGE_BYTES, 1_000);
            client.session().flush();
            ChannelFuture second = client.session().acknowledged();
            link.settle();
            assertThat(refused.cause()).isNotNull();
            assertThat(first.isDone()).isFalse();
            assertThat(second.isDone()).isFalse();
            assertThat(client.session().collectStats().getNow().unacknowledgedBytes()).isEqualTo(1);
            link.client().loseNothing();
            link.advanceMs(2_000);
            assertThat(first.isSuccess()).isTrue();
            assertThat(second.isSuccess()).isTrue();
        }
    }

    @Test
    void readInAcknowledgementListenerDeliversPendingData() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(1);
            KcpChannel server = link.accepted(0).session();
            server.config().setAutoRead(false);
            server.read();
            client.session().writeAndFlush(link.text("taken by the read that was open"));
            link.settle();
            client.session().writeAndFlush(link.text("one"));
            link.settle();
            server.writeAndFlush(link.text("x"));
            server.acknowledged().addListener(acknowledged -> server.read());
            link.settle();
            link.advanceMs(100);
            assertThat(link.accepted(0).messages()).endsWith("one");
        }
    }

    private static void setSocketWritable(EmbeddedLink.End end, boolean writable) {
        end.channel().unsafe().outboundBuffer().setUserDefinedWritability(5, writable);
        end.channel().runPendingTasks();
    }

    /** Makes the memory allocation for the next datagram of an end fail. */
    private static FailingAllocator failNextDatagram(EmbeddedLink link, EmbeddedLink.End end) {
        FailingAllocator allocator = new FailingAllocator(link.allocator());
        end.channel().config().setAllocator(allocator);
        end.releaseSlab();
        allocator.failAfter(0, 1);
        return allocator;
    }

    private static void assertFailed(KcpChannel session) {
        assertThat(session.isOpen()).isFalse();
        assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.FAILED));
    }

    @Test
    void failureOfABlockedSessionBlocksNoOther() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<SessionRecorder> clients = new ArrayList<>();
            for (int conv = 1; conv <= 4; conv++) {
                clients.add(link.establish(conv));
            }
            setSocketWritable(link.client(), false);
            clients.forEach(client -> client.session().writeAndFlush(link.text("held")));
            failNextDatagram(link, link.client());
            setSocketWritable(link.client(), true);
            link.settle();
            assertFailed(clients.get(0).session());
            assertThat(link.accepted().subList(1, 4)).allSatisfy(
                server -> assertThat(server.messages()).containsExactly("hello", "held"));
        }
    }

    @Test
    void sessionClosesIfItsLastAcknowledgementFails() {
        FailingAllocator[] allocator = new FailingAllocator[1];
        EmbeddedLink[] opened = new EmbeddedLink[1];
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, message) -> {
            allocator[0] = failNextDatagram(opened[0], opened[0].server());
            ctx.close();
        }))) {
            opened[0] = link;
            link.connect(1).session().writeAndFlush(link.text("hello"));
            link.settle();
            assertThat(allocator[0].failuresLeft()).isZero();
            assertThat(link.accepted(0).session().closeFuture().isDone()).isTrue();
            assertThat(link.accepted(0).session().isOpen()).isFalse();
            assertThat(link.server().stats().activeSessions()).isZero();
        }
    }

    @Test
    void failureAtTheStartOfLingerClosesTheSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(1).session();
            session.config().setOption(KcpChannelOption.WRITE_DELAY, true);
            link.advanceMs(1_000);
            session.writeAndFlush(link.text("delayed"));
            link.passMs(1_000);
            failNextDatagram(link, link.client());
            ChannelFuture closed = session.close();
            assertFailed(session);
            assertThat(closed.cause()).isSameAs(session.closeCause());
        }
    }

    @Test
    void failureAfterAReadClosesTheSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.establish(1);
            KcpChannel session = link.accepted(0).session();
            session.config().setAutoRead(false);
            session.read();
            link.client().sent().clear();
            for (int i = 0; i < 200; i++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, 1 + i, 0, "x"));
            }
            failNextDatagram(link, link.server());
            for (int i = 0; i < 200 && session.isOpen(); i++) {
                session.read();
                link.passMs(100);
            }
            assertFailed(session);
        }
    }
}
