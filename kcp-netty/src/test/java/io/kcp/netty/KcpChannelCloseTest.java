package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpChannelCloseTest {

    private static final int CONV = 7;

    /** Drops all datagrams of the peer while data is unacknowledged, until the session detects that the peer is dead. */
    private static void die(EmbeddedLink link, KcpChannel session) {
        link.client().loseAll();
        link.server().loseAll();
        session.writeAndFlush(link.text("unanswered"));
        assertThat(link.advanceUntil(() -> !session.isOpen(), 31_000)).isTrue();
    }

    @Test
    void closeOfAnIdleSessionSucceedsImmediately() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            ChannelFuture closed = client.session().close();
            assertThat(closed.isSuccess()).isTrue();
            assertThat(client.session().closeFuture().isSuccess()).isTrue();
            assertThat(client.session().isOpen()).isFalse();
            assertThat(client.session().isActive()).isFalse();
            assertThat(client.session().closeCause()).isNull();
            link.settle();
            assertThat(client.events()).containsExactly("active", "inactive", "unregistered");
            assertThat(client.exceptions()).isEmpty();
            assertThat(link.client().stats().activeSessions()).isZero();
        }
    }

    @Test
    void disconnectCloses() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            assertThat(session.disconnect().isSuccess()).isTrue();
            assertThat(session.isOpen()).isFalse();
        }
    }

    @Test
    void writesAfterACloseFailWithItsCause() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            die(link, session);
            session.close();
            ByteBufFuture write = new ByteBufFuture(link, session);
            assertThat(write.future().cause()).isInstanceOf(ClosedChannelException.class)
                .hasCauseInstanceOf(KcpCloseException.class);
            assertThat(((KcpCloseException) write.future().cause().getCause()).reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
            assertThat(session.acknowledged().cause()).hasCauseInstanceOf(KcpCloseException.class);
        }
    }

    @Test
    void writesAfterApplicationCloseFailWithoutCause() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.close();
            ByteBufFuture write = new ByteBufFuture(link, session);
            assertThat(write.future().cause()).isInstanceOf(ClosedChannelException.class).hasNoCause();
        }
    }

    /** The future of a message write. Closing the link verifies that the message was released. */
    private record ByteBufFuture(ChannelFuture future) {
        ByteBufFuture(EmbeddedLink link, KcpChannel session) {
            this(session.writeAndFlush(link.text("too late")));
        }
    }

    @Test
    void queuedWritesFailIfThePeerIsDead() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            client.session().config().setOption(KcpChannelOption.SEND_WINDOW, 1);
            link.client().loseAll();
            client.session().write(link.text("in KCP"));
            ChannelFuture queued = client.session().writeAndFlush(link.text("queued"));
            ChannelFuture unflushed = client.session().write(link.text("not flushed"));
            assertThat(link.advanceUntil(() -> !client.session().isOpen(), 31_000)).isTrue();
            assertThat(queued.cause()).isInstanceOf(KcpCloseException.class);
            assertThat(unflushed.cause()).isInstanceOf(ClosedChannelException.class).hasCauseInstanceOf(KcpCloseException.class);
            assertThat(client.exceptions()).singleElement().isInstanceOf(KcpCloseException.class)
                .isSameAs(client.session().closeCause());
        }
    }

    @Test
    void closeInExceptionCaughtKeepsTheCause() {
        SessionRecorder client = new SessionRecorder().onException((ctx, cause) -> ctx.close());
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.connect(CONV, client);
            client.session().config().setOption(KcpChannelOption.SEND_WINDOW, 1);
            link.client().loseAll();
            client.session().write(link.text("in KCP"));
            ChannelFuture queued = client.session().writeAndFlush(link.text("queued"));
            assertThat(link.advanceUntil(() -> !client.session().isOpen(), 31_000)).isTrue();
            assertThat(queued.cause()).isInstanceOf(KcpCloseException.class);
            assertThat(client.session().closeCause()).isInstanceOf(KcpCloseException.class);
            assertThat(client.events()).containsExactly("active", "inactive", "unregistered");
        }
    }

    @Test
    void closeTwiceCompletesBothPromises() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel idle = link.establish(CONV).session();
            assertThat(List.of(idle.close(), idle.close())).allMatch(ChannelFuture::isSuccess);

            KcpChannel busy = link.establish(CONV + 1).session();
            link.server().loseAll();
            busy.writeAndFlush(link.text("data"));
            ChannelFuture first = busy.close();
            ChannelFuture second = busy.close();
            link.advanceMs(100);
            assertThat(first.isDone() || second.isDone()).as("both wait").isFalse();
            link.server().loseNothing();
            assertThat(link.advanceUntil(() -> first.isSuccess() && second.isSuccess(), 2_000)).isTrue();
        }
    }

    @Test
    void closeTwiceFailsBothPromisesIfDataIsLost() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.client().loseAll();
            session.writeAndFlush(link.text("lost"));
            ChannelFuture first = session.close();
            ChannelFuture second = session.close();
            link.advanceMs(5_100);
            assertThat(first.cause()).isInstanceOf(KcpCloseException.class);
            assertThat(second.cause()).isSameAs(first.cause());
            assertThat(session.closeFuture().isSuccess()).isTrue();
        }
    }

    @Test
    void closeListenerSeesTheChannelInactive() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            List<Boolean> activeOrOpen = new ArrayList<>();
            session.closeFuture().addListener(closed -> {
                activeOrOpen.add(session.isActive());
                activeOrOpen.add(session.isOpen());
                activeOrOpen.add(session.isWritable());
            });
            session.close();
            assertThat(activeOrOpen).containsExactly(false, false, false);
        }
    }

    @Test
    void channelInactiveFiresAfterTheClosePromise() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder idle = link.establish(CONV);
            idle.session().close().addListener(closed -> idle.events().add("promise"));
            SessionRecorder busy = link.establish(CONV + 1);
            busy.session().writeAndFlush(link.text("data"));
            busy.session().close().addListener(closed -> busy.events().add("promise"));
            link.settle();
            assertThat(idle.events()).containsExactly("active", "promise", "inactive", "unregistered");
            assertThat(busy.events()).containsExactly("active", "unwritable", "promise", "inactive", "unregistered");
        }
    }

    @Test
    void closeInChannelReadReleasesUndeliveredMessages() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> ctx.close()))) {
            KcpChannel client = link.connect(CONV).session();
            for (int i = 0; i < 20; i++) {
                client.write(link.text("m" + i));
            }
            client.flush();
            link.settle();
            SessionRecorder server = link.accepted(0);
            assertThat(server.messages()).containsExactly("m0");
            assertThat(server.session().isOpen()).isFalse();
            assertThat(server.events()).containsExactly("active", "inactive", "unregistered");
            assertThat(link.accepted()).as("no ghost").hasSize(1);
        }
    }

    @Test
    void closeInChannelReadAcknowledgesReceivedData() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> ctx.close()))) {
            KcpChannel client = link.connect(CONV).session();
            client.writeAndFlush(link.text("goodbye"));
            ChannelFuture closed = client.close();
            link.settle();
            assertThat(closed.isSuccess()).as("without waiting for the linger time").isTrue();
        }
    }

    @Test
    void closeInChannelReadDeliversPendingAnswers() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            ctx.writeAndFlush(ctx.alloc().buffer().writeBytes(new byte[50_000]));
            ctx.close();
        }))) {
            SessionRecorder client = link.connect(CONV);
            client.session().write(link.text("question"));
            client.session().writeAndFlush(link.text("another"));
            link.settle();
            assertThat(client.messages()).singleElement().satisfies(answer -> assertThat(answer).hasSize(50_000));
            assertThat(link.accepted(0).session().isOpen()).isFalse();
            assertThat(link.accepted(0).session().closeCause()).isNull();
        }
    }

    @Test
    void closeInChannelActiveDeliversNothing() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onActive(ChannelHandlerContext::close))) {
            link.connect(CONV).session().writeAndFlush(link.text("hello"));
            link.advanceMs(1_000);
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.accepted(0).messages()).isEmpty();
            assertThat(link.server().stats().activeSessions()).isZero();
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).as("repetitions").isPositive();
        }
    }

    @Test
    void statisticsAreReadableAfterClose() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.writeAndFlush(link.bytes(10_000));
            session.close();
            link.settle();
            KcpSessionStats stats = session.collectStats().getNow();
            assertThat(stats.counters().bytesSent()).isEqualTo(10_005);
            assertThat(stats.unacknowledgedBytes()).isZero();
            assertThat(stats.waitingSegments()).isZero();
            assertThat(stats.remoteWindow()).isPositive();
            assertThat(link.client().stats().sessions().bytesSent()).as("kept by the listener").isEqualTo(10_005);
            assertThat(session.remoteAddress()).isEqualTo(EmbeddedLink.SERVER_ADDRESS);
            assertThat(session.toString()).contains("conv 7").contains("CLOSED");
        }
    }

    @Test
    void statisticsOfADeadSessionShowUnacknowledgedBytes() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            die(link, session);
            assertThat(session.collectStats().getNow().unacknowledgedBytes()).isEqualTo("unanswered".length());
            assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.unacknowledgedBytes()).isEqualTo("unanswered".length());
                assertThat(cause).hasMessageContaining("conv 7").hasMessageContaining("10 bytes were not acknowledged");
            });
        }
    }

    @Test
    void handlerExceptionAffectsOnlyItsOwnSession() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            if (text.equals("bad")) {
                throw new IllegalStateException("on purpose");
            }
        }))) {
            KcpChannel first = link.connect(1).session();
            KcpChannel second = link.connect(2).session();
            first.write(link.text("bad"));
            first.writeAndFlush(link.text("good"));
            second.writeAndFlush(link.text("good"));
            link.settle();
            assertThat(link.accepted(0).exceptions()).singleElement().isInstanceOf(IllegalStateException.class);
            assertThat(link.accepted(0).messages()).containsExactly("bad", "good");
            assertThat(link.accepted(1).messages()).containsExactly("good");
            assertThat(link.accepted(1).exceptions()).isEmpty();
            assertThat(first.acknowledged().isSuccess()).isTrue();
        }
    }
}
