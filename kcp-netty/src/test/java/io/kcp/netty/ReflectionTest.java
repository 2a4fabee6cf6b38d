package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An attacker on the path sends a client's own datagrams back to it. The attacker has neither the key nor a server. */
@Timeout(60)
class ReflectionTest {

    private static final int CONV = 23;
    private static final int MESSAGES = 3;
    private static final int STEP_MS = 10;

    private static Consumer<Channel> crypto(CryptoConfig config) {
        return channel -> channel.pipeline()
            .addLast(new CryptoCodec(config, new DecryptionFailureLog(line -> { }))).addLast(new FecCodec(null));
    }

    /** Returns a link of which only the client is used. */
    private static EmbeddedLink link(CryptoConfig config) {
        return EmbeddedLink.create(crypto(config), crypto(config));
    }

    /** Returns all ciphers except cast5, which needs a library that is not on this module's class path. */
    static Stream<String> sealingCiphers() {
        return CryptoConfig.names().stream().filter(name -> !name.equals("null") && !name.equals("cast5"));
    }

    /** Repeatedly reflects the datagrams of an end to it, with the peer's address as the source, while time passes. */
    private static int reflect(EmbeddedLink link, EmbeddedLink.End end, long ms) {
        int reflected = 0;
        for (long passed = 0; passed < ms; passed += STEP_MS) {
            link.passMs(STEP_MS);
            end.channel().runScheduledPendingTasks();
            List<ByteBuf> datagrams = end.take();
            reflected += datagrams.size();
            if (!datagrams.isEmpty()) {
                end.receive(EmbeddedLink.SERVER_ADDRESS, datagrams.toArray(new ByteBuf[0]));
            }
        }
        return reflected;
    }

    @ParameterizedTest
    @MethodSource("sealingCiphers")
    void reflectedDatagramsAreNotAcceptedAsThePeers(String cipher) {
        try (EmbeddedLink link = link(CryptoConfig.kcptun(cipher, "k"))) {
            SessionRecorder client = link.connect(CONV);
            for (int i = 0; i < MESSAGES; i++) {
                client.session().writeAndFlush(link.text("mine" + i));
            }
            ChannelFuture acknowledged = client.session().acknowledged();
            int reflected = reflect(link, link.client(), 2_000);
            assertThat(client.messages()).isEmpty();
            assertThat(acknowledged.isDone()).isFalse();
            ChannelFuture closed = client.session().close();
            reflected += reflect(link, link.client(), 20_000);
            assertThat(reflected).isGreaterThan(MESSAGES);
            assertThat(client.messages()).isEmpty();
            assertThat(acknowledged.isDone()).isTrue();
            assertThat(acknowledged.isSuccess()).isFalse();
            assertThat(closed.cause()).isInstanceOf(KcpCloseException.class);
            assertThat(link.client().dropped(DropReason.REFLECTED)).isEqualTo(reflected);
            assertThat(link.client().dropped(DropReason.DECRYPTION_FAILED)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"aes-128-gcm", "chacha20-poly1305", "aes", "3des", "salsa20", "none"})
    void reflectionDoesNotAffectASessionWithALivePeer(String cipher) {
        try (EmbeddedLink link = link(CryptoConfig.kcptun(cipher, "k"))) {
            SessionRecorder client = link.establish(CONV);
            SessionRecorder server = link.accepted(0);
            List<ByteBuf> copies = new ArrayList<>();
            link.client().lose(datagram -> !copies.add(datagram.copy()));
            link.server().lose(datagram -> !copies.add(datagram.copy()));
            for (int i = 0; i < MESSAGES; i++) {
                client.session().writeAndFlush(link.text("up" + i));
                server.session().writeAndFlush(link.text("down" + i));
                link.settle();
                // Every datagram is delivered to both ends once more, as a replay to one and as a reflection to the other.
                for (ByteBuf copy : copies) {
                    link.client().receive(EmbeddedLink.SERVER_ADDRESS, copy.copy());
                    link.server().receive(EmbeddedLink.CLIENT_ADDRESS, copy);
                }
                copies.clear();
                link.client().lose(datagram -> false);
                link.server().lose(datagram -> false);
                link.advanceMs(200);
                link.client().lose(datagram -> !copies.add(datagram.copy()));
                link.server().lose(datagram -> !copies.add(datagram.copy()));
            }
            copies.forEach(ByteBuf::release);
            assertThat(server.messages()).containsExactly("hello", "up0", "up1", "up2");
            assertThat(client.messages()).containsExactly("down0", "down1", "down2");
            assertThat(link.client().dropped(DropReason.REFLECTED)).isPositive();
            assertThat(link.server().dropped(DropReason.REFLECTED)).isPositive();
        }
    }

    @Test
    void reflectionIsDetectedUnderEveryRotatedKey() {
        CryptoConfig old = CryptoConfig.kcptun("aes", "old");
        CryptoConfig fresh = CryptoConfig.kcptun("aes-128-gcm", "new");
        for (CryptoConfig config : List.of(fresh.alsoOpening(old), old.alsoOpening(fresh))) {
            try (EmbeddedLink link = link(config)) {
                SessionRecorder client = link.connect(CONV);
                client.session().writeAndFlush(link.text("mine"));
                int reflected = reflect(link, link.client(), 5_000);
                assertThat(client.messages()).isEmpty();
                assertThat(link.client().dropped(DropReason.REFLECTED)).isEqualTo(reflected).isPositive();
            }
        }
    }

    @Test
    void serverDetectsReflectedAnswersUnderAnOldKey() {
        CryptoConfig old = CryptoConfig.kcptun("aes", "old");
        CryptoConfig rotating = CryptoConfig.kcptun("aes-128-gcm", "new").alsoOpening(old);
        try (EmbeddedLink link = EmbeddedLink.create(crypto(rotating), crypto(old))) {
            link.establish(CONV);
            SessionRecorder server = link.accepted(0);
            link.server().lose(datagram -> {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram.copy());
                return false;
            });
            server.session().writeAndFlush(link.text("answer"));
            link.settle();
            assertThat(server.messages()).containsExactly("hello");
            assertThat(link.server().dropped(DropReason.REFLECTED)).isPositive();
        }
    }

    /** A known limit: without a cipher, a session's own datagrams cannot be distinguished from those of its peer. */
    @Test
    void reflectionIsNotDetectedWithoutACipher() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("mine"));
            reflect(link, link.client(), 5_000);
            assertThat(client.messages()).containsExactly("mine");
        }
    }

    /** A known limit: the nonce of a malleable cipher can be changed, so only verbatim copies are recognised. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "xor", "salsa20", "3des", "tea"})
    void changedNonceOfAMalleableCipherHidesReflection(String cipher) {
        try (EmbeddedLink link = link(CryptoConfig.kcptun(cipher, "k"))) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("mine"));
            for (ByteBuf datagram : link.client().take()) {
                changeNonce(datagram, cipher);
                link.client().receive(EmbeddedLink.SERVER_ADDRESS, datagram);
            }
            assertThat(client.messages()).containsExactly("mine");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes", "aes-128", "aes-192", "sm4", "twofish"})
    @Tag("slow")
    void changedNonceOfOtherCiphersFailsDecryption(String cipher) {
        for (int bit = 0; bit < Byte.SIZE * 12; bit++) {
            try (EmbeddedLink link = link(CryptoConfig.kcptun(cipher, "k"))) {
                SessionRecorder client = link.connect(CONV);
                client.session().writeAndFlush(link.text("mine"));
                for (ByteBuf datagram : link.client().take()) {
                    int index = datagram.readerIndex() + bit / Byte.SIZE;
                    datagram.setByte(index, datagram.getByte(index) ^ 1 << bit % Byte.SIZE);
                    link.client().receive(EmbeddedLink.SERVER_ADDRESS, datagram);
                }
                assertThat(client.messages()).as("bit %d", bit).isEmpty();
                assertThat(link.client().dropped(DropReason.DECRYPTION_FAILED)).isPositive();
            }
        }
    }

    /** Changes a nonce byte that leaves the payload intact: salsa20 uses only 8 bytes, and 8-byte blocks garble only the next block. */
    private static void changeNonce(ByteBuf datagram, String cipher) {
        int index = datagram.readerIndex() + (cipher.equals("salsa20") ? 8 : 0);
        datagram.setByte(index, datagram.getByte(index) ^ 1);
    }
}
