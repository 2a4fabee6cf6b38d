package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpChannelCloseBecauseTest {

    private static final int CONV = 7;

    private final IllegalStateException mistake = new IllegalStateException("on purpose");

    private void assertFailed(KcpChannel session, long unacknowledgedBytes) {
        assertThat(session.isOpen()).isFalse();
        assertThat(session.closeCause()).hasCause(mistake).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
            assertThat(cause.reason()).isEqualTo(KcpCloseReason.APPLICATION_FAILED);
            assertThat(cause.unacknowledgedBytes()).isEqualTo(unacknowledgedBytes);
        });
    }

    @Test
    void failedSessionStillDeliversItsLastAnswer() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            ctx.writeAndFlush(ctx.alloc().buffer().writeBytes(new byte[50_000]));
            throw mistake;
        }).onException((ctx, cause) -> ((KcpChannel) ctx.channel()).closeBecause(cause)))) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("question"));
            link.settle();
            assertThat(client.messages()).singleElement().satisfies(answer -> assertThat(answer).hasSize(50_000));
            SessionRecorder server = link.accepted(0);
            assertFailed(server.session(), 0);
            assertThat(server.exceptions()).as("exceptions of the server session, without its own close").containsExactly(mistake);
            assertThat(link.server().stats().closed()).isEqualTo(Map.of(KcpCloseReason.APPLICATION_FAILED, 1L));
            assertThat(link.server().stats().closedByApplication()).isZero();
            assertThat(client.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_FAILED);
                assertThat(cause.peerReason()).isEqualTo(KcpCloseReason.APPLICATION_FAILED);
            });
        }
    }

    @Test
    void rejectedSessionIsCountedAsRejected() {
        KcpPeerRejectedException rejection = new KcpPeerRejectedException("the game is full");
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            ctx.writeAndFlush(ctx.alloc().buffer().writeBytes("full".getBytes(StandardCharsets.US_ASCII)));
            ((KcpChannel) ctx.channel()).closeBecause(rejection);
        }))) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("may I?"));
            link.settle();
            assertThat(client.messages()).containsExactly("full");
            assertThat(link.server().stats().closed()).isEqualTo(Map.of(KcpCloseReason.REJECTED, 1L));
            assertThat(link.accepted(0).exceptions()).isEmpty();
            assertThat(rejection.getStackTrace()).isEmpty();
        }
    }

    @Test
    void futureSucceedsAndLaterWritesFailWithTheCause() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            assertThat(session.closeBecause(mistake).isSuccess()).isTrue();
            assertFailed(session, 0);
            assertThat(session.writeAndFlush(link.text("late")).cause()).isInstanceOf(ClosedChannelException.class)
                .hasCause(session.closeCause());
            Throwable first = session.closeCause();
            assertThat(session.closeBecause(new IllegalStateException("too late")).isSuccess()).isTrue();
            assertThat(session.closeCause()).isSameAs(first);
        }
    }

    @Test
    void futureFailsIfDataIsUndeliveredAfterTheLingerTime() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            link.client().loseAll();
            client.session().writeAndFlush(link.text("lost"));
            ChannelFuture closed = client.session().closeBecause(mistake);
            ChannelFuture again = client.session().closeBecause(new IllegalStateException("another"));
            link.advanceMs(900);
            assertThat(closed.isDone()).isFalse();
            assertThat(client.session().closeCause()).as("open yet").isNull();
            link.advanceMs(5_000);
            assertFailed(client.session(), "lost".length());
            assertThat(closed.cause()).isSameAs(client.session().closeCause());
            assertThat(again.cause()).isSameAs(closed.cause());
            assertThat(client.exceptions()).isEmpty();
        }
    }

    @Test
    void closesImmediatelyWithoutLingerTime() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setLingerMs(0);
            link.client().loseAll();
            session.writeAndFlush(link.text("lost"));
            ChannelFuture closed = session.closeBecause(mistake);
            assertFailed(session, "lost".length());
            assertThat(closed.cause()).isSameAs(session.closeCause());
        }
    }

    @Test
    void failureDuringLingerIsReportedAlthoughTheCloseSucceeds() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.writeAndFlush(link.text("last"));
            ChannelFuture closed = session.close();
            ChannelFuture failed = session.closeBecause(mistake);
            assertThat(closed.isDone() || failed.isDone()).isFalse();
            link.settle();
            assertFailed(session, 0);
            assertThat(closed.isSuccess()).isTrue();
            assertThat(failed.isSuccess()).isTrue();
        }
    }

    @Test
    void failureRemainsTheReasonWhateverElseHappens() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder silent = link.establish(CONV);
            SessionRecorder orphan = link.establish(CONV + 1);
            link.client().loseAll();
            silent.session().config().setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 1_000);
            silent.session().writeAndFlush(link.text("lost"));
            orphan.session().writeAndFlush(link.text("lost"));
            ChannelFuture closed = silent.session().closeBecause(mistake);
            orphan.session().closeBecause(mistake);
            assertThat(link.advanceUntil(closed::isDone, 4_000)).as("before the linger time is over").isTrue();
            assertFailed(silent.session(), "lost".length());
            assertThat(closed.cause()).isSameAs(silent.session().closeCause());
            link.client().channel().close();
            assertFailed(orphan.session(), "lost".length());
            assertThat(silent.exceptions()).isEmpty();
            assertThat(orphan.exceptions()).isEmpty();
        }
    }

    @Test
    void closeReasonIsKeptIfTheExceptionHandlerCloses() {
        SessionRecorder client = new SessionRecorder().onException((ctx, cause) -> ((KcpChannel) ctx.channel()).closeBecause(cause));
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.connect(CONV, client);
            link.client().loseAll();
            client.session().writeAndFlush(link.text("unanswered"));
            assertThat(link.advanceUntil(() -> !client.session().isOpen(), 31_000)).isTrue();
            assertThat(client.session().closeCause()).isSameAs(client.exceptions().get(0)).hasNoCause()
                .isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT));
        }
    }

    @Test
    void receivedDataIsAcknowledgedSoThatThePeerCanClose() {
        try (EmbeddedLink link = EmbeddedLink.create(
            () -> new SessionRecorder().onRead((ctx, text) -> ((KcpChannel) ctx.channel()).closeBecause(mistake)))) {
            KcpChannel client = link.connect(CONV).session();
            client.writeAndFlush(link.text("goodbye"));
            ChannelFuture closed = client.close();
            link.settle();
            assertFailed(link.accepted(0).session(), 0);
            assertThat(closed.isSuccess()).as("without waiting for the linger time").isTrue();
        }
    }

    @Test
    void nullFailureIsRejected() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            assertThatThrownBy(() -> session.closeBecause(null)).isInstanceOf(NullPointerException.class).hasMessage("failure");
            assertThat(session.isOpen()).isTrue();
        }
    }
}
