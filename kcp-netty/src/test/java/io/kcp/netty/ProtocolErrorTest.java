package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that repeatedly sends inconsistent message fragments is disconnected if its datagrams are authenticated. Otherwise the fragments
 * are ignored.
 */
@Timeout(60)
class ProtocolErrorTest {

    private static final int CONV = 7;
    private static final int VIOLATIONS = 256;

    private static EmbeddedLink encrypted(CryptoConfig crypto) {
        return EmbeddedLink.create(channel -> channel.pipeline().addLast(new CryptoCodec(crypto)),
            channel -> channel.pipeline().addLast(new CryptoCodec(crypto)));
    }

    private static CryptoConfig cipher(String name) {
        return CryptoConfig.of(name, new byte[16]);
    }

    /** Sends fragments of which each contradicts the previous one. The fragments are not sent by the session of the client. */
    private static void violate(EmbeddedLink link, SessionRecorder client, int times) {
        DefaultKcpChannel session = (DefaultKcpChannel) client.session();
        for (int i = 0; i <= times; i++) {
            // The first fragment is stored. Each later fragment should be the last fragment of its message, but its header announces
            // further fragments.
            WireSegment fragment = new WireSegment(CONV, SegmentHeader.CMD_PUSH, i == 0 ? 1 : 9, WireSegment.WINDOW, i,
                i == 0 ? 1 : 2, 0, "x");
            ByteBuf datagram = WireSegment.datagram(link.allocator(), fragment);
            ByteBuf sealed = link.client().host().writer().allocate(datagram.readableBytes());
            sealed.writeBytes(datagram);
            datagram.release();
            link.client().host().writer().write(sealed, session);
        }
        link.client().host().writer().flush();
        link.settle();
    }

    @Test
    void authenticatedPeerWithManyViolationsIsDisconnected() {
        try (EmbeddedLink link = encrypted(cipher("aes-128-gcm"))) {
            SessionRecorder client = link.establish(CONV);
            link.accepted(0).session().writeAndFlush(link.text("validates the peer"));
            link.settle();
            violate(link, client, VIOLATIONS - 1);
            link.advanceMs(10);
            assertThat(link.accepted(0).session().isActive()).isTrue();
            violate(link, client, 1);
            link.advanceMs(10);
            SessionRecorder server = link.accepted(0);
            assertThat(server.session().isOpen()).isFalse();
            KcpCloseException cause = (KcpCloseException) server.session().closeCause();
            assertThat(cause.reason()).isEqualTo(KcpCloseReason.PROTOCOL_ERROR);
            assertThat(server.exceptions()).containsExactly(cause);
            assertThat(link.server().stats().closed()).isEqualTo(Map.of(KcpCloseReason.PROTOCOL_ERROR, 1L));
        }
    }

    @Test
    void limitIsAnOption() {
        try (EmbeddedLink link = encrypted(cipher("aes-128-gcm"))) {
            SessionRecorder client = link.establish(CONV);
            DefaultKcpChannel session = (DefaultKcpChannel) link.accepted(0).session();
            session.config().setOption(KcpChannelOption.MAX_REFUSED_SEGMENTS, 0);
            violate(link, client, 10 * VIOLATIONS);
            link.advanceMs(1_000);
            assertThat(session.isActive()).as("no limit").isTrue();
            session.config().setOption(KcpChannelOption.MAX_REFUSED_SEGMENTS, 10 * VIOLATIONS);
            link.advanceMs(10);
            assertThat(session.isOpen()).as("the limit is exceeded").isFalse();
        }
    }

    @Test
    void fragmentsWithoutAuthenticationCloseNothing() {
        for (boolean plaintext : new boolean[] {true, false}) {
            try (EmbeddedLink link = plaintext ? EmbeddedLink.create() : encrypted(cipher("aes-128"))) {
                SessionRecorder client = link.establish(CONV);
                violate(link, client, 10 * VIOLATIONS);
                link.advanceMs(1_000);
                KcpChannel session = link.accepted(0).session();
                assertThat(session.isActive()).isTrue();
                assertThat(session.collectStats().getNow().counters().refusedSegments()).isEqualTo(10 * VIOLATIONS);
                session.config().setLingerMs(0);
            }
        }
    }
}
