package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.DropReason;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DecryptionFailureLogTest {

    private static final int CONV = 24;
    private static final int FLOOD = 10_000;

    private final List<String> lines = new ArrayList<>();
    private final DecryptionFailureLog log = new DecryptionFailureLog(lines::add);

    private Consumer<Channel> crypto(CryptoConfig config) {
        return channel -> channel.pipeline().addLast(new CryptoCodec(config, log)).addLast(new FecCodec(null));
    }

    private static CryptoConfig key(String password) {
        return CryptoConfig.kcptun("aes-128-gcm", password);
    }

    /** Delivers datagrams that cannot be decrypted, each from a different port. */
    private static void flood(EmbeddedLink link, EmbeddedLink.End end) {
        for (int i = 0; i < FLOOD; i++) {
            ByteBuf garbage = link.allocator().directBuffer(60).writeZero(60);
            end.receive(new InetSocketAddress("192.0.2.66", 1 + i), garbage);
        }
    }

    @Test
    void wrongKeyIsLoggedWithPeerAndCauses() {
        try (EmbeddedLink link = EmbeddedLink.create(crypto(key("secret-1").alsoOpening(CryptoConfig.kcptun("aes", "secret-2"))),
            crypto(key("secret-3")))) {
            link.connect(CONV).session().writeAndFlush(link.text("hello"));
            link.advanceMs(5_000);
            assertThat(link.server().dropped(DropReason.DECRYPTION_FAILED)).isGreaterThan(1);
            assertThat(lines).singleElement().asString().contains("10.0.0.2:5000", "aes-128-gcm or aes", "another key", "DECRYPTION_FAILED")
                .doesNotContain("secret");
        }
    }

    @Test
    void floodLogsOneLinePerMinute() {
        try (EmbeddedLink link = EmbeddedLink.create(crypto(key("k")), crypto(key("k")))) {
            flood(link, link.server());
            assertThat(lines).hasSize(1);
            link.passMs(TimeUnit.SECONDS.toMillis(60) - 1);
            flood(link, link.server());
            assertThat(lines).hasSize(1);
            link.passMs(1);
            flood(link, link.server());
            assertThat(lines).hasSize(2);
            assertThat(link.server().dropped(DropReason.DECRYPTION_FAILED)).isEqualTo(3 * FLOOD);
        }
    }

    @Test
    void socketsOfAListenerShareTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(crypto(key("k")), crypto(key("k")))) {
            flood(link, link.server());
            flood(link, link.client());
            assertThat(lines).hasSize(1);
        }
    }

    @Test
    void validDatagramsAndReflectionsAreNotLogged() {
        try (EmbeddedLink link = EmbeddedLink.create(crypto(key("k")), crypto(key("k")))) {
            SessionRecorder client = link.establish(CONV);
            link.client().lose(datagram -> {
                link.client().receive(EmbeddedLink.SERVER_ADDRESS, datagram.copy());
                return false;
            });
            client.session().writeAndFlush(link.text("more"));
            link.settle();
            assertThat(link.client().dropped(DropReason.REFLECTED)).isPositive();
            assertThat(lines).isEmpty();
        }
    }
}
