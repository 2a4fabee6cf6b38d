package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.netty.channel.ChannelOption;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer cannot keep an accepted session open without ever sending a complete message. */
@Timeout(60)
class FirstMessageTimeoutTest {

    private static final int CONV = 7;

    /** Returns one fragment of a message that never becomes complete. */
    private static WireSegment fragment(int sn) {
        return new WireSegment(CONV, SegmentHeader.CMD_PUSH, 100 - sn, WireSegment.WINDOW, sn, sn, 0, "x");
    }

    /** Sends one fragment of an incomplete message per second, which keeps the session active. */
    private static void trickle(EmbeddedLink link, int seconds) {
        for (int sn = 0; sn < seconds; sn++) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, fragment(sn));
            link.advanceMs(1_000);
        }
    }

    private static EmbeddedLink create(Consumer<KcpHandlerBuilder> settings) {
        EmbeddedLink link = EmbeddedLink.create(settings, SessionRecorder::new);
        link.server().loseAll();
        return link;
    }

    @Test
    void trickledMessageDoesNotKeepTheSessionOpen() {
        try (EmbeddedLink link = create(server -> { })) {
            trickle(link, 9);
            SessionRecorder server = link.accepted(0);
            assertThat(server.session().isActive()).isTrue();
            link.advanceMs(3_000);
            assertThat(server.session().isOpen()).isFalse();
            assertThat(((KcpCloseException) server.session().closeCause()).reason()).isEqualTo(KcpCloseReason.FIRST_MESSAGE_TIMEOUT);
            assertThat(server.exceptions()).as("a flood of such peers would fill the log").isEmpty();
            assertThat(link.server().stats().closed()).isEqualTo(Map.of(KcpCloseReason.FIRST_MESSAGE_TIMEOUT, 1L));
        }
    }

    @Test
    void emptyStreamSegmentsDoNotCountAsAMessage() {
        try (EmbeddedLink link = create(server -> server.childOption(KcpChannelOption.MODE, KcpTransferMode.STREAM))) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, ""));
            link.advanceMs(12_000);
            assertThat(link.accepted(0).session().isOpen()).isFalse();
        }
    }

    @Test
    void firstMessageEndsTheTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            link.advanceMs(30_000);
            assertThat(link.accepted(0).session().isActive()).isTrue();
            assertThat(client.session().isActive()).isTrue();
        }
    }

    @Test
    void unreadFirstMessageCountsAsReceived() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.AUTO_READ, false), SessionRecorder::new)) {
            link.establish(CONV);
            link.advanceMs(30_000);
            assertThat(link.accepted(0).session().isActive()).isTrue();
        }
    }

    @Test
    void sessionsThatThisSideOpenedHaveNoFirstMessageTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            link.advanceMs(20_000);
            assertThat(client.session().isActive()).as("the server has never sent a message").isTrue();
        }
    }

    @Test
    void disabledTimeoutClosesNothing() {
        try (EmbeddedLink link = create(server -> server.childOption(KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, 0))) {
            trickle(link, 40);
            assertThat(link.accepted(0).session().isActive()).isTrue();
            link.accepted(0).session().config().setLingerMs(0);
        }
    }
}
