package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An attacker has recorded the datagrams of a peer, encrypted or plain, and replays them after the peer is gone. */
@Timeout(60)
class ReplayedDatagramTest {

    private static final int CONV = 7;
    /** 25 s until the keepalive probe, 30 s without a response, and the granularity of both timers. */
    private static final int GONE_AFTER_SECONDS = 62;

    private final List<byte[]> recorded = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"null, 1", "null, 1000", "aes-128-gcm, 1", "aes-128-gcm, 1000", "aes-128, 1000"})
    void replaysDoNotKeepADeadSessionAlive(String cipher, int rotation) {
        try (EmbeddedLink link = EmbeddedLink.create(below(cipher), below(cipher))) {
            SessionRecorder client = converse(link, rotation);
            link.client().loseAll();
            link.server().loseAll();
            int seconds = 0;
            for (; seconds < 200 && client.session().isActive(); seconds++) {
                replay(link, recorded.get(recorded.size() - rotation + seconds % rotation));
                link.advanceMs(1_000);
            }
            assertThat(seconds).isLessThan(GONE_AFTER_SECONDS);
            assertThat(((KcpCloseException) client.session().closeCause()).reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "aes-128-gcm"})
    void replaysDoNotCloseALiveSession(String cipher) {
        try (EmbeddedLink link = EmbeddedLink.create(below(cipher), below(cipher))) {
            SessionRecorder client = converse(link, 100);
            for (int second = 0; second < 300; second++) {
                replay(link, recorded.get(second % 100));
                link.advanceMs(1_000);
            }
            assertThat(client.session().isActive()).isTrue();
            client.session().writeAndFlush(link.text("still here"));
            link.settle();
            assertThat(link.accepted(0).messages()).endsWith("still here");
        }
    }

    /** Exchanges messages, probes and responses until {@code datagrams} datagrams of the server have been recorded. */
    private SessionRecorder converse(EmbeddedLink link, int datagrams) {
        SessionRecorder client = link.establish(CONV);
        KcpChannel server = link.accepted(0).session();
        client.session().config().setKeepaliveMs(1_000);
        server.config().setKeepaliveMs(2_000);
        link.server().lose(datagram -> {
            recorded.add(ByteBufUtil.getBytes(datagram));
            return false;
        });
        for (int i = 0; recorded.size() < Math.max(datagrams, 20); i++) {
            if (i % 3 == 0) {
                client.session().writeAndFlush(link.text("question " + i));
                server.writeAndFlush(link.text("answer " + i));
            }
            link.advanceMs(2_000);
        }
        link.server().loseNothing();
        client.session().config().setKeepaliveMs(25_000);
        server.config().setKeepaliveMs(25_000);
        return client;
    }

    private static void replay(EmbeddedLink link, byte[] datagram) {
        ByteBuf copy = link.allocator().directBuffer(datagram.length).writeBytes(datagram);
        link.client().receive(EmbeddedLink.SERVER_ADDRESS, copy);
    }

    private static Consumer<Channel> below(String cipher) {
        return channel -> {
            if (!cipher.equals("null")) {
                channel.pipeline().addLast(new CryptoCodec(CryptoConfig.kcptun(cipher, "a password")));
            }
        };
    }
}
