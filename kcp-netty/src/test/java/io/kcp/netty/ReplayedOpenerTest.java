package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.internal.admission.Tombstones;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An attacker that has recorded datagrams but does not have the key cannot open a session with them. */
@Timeout(60)
class ReplayedOpenerTest {

    private static final int CONV = 31;
    private static final CryptoConfig CRYPTO = CryptoConfig.kcptun("aes-128-gcm", "k");
    private static final Consumer<Channel> BELOW =
        channel -> channel.pipeline().addLast(new CryptoCodec(CRYPTO)).addLast(new FecCodec(null));

    private static EmbeddedLink link(boolean protectedFromReplay) {
        return EmbeddedLink.create(builder -> { }, SessionRecorder::new, protectedFromReplay, BELOW, BELOW);
    }

    /** Lets a client send three messages and returns the datagrams that carried them. */
    private static List<byte[]> record(EmbeddedLink link) {
        List<byte[]> recorded = new ArrayList<>();
        link.client().lose(datagram -> {
            recorded.add(ByteBufUtil.getBytes(datagram));
            return false;
        });
        SessionRecorder client = link.connect(CONV);
        for (int i = 0; i < 3; i++) {
            client.session().writeAndFlush(link.text("transfer 100 EUR"));
        }
        link.settle();
        link.client().loseNothing();
        assertThat(link.accepted(0).messages()).hasSize(3);
        return recorded;
    }

    private static void replay(EmbeddedLink link, InetSocketAddress from, List<byte[]> recorded) {
        for (byte[] bytes : recorded) {
            ByteBuf datagram = link.allocator().directBuffer().writeBytes(bytes);
            link.server().receive(from, datagram);
        }
    }

    @Test
    void replaysFromOtherAddressesOpenNothing() {
        try (EmbeddedLink link = link(true)) {
            List<byte[]> recorded = record(link);
            for (int port = 1; port <= 3; port++) {
                replay(link, new InetSocketAddress("192.0.2.66", port), recorded);
            }
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.server().dropped(DropReason.REPLAYED)).as("one of them opens a session").isEqualTo(3);
        }
    }

    @Test
    void replaysOpenNothingForFortySeconds() {
        try (EmbeddedLink link = link(true)) {
            List<byte[]> recorded = record(link);
            for (int second = 0; second < 40; second++) {
                replay(link, new InetSocketAddress("192.0.2.66", 1_000 + second), recorded);
                link.advanceMs(1_000);
            }
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.server().dropped(DropReason.REPLAYED)).isEqualTo(40);
        }
    }

    @Test
    void replaysOpenASessionWithoutTheFilter() {
        try (EmbeddedLink link = link(false)) {
            List<byte[]> recorded = record(link);
            replay(link, new InetSocketAddress("192.0.2.66", 1), recorded);
            assertThat(link.accepted()).hasSize(2);
            assertThat(link.accepted(1).messages()).contains("transfer 100 EUR");
        }
    }

    @Test
    void replaysFromTheSameAddressOpenNothingAfterClose() {
        try (EmbeddedLink link = link(true)) {
            List<byte[]> recorded = record(link);
            link.accepted(0).session().close();
            link.advanceMs(1_000);
            replay(link, EmbeddedLink.CLIENT_ADDRESS, recorded);
            link.advanceMs(Tombstones.LIFETIME_MS + 1_000);
            replay(link, EmbeddedLink.CLIENT_ADDRESS, recorded);
            assertThat(link.accepted()).hasSize(1);
        }
    }

    @Test
    void sameClientMayReconnect() {
        try (EmbeddedLink link = link(true)) {
            record(link);
            SessionRecorder again = link.connect(CONV + 1);
            again.session().writeAndFlush(link.text("again"));
            link.settle();
            assertThat(link.accepted(1).messages()).containsExactly("again");
            assertThat(link.server().dropped(DropReason.REPLAYED)).isZero();
        }
    }

    @Test
    void duplicatedDatagramsAreHarmless() {
        try (EmbeddedLink link = link(true)) {
            List<byte[]> recorded = record(link);
            replay(link, EmbeddedLink.CLIENT_ADDRESS, recorded);
            link.settle();
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.accepted(0).messages()).hasSize(3);
            assertThat(link.server().dropped(DropReason.REPLAYED)).isZero();
        }
    }
}
