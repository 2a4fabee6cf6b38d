package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.loop.LoopContext;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actions of a handler that is being notified of a failure neither repeat the notification nor keep the session open. */
@Timeout(60)
class SessionEndTest {

    private static final int CONV = 7;
    private static final int FORGED = 200;
    private static final int ANSWER_BYTES = 2_000;

    /** Makes a session write far more than its share of scarce memory, which closes it. */
    private static void overdraw(EmbeddedLink link, KcpChannel session) {
        LoopContext loop = link.server().host().loop();
        loop.nowMs();
        loop.memoryLimit().setMaxHeldBytes(1 << 20);
        link.client().loseAll();
        for (int i = 0; i < 4_000 && session.isActive(); i++) {
            session.writeAndFlush(link.bytes(1_000));
        }
    }

    private static SessionRecorder closeByOverdraft(EmbeddedLink link, BiConsumer<ChannelHandlerContext, Throwable> onException) {
        link.establish(CONV);
        SessionRecorder server = link.accepted(0).onException(onException);
        overdraw(link, server.session());
        return server;
    }

    private static void assertFailedOnce(EmbeddedLink link, SessionRecorder recorder) {
        link.settle();
        assertThat(recorder.exceptions()).containsExactly(recorder.session().closeCause());
        assertThat(recorder.session().isOpen()).isFalse();
        assertThat(recorder.events()).endsWith("inactive", "unregistered");
        assertThat(link.server().stats().activeSessions()).isZero();
        assertThat(link.server().stats().closed()).containsOnlyKeys(KcpCloseReason.FAILED);
    }

    @Test
    void exceptionHandlerThatWritesIsCalledOnce() {
        List<ChannelFuture> answers = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder server = closeByOverdraft(link, (ctx, cause) -> answers.add(
                ctx.writeAndFlush(ctx.alloc().buffer().writeZero(ANSWER_BYTES)).addListener(ChannelFutureListener.CLOSE)));
            assertFailedOnce(link, server);
            assertThat(answers).singleElement().satisfies(answer -> assertThat(answer.cause())
                .isInstanceOf(ClosedChannelException.class).hasCause(server.session().closeCause()));
        }
    }

    @Test
    void writingExceptionHandlerDoesNotKeepTheSessionOpen() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder server = closeByOverdraft(link,
                (ctx, cause) -> ctx.writeAndFlush(ctx.alloc().buffer().writeZero(ANSWER_BYTES)));
            assertFailedOnce(link, server);
        }
    }

    @Test
    void exceptionHandlerThatReadsIsCalledOnce() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            SessionRecorder server = link.accepted(0).onException((ctx, cause) -> ctx.read());
            server.session().config().setAutoRead(false);
            server.session().read();
            client.session().writeAndFlush(link.text("first"));
            client.session().writeAndFlush(link.bytes(10_000));
            link.settle();
            link.failing().failAfter(0, 100);
            server.session().read();
            assertThat(link.failing().stopFailing()).as("failures left").isLessThan(100);
            assertFailedOnce(link, server);
            assertThat(server.messages()).containsExactly("hello", "first");
        }
    }

    @Test
    void flushInExceptionHandlerDoesNotChangeTheCloseReason() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV, new SessionRecorder().onException((ctx, cause) -> {
                link.passMs(60_000);
                ctx.flush();
            }));
            client.session().config().setLingerMs(40_000);
            link.client().loseAll();
            client.session().config().setOption(KcpChannelOption.MAX_TRANSMISSIONS, 3);
            client.session().writeAndFlush(link.text("lost"));
            ChannelFuture closed = client.session().close();
            assertThat(link.advanceUntil(closed::isDone, 40_000)).isTrue();
            assertThat(client.exceptions()).containsExactly(client.session().closeCause());
            assertThat(client.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.TRANSMISSIONS_EXHAUSTED));
            assertThat(closed.cause()).isSameAs(client.session().closeCause());
        }
    }

    @Test
    void sessionIsClosingWhileItsHandlerIsNotified() {
        List<Boolean> states = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder server = closeByOverdraft(link, (ctx, cause) -> {
                states.add(((KcpChannel) ctx.channel()).isClosing());
                states.add(ctx.channel().isActive());
            });
            assertFailedOnce(link, server);
            assertThat(states).containsExactly(true, true);
        }
    }

    private static EmbeddedLink answering() {
        return EmbeddedLink.create(server -> server.maxSessionsPerAddress(1_000),
            () -> new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'))));
    }

    private static void openFromForgedAddresses(EmbeddedLink link, WireSegment opener) {
        link.server().loseAll();
        for (int i = 0; i < FORGED; i++) {
            link.server().receive(new InetSocketAddress("192.0.2.1", 1_000 + i), opener);
        }
        link.advanceMs(300_000);
        assertThat(link.accepted()).hasSize(FORGED).allMatch(session -> !session.session().isOpen());
        assertThat(link.accepted()).allSatisfy(session -> assertThat(session.exceptions()).isEmpty());
    }

    @Test
    void forgedSessionsCloseWithoutException() {
        try (EmbeddedLink link = answering()) {
            openFromForgedAddresses(link, WireSegment.push(CONV, 0, 0, "x"));
            assertThat(link.server().stats().closed()).containsExactly(Map.entry(KcpCloseReason.PEER_TIMEOUT, (long) FORGED));
            assertThat(link.accepted(0).session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.unacknowledgedBytes()).isEqualTo(1));
        }
    }

    @Test
    void forgedSessionsWithAClosedWindowCloseWithoutException() {
        try (EmbeddedLink link = answering()) {
            openFromForgedAddresses(link, new WireSegment(CONV, SegmentHeader.CMD_PUSH, 0, 0, 0, 0, 0, "x"));
        }
    }

    @Test
    void forgedSessionsBeyondTheTransmissionLimitCloseWithoutException() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.maxSessionsPerAddress(1_000).amplificationLimit(false).childOption(KcpChannelOption.MAX_TRANSMISSIONS, 3),
            () -> new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'))))) {
            openFromForgedAddresses(link, WireSegment.push(CONV, 0, 0, "x"));
            assertThat(link.server().stats().closed()).containsOnlyKeys(KcpCloseReason.TRANSMISSIONS_EXHAUSTED);
        }
    }

    @Test
    void validatedSessionIsNotifiedOfItsFailure() {
        try (EmbeddedLink link = answering()) {
            link.establish(CONV);
            SessionRecorder server = link.accepted(0);
            link.server().loseAll();
            link.client().loseAll();
            server.session().writeAndFlush(link.text("lost"));
            assertThat(link.advanceUntil(() -> !server.session().isOpen(), 60_000)).isTrue();
            assertThat(server.exceptions()).containsExactly(server.session().closeCause());
        }
    }
}
