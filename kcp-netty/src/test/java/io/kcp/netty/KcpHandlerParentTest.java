package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpHandlerParentTest {

    private static void assertClosedWithParent(SessionRecorder recorder) {
        assertThat(recorder.session().isOpen()).isFalse();
        assertThat(recorder.events()).endsWith("inactive", "unregistered");
        assertThat(recorder.exceptions()).isEmpty();
        assertThat(recorder.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PARENT_CLOSED));
    }

    @Test
    void closingTheParentClosesAllSessions() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<SessionRecorder> clients = List.of(link.establish(1), link.establish(2), link.establish(3));
            link.client().loseAll();
            ChannelFuture[] queued = new ChannelFuture[3];
            for (int i = 0; i < 3; i++) {
                clients.get(i).session().config().setOption(KcpChannelOption.SEND_WINDOW, 1);
                clients.get(i).session().writeAndFlush(link.text("in flight"));
                queued[i] = clients.get(i).session().writeAndFlush(link.text("queued"));
            }
            link.client().channel().close();
            assertThat(clients).allSatisfy(KcpHandlerParentTest::assertClosedWithParent);
            assertThat(queued).allSatisfy(write -> assertThat(write.cause()).isInstanceOf(KcpCloseException.class));
            assertThat(link.client().stats().activeSessions()).isZero();
        }
    }

    @Test
    void removingTheHandlerClosesItsSessionsOnly() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(1);
            client.session().writeAndFlush(link.text("never mind"));
            EmbeddedChannel channel = link.client().channel();
            channel.pipeline().remove(KcpHandler.class);
            channel.runPendingTasks();
            assertClosedWithParent(client);
            assertThat(channel.isOpen()).isTrue();
            link.advanceMs(3_000);
            assertThat(channel.runScheduledPendingTasks()).as("no task is left").isEqualTo(-1);
        }
    }

    @Test
    void handlerMayBeRemovedWithinABatch() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            if (text.equals("stop")) {
                ((KcpChannel) ctx.channel()).datagramChannel().pipeline().remove(KcpHandler.class);
            }
        }))) {
            KcpChannel first = link.establish(1).session();
            KcpChannel second = link.establish(2).session();
            first.writeAndFlush(link.text("stop"));
            second.writeAndFlush(link.text("more"));
            link.settle();
            link.accepted().forEach(KcpHandlerParentTest::assertClosedWithParent);
        }
    }

    @Test
    void parentMayBeClosedWithinABatch() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> new SessionRecorder().onRead((ctx, text) -> {
            if (text.equals("stop")) {
                ((KcpChannel) ctx.channel()).datagramChannel().close();
            }
        }))) {
            KcpChannel first = link.establish(1).session();
            KcpChannel second = link.establish(2).session();
            first.writeAndFlush(link.text("stop"));
            second.writeAndFlush(link.text("more"));
            link.settle();
            link.accepted().forEach(KcpHandlerParentTest::assertClosedWithParent);
        }
    }

    @Test
    void handlerBelongsToOneChannel() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            EmbeddedChannel other = new EmbeddedChannel();
            assertThatThrownBy(() -> {
                other.pipeline().addLast(link.client().handler());
                other.checkException();
            }).isInstanceOf(Exception.class);
            other.finishAndReleaseAll();
            assertThat(link.establish(1).session().isActive()).as("the first channel's sessions").isTrue();
        }
    }

    @Test
    void messagesOtherThanDatagramsAreForwarded() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.server().channel().writeInbound("not for us");
            assertThat((String) link.server().channel().readInbound()).isEqualTo("not for us");
        }
    }

    @Test
    void socketErrorIsCountedAndClosesNothing() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(1).session();
            link.client().channel().pipeline().fireExceptionCaught(new IOException("port unreachable"));
            assertThat(session.isOpen()).isTrue();
            assertThat(link.client().stats().socketErrors()).isEqualTo(1);
            link.client().channel().checkException();
        }
    }

    @Test
    void otherPipelineErrorsAreForwarded() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.client().channel().pipeline().fireExceptionCaught(new IllegalStateException("a bug"));
            assertThatThrownBy(() -> link.client().channel().checkException()).hasMessage("a bug");
        }
    }

    @Test
    void connectRejectsAConversationIdInUse() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(1).session();
            ChannelFuture second = link.client().handler().connect(EmbeddedLink.SERVER_ADDRESS, 1, new SessionRecorder());
            assertThat(second.cause()).isInstanceOf(IllegalStateException.class).hasMessageContaining("conv 1");
            assertThat(second.channel().isOpen()).isFalse();
            assertThat(second.channel().closeFuture().isSuccess()).isTrue();
            assertThat(session.isOpen()).isTrue();
            session.writeAndFlush(link.text("still here"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "still here");
        }
    }

    @Test
    void connectRequiresAResolvedAddress() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            assertThatThrownBy(() -> link.client().handler().connect(InetSocketAddress.createUnresolved("somewhere", 1), 1,
                new ChannelInboundHandlerAdapter())).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("remote");
        }
    }

    @Test
    void connectOnAClosedParentFails() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.client().channel().close();
            ChannelFuture connected = link.client().handler().connect(EmbeddedLink.SERVER_ADDRESS, 1, new SessionRecorder());
            assertThat(connected.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(connected.channel().closeFuture().isSuccess()).isTrue();
        }
    }

    @Test
    void sessionHasTheAddressesOfItsSocketAndPeer() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(0x80000001).session();
            assertThat(session.remoteAddress()).isEqualTo(EmbeddedLink.SERVER_ADDRESS);
            assertThat(session.localAddress()).isEqualTo(link.client().channel().localAddress());
            assertThat(session.parent()).isSameAs(link.client().channel());
            assertThat(session.datagramChannel()).isSameAs(link.client().channel());
            assertThat(session.conv()).isEqualTo(0x80000001);
            assertThat(session.toString()).contains("2147483649").contains("ACTIVE");
            assertThat(session.bind(EmbeddedLink.CLIENT_ADDRESS).cause()).isInstanceOf(UnsupportedOperationException.class);
            assertThat(session.connect(EmbeddedLink.CLIENT_ADDRESS).isSuccess()).isFalse();
        }
    }
}
