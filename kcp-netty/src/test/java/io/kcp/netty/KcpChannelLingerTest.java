package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.channel.ChannelFuture;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpChannelLingerTest {

    private static final int CONV = 7;

    @Test
    void closeDeliversFlushedDataBeyondTheWindow() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            link.client().loseAtRandom(0.2, 3);
            link.server().loseAtRandom(0.2, 4);
            for (int i = 0; i < 1_000; i++) {
                session.write(link.text("m" + i));
            }
            session.flush();
            assertThat(session.collectStats().getNow().waitingSegments()).as("KCP holds a window").isEqualTo(128);
            ChannelFuture closed = session.close();
            assertThat(link.advanceUntil(closed::isDone, 5_000)).as("seeds 3 and 4").isTrue();
            assertThat(closed.isSuccess()).isTrue();
            assertThat(session.closeCause()).isNull();
            assertThat(link.accepted(0).messages()).hasSize(1_000).endsWith("m999");
        }
    }

    @Test
    void closeFailsWithUnacknowledgedBytesIfThePeerIsDead() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            KcpChannel session = client.session();
            link.client().loseAll();
            for (int i = 0; i < 200; i++) {
                session.write(link.bytes(100));
            }
            session.flush();
            ChannelFuture closed = session.close();
            ChannelFuture acknowledged = session.acknowledged();
            link.advanceMs(950);
            assertThat(closed.isDone()).isFalse();
            assertThat(session.isActive()).isTrue();
            link.advanceMs(1_000);
            assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED);
                assertThat(cause.unacknowledgedBytes()).as("in the window and in the queue").isEqualTo(20_000);
            });
            assertThat(session.closeCause()).isSameAs(closed.cause());
            assertThat(acknowledged.cause()).hasCause(closed.cause());
            assertThat(client.events()).containsSubsequence("active", "unwritable", "inactive");
        }
    }

    @Test
    void forcibleCloseOfALingeringSessionCompletesItsClosePromise() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.client().loseAll();
            session.writeAndFlush(link.text("lost"));
            ChannelFuture closed = session.close();
            assertThat(closed.isDone()).isFalse();
            session.unsafe().closeForcibly();
            assertThat(session.isOpen()).isFalse();
            assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED);
                assertThat(cause.unacknowledgedBytes()).isEqualTo(4);
            });
            assertThat(session.closeCause()).isSameAs(closed.cause());
        }
    }

    @Test
    void lingeringSessionIsUnwritableAndRejectsWrites() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.server().loseAll();
            session.writeAndFlush(link.text("last"));
            session.close();
            assertThat(session.isOpen()).isTrue();
            assertThat(session.isActive()).isTrue();
            assertThat(session.isWritable()).isFalse();
            ChannelFuture refused = session.writeAndFlush(link.text("too late"));
            assertThat(refused.cause()).isInstanceOf(ClosedChannelException.class);
            link.server().loseNothing();
            link.advanceMs(3_000);
            assertThat(session.isOpen()).isFalse();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "last");
        }
    }

    @Test
    void closeDoesNotWaitForUnflushedWrites() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            ChannelFuture unflushed = session.write(link.text("never sent"));
            assertThat(session.close().isSuccess()).isTrue();
            assertThat(unflushed.cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void closeWithoutLingerReportsUnacknowledgedBytes() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setLingerMs(0);
            link.server().loseAll();
            session.writeAndFlush(link.text("maybe"));
            ChannelFuture closed = session.close();
            assertThat(session.isOpen()).isFalse();
            assertThat(session.collectStats().getNow().unacknowledgedBytes()).isEqualTo(5);
            assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED);
                assertThat(cause.unacknowledgedBytes()).isEqualTo(5);
            });
            assertThat(session.closeCause()).isSameAs(closed.cause());
            assertThat(session.closeFuture().isSuccess()).isTrue();
            assertThat(link.client().stats().closed()).isEqualTo(Map.of(KcpCloseReason.LINGER_EXPIRED, 1L));
            assertThat(link.client().stats().closedByApplication()).isZero();
        }
    }

    @Test
    void closeWithoutLingerSucceedsIfAllDataIsAcknowledged() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setLingerMs(0);
            session.writeAndFlush(link.text("arrives"));
            link.settle();
            assertThat(session.close().isSuccess()).isTrue();
            assertThat(session.closeCause()).isNull();
            assertThat(link.client().stats().closedByApplication()).isEqualTo(1);
        }
    }

    @Test
    void closeWithoutLingerFailsIfAnEmptyMessageIsUnacknowledged() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setLingerMs(0);
            link.server().loseAll();
            session.writeAndFlush(link.text(""));
            assertThat(session.close().cause()).isSameAs(session.closeCause()).isInstanceOf(KcpCloseException.class);
        }
    }

    @Test
    void lingeringCloseWaitsForUnacknowledgedEmptyMessages() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.server().loseAll();
            session.writeAndFlush(link.text(""));
            ChannelFuture closed = session.close();
            link.advanceMs(100);
            assertThat(closed.isDone()).isFalse();
            link.server().loseNothing();
            assertThat(link.advanceUntil(closed::isSuccess, 3_000)).isTrue();
        }
    }

    @Test
    void lingeringSessionAcknowledgesButDeliversNothing() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            KcpChannel server = link.accepted(0).session();
            link.server().lose(datagram -> WireSegment.parse(datagram).stream().allMatch(WireSegment::isAck));
            client.session().writeAndFlush(link.text("last"));
            client.session().close();
            link.settle();
            link.server().lose(datagram -> false);
            link.client().lose(datagram -> WireSegment.parse(datagram).stream().anyMatch(WireSegment::isPush));
            server.writeAndFlush(link.text("for nobody"));
            link.settle();
            assertThat(client.messages()).isEmpty();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_ACK)).isNotEmpty();
        }
    }

    @Test
    void closingTheParentEndsTheLinger() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.client().loseAll();
            session.writeAndFlush(link.text("lost"));
            ChannelFuture closed = session.close();
            link.client().channel().close();
            assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.reason()).isEqualTo(KcpCloseReason.PARENT_CLOSED);
                assertThat(cause.unacknowledgedBytes()).isEqualTo(4);
            });
        }
    }

    @Test
    void lingerDoesNotAbortWhileThePeerIsActive() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.client().lose(datagram -> WireSegment.parse(datagram).stream().anyMatch(WireSegment::isPush));
            session.writeAndFlush(link.text("lost"));
            ChannelFuture closed = session.close();
            for (int i = 0; i < 9; i++) {
                link.advanceMs(500);
                link.accepted(0).session().writeAndFlush(link.text("still here"));
            }
            assertThat(closed.isDone()).isFalse();
            link.advanceMs(600);
            assertThat(closed.cause()).isInstanceOf(KcpCloseException.class);
        }
    }

    @Test
    void idleTimeBeforeTheCloseDoesNotShortenLinger() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.advanceMs(20_000);
            link.client().loseAll();
            session.writeAndFlush(link.text("late"));
            ChannelFuture closed = session.close();
            link.advanceMs(950);
            assertThat(closed.isDone()).isFalse();
            link.advanceMs(5_000);
            assertThat(closed.cause()).isInstanceOf(KcpCloseException.class);
        }
    }

    @Test
    void longLingerTimeToleratesALongOutage() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setLingerMs(60_000);
            link.client().loseAll();
            session.writeAndFlush(link.text("late"));
            ChannelFuture closed = session.close();
            link.advanceMs(11_900);
            assertThat(closed.isDone()).isFalse();
            link.client().loseNothing();
            assertThat(link.advanceUntil(closed::isDone, 3_000)).isTrue();
        }
    }
}
