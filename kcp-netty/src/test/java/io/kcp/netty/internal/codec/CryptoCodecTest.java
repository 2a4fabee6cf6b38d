package io.kcp.netty.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.DropReason;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.ForeignDatagramHandler;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.loop.LoopContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("jdk")
class CryptoCodecTest {

    private static final int CONV = 21;
    private static final DecryptionFailureLog SILENT = new DecryptionFailureLog(line -> { });
    private static final InetSocketAddress UNKNOWN_PEER = new InetSocketAddress("192.0.2.66", 666);
    private static final InetSocketAddress OTHER_CLIENT = new InetSocketAddress("10.0.0.3", 5_001);

    private static Consumer<Channel> crypto(CryptoConfig config) {
        return channel -> channel.pipeline().addLast(new CryptoCodec(config, SILENT)).addLast(new FecCodec(null));
    }

    private static CryptoConfig config(String cipher, String password) {
        return CryptoConfig.kcptun(cipher, password);
    }

    /** Adds the codecs below a KcpHandler. The cipher "null" adds no crypto codec, and a null shape adds a FEC codec without parity. */
    private static Consumer<Channel> below(String cipher, String password, @Nullable FecShape shape) {
        return channel -> {
            if (!cipher.equals("null")) {
                channel.pipeline().addLast(new CryptoCodec(config(cipher, password), SILENT));
            }
            channel.pipeline().addLast(new FecCodec(shape == null ? null : FecConfig.of(shape)));
        };
    }

    /** Returns all ciphers except cast5, which needs BouncyCastle, an optional dependency that is not on this module's class path. */
    static Stream<String> ciphersWithoutBouncyCastle() {
        return CryptoConfig.names().stream().filter(name -> !name.equals("null") && !name.equals("cast5"));
    }

    @Test
    void classPathHasNoBouncyCastle() {
        assertThatThrownBy(() -> Class.forName("org.bouncycastle.crypto.engines.CAST5Engine")).isInstanceOf(ClassNotFoundException.class);
        assertThatThrownBy(() -> config("cast5", "k")).isInstanceOf(IllegalStateException.class).hasMessageContaining("bcprov-jdk18on");
    }

    @ParameterizedTest
    @MethodSource("ciphersWithoutBouncyCastle")
    void everyCipherCarriesASession(String cipher) {
        try (EmbeddedLink link = EmbeddedLink.create(crypto(config(cipher, "k")), crypto(config(cipher, "k")))) {
            SessionRecorder client = link.establish(CONV);
            client.session().writeAndFlush(link.bytes(100_000));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "x".repeat(100_000));
            assertThat(link.server().stats().dropped()).isEmpty();
            assertThat(link.client().stats().dropped()).isEmpty();
        }
    }

    @Test
    void datagramsAreEncryptedAndWithinTheMtu() {
        CryptoConfig config = config("aes-128-gcm", "k");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(config), crypto(config))) {
            SessionRecorder client = link.establish(CONV);
            List<String> wire = new ArrayList<>();
            link.client().lose(datagram -> {
                wire.add(datagram.toString(StandardCharsets.ISO_8859_1));
                return false;
            });
            client.session().writeAndFlush(link.text("secret ".repeat(2_000)));
            link.settle();
            assertThat(wire).hasSizeGreaterThan(10).noneMatch(datagram -> datagram.contains("secret"))
                .allMatch(datagram -> datagram.length() <= 1_400).anyMatch(datagram -> datagram.length() == 1_400);
        }
    }

    @Test
    void retransmissionsNeverRepeatCiphertext() {
        CryptoConfig config = config("aes", "k");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(config), crypto(config))) {
            SessionRecorder client = link.connect(CONV);
            List<String> wire = new ArrayList<>();
            link.client().lose(datagram -> wire.add(datagram.toString(StandardCharsets.ISO_8859_1)));
            client.session().writeAndFlush(link.text("hello"));
            link.advanceMs(3_000);
            assertThat(wire).hasSizeGreaterThan(3).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "aes-128-gcm, a, aes-128-gcm, b", "aes, a, aes, b", "salsa20, a, salsa20, b", "xor, a, xor, b",
        "aes-128-gcm, a, aes, a", "aes, a, aes-128, a", "aes, a, null, -", "null, -, aes, a", "salsa20, a, none, a",
        "aes-128-gcm, a, null, -", "null, -, aes-128-gcm, a", "none, a, null, -", "xor, a, aes-128-gcm, a"})
    void datagramsOfAnotherKeyOrCipherAreCountedAndHarmless(String serverCipher, String serverKey, String clientCipher,
        String clientKey) {
        FecShape shape = new FecShape(3, 2);
        try (EmbeddedLink link = EmbeddedLink.create(below(serverCipher, serverKey, null), below(clientCipher, clientKey, shape));
            EmbeddedLink good = EmbeddedLink.create(channel -> {
            }, below(serverCipher, serverKey, shape))) {
            // The second link only serves to create valid datagrams for the server of the first link.
            SessionRecorder neighbour = good.connect(CONV + 1);
            SessionRecorder wrong = link.connect(CONV);
            for (int i = 0; i < 10; i++) {
                neighbour.session().writeAndFlush(good.text("good" + i));
                wrong.session().writeAndFlush(link.text("wrong" + i));
                link.settle();
                for (ByteBuf datagram : good.client().take()) {
                    link.server().receive(OTHER_CLIENT, datagram);
                }
            }
            link.advanceMs(3_000);
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.accepted(0).messages()).hasSize(10).endsWith("good9");
            assertThat(link.accepted(0).exceptions()).isEmpty();
            assertThat(link.accepted(0).session().isActive()).isTrue();
            DropReason reason = serverCipher.equals("null") ? DropReason.NOT_KCP : DropReason.DECRYPTION_FAILED;
            assertThat(link.server().dropped(reason)).isGreaterThan(10);
        }
    }

    @ParameterizedTest
    @CsvSource({"aes, 2", "aes, 30", "aes-128-gcm, 2", "aes-128-gcm, 30", "salsa20, 30", "none, 30"})
    void corruptedDatagramsAreCountedAndNotDelivered(String cipher, int percent) {
        long seed = 8;
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        FecShape shape = new FecShape(10, 3);
        try (EmbeddedLink link = EmbeddedLink.create(below(cipher, "k", shape), below(cipher, "k", shape))) {
            SessionRecorder client = link.establish(CONV);
            int[] corrupted = new int[2];
            link.client().lose(datagram -> corrupt(datagram, random, percent, corrupted, 0));
            link.server().lose(datagram -> corrupt(datagram, random, percent, corrupted, 1));
            List<String> expected = new ArrayList<>(List.of("hello"));
            for (int i = 0; i < 300; i++) {
                String message = i + " ".repeat(random.nextInt(1_000));
                client.session().writeAndFlush(link.text(message));
                expected.add(message);
                link.advanceMs(2);
            }
            assertThat(link.advanceUntil(() -> link.accepted(0).messages().size() == 301, 60_000)).isTrue();
            assertThat(link.accepted(0).messages()).isEqualTo(expected);
            link.settle();
            assertThat(link.server().dropped(DropReason.DECRYPTION_FAILED)).isEqualTo(corrupted[0]).isPositive();
            assertThat(link.client().dropped(DropReason.DECRYPTION_FAILED)).isEqualTo(corrupted[1]).isPositive();
        }
    }

    /** Flips one bit in some datagrams and drops none. The first 16 bytes stay unchanged, because the CRC does not cover the nonce. */
    private static boolean corrupt(ByteBuf datagram, SplittableRandom random, int percent, int[] count, int side) {
        if (random.nextInt(100) < percent) {
            int index = datagram.readerIndex() + 16 + random.nextInt(datagram.readableBytes() - 16);
            datagram.setByte(index, datagram.getByte(index) ^ 1 << random.nextInt(8));
            count[side]++;
        }
        return false;
    }

    @Test
    void fecIsDecodedByAPeerThatSendsNone() {
        try (EmbeddedLink link = EmbeddedLink.create(below("aes", "k", null), below("aes", "k", new FecShape(3, 2)))) {
            SessionRecorder client = link.establish(CONV);
            link.accepted(0).session().writeAndFlush(link.text("answer"));
            link.settle();
            assertThat(client.messages()).containsExactly("answer");
        }
    }

    @Test
    void randomDatagramsNeverThrow() {
        long seed = 5;
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (String cipher : List.of("aes", "aes-128-gcm", "salsa20", "xor", "none", "blowfish")) {
            try (EmbeddedLink link = EmbeddedLink.create(crypto(config(cipher, "k")), crypto(config(cipher, "k")))) {
                link.establish(CONV);
                for (int length = 0; length < 300; length++) {
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    link.server().receive(length % 2 == 0 ? UNKNOWN_PEER : EmbeddedLink.CLIENT_ADDRESS,
                        link.allocator().directBuffer(Math.max(1, length)).writeBytes(bytes));
                }
                assertThat(link.server().dropped(DropReason.DECRYPTION_FAILED)).as(cipher).isEqualTo(300);
                assertThat(link.accepted()).hasSize(1);
            }
        }
    }

    @Test
    void rotationAnswersEachPeerWithItsOwnKey() {
        CryptoConfig old = config("aes", "old");
        CryptoConfig rotating = config("aes-128-gcm", "new").alsoOpening(old);
        try (EmbeddedLink link = EmbeddedLink.create(crypto(rotating), crypto(old));
            EmbeddedLink later = EmbeddedLink.create(crypto(rotating), crypto(config("aes-128-gcm", "new")))) {
            for (EmbeddedLink each : List.of(link, later)) {
                SessionRecorder client = each.establish(CONV);
                each.accepted(0).session().writeAndFlush(each.text("answer"));
                each.settle();
                assertThat(client.messages()).containsExactly("answer");
                assertThat(each.client().dropped(DropReason.DECRYPTION_FAILED)).isZero();
            }
        }
    }

    @Test
    void replayUnderTheOldKeyDoesNotChangeTheSessionKey() {
        CryptoConfig old = config("aes", "old");
        CryptoConfig fresh = config("aes-128-gcm", "new");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(fresh.alsoOpening(old)), crypto(fresh));
            EmbeddedLink recorded = EmbeddedLink.create(channel -> {
            }, crypto(old))) {
            SessionRecorder client = link.establish(CONV);
            recorded.connect(CONV).session().writeAndFlush(recorded.text("old"));
            for (ByteBuf datagram : recorded.client().take()) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram);
            }
            link.accepted(0).session().writeAndFlush(link.text("answer"));
            link.settle();
            assertThat(client.messages()).containsExactly("answer");
            assertThat(link.client().dropped(DropReason.DECRYPTION_FAILED)).isZero();
        }
    }

    @Test
    void replayDoesNotChangeTheKeyOfANewClient() {
        CryptoConfig old = config("aes", "old");
        CryptoConfig fresh = config("aes-128-gcm", "new");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(fresh), crypto(fresh.alsoOpening(old)));
            EmbeddedLink recorded = EmbeddedLink.create(crypto(old), crypto(old))) {
            SessionRecorder client = link.connect(CONV);
            recorded.connect(CONV + 1).session().writeAndFlush(recorded.text("old"));
            for (ByteBuf datagram : recorded.client().take()) {
                link.client().receive(EmbeddedLink.SERVER_ADDRESS, datagram);
            }
            client.session().writeAndFlush(link.text("hello"));
            link.advanceMs(10_000);
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.server().dropped(DropReason.DECRYPTION_FAILED)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {CONV, CONV + 1})
    void replayChangesNoKeyIfTheOldKeyIsFirst(int recordedConv) {
        CryptoConfig old = config("aes", "old");
        CryptoConfig fresh = config("aes-128-gcm", "new");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(old.alsoOpening(fresh)), crypto(fresh));
            EmbeddedLink recorded = EmbeddedLink.create(crypto(old), crypto(old))) {
            SessionRecorder client = link.establish(CONV);
            recorded.connect(recordedConv).session().writeAndFlush(recorded.text("old"));
            for (ByteBuf datagram : recorded.client().take()) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram);
            }
            link.accepted(0).session().writeAndFlush(link.text("answer"));
            link.advanceMs(10_000);
            assertThat(client.messages()).containsExactly("answer");
        }
    }

    @Test
    void sessionOpenedByAReplaySwitchesToThePeersKey() {
        CryptoConfig old = config("aes", "old");
        CryptoConfig fresh = config("aes-128-gcm", "new");
        try (EmbeddedLink link = EmbeddedLink.create(crypto(fresh.alsoOpening(old)), crypto(fresh));
            EmbeddedLink recorded = EmbeddedLink.create(crypto(old), crypto(old))) {
            recorded.connect(CONV).session().writeAndFlush(recorded.text("hello"));
            for (ByteBuf datagram : recorded.client().take()) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagram);
            }
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("hello"));
            link.advanceMs(10_000);
            link.accepted(0).session().writeAndFlush(link.text("answer"));
            link.advanceMs(10_000);
            assertThat(client.messages()).containsExactly("answer");
        }
    }

    @Test
    void channelsOfAnEventLoopShareCiphers() {
        CryptoConfig rotating = config("aes-128-gcm", "new").alsoOpening(config("aes", "old"));
        try (EmbeddedLink link = EmbeddedLink.create(crypto(rotating), crypto(rotating))) {
            LoopContext loop = LoopContext.of(link.client().channel().eventLoop());
            for (int i = 0; i < 2; i++) {
                assertThat(loop.cipher(rotating.openers().get(i))).isSameAs(loop.cipher(rotating.openers().get(i)));
            }
        }
    }

    @Test
    void failingCipherFailsTheWriteAndReleasesBuffers() {
        CryptoConfig failing = CryptoConfig.custom("failing", true, 4, 4, entropy -> new FailingCipher());
        try (EmbeddedLink link = EmbeddedLink.create(crypto(failing), crypto(failing))) {
            ByteBuf datagram = link.allocator().directBuffer().writeZero(100);
            ChannelFuture written = link.client().channel().writeOneOutbound(new DatagramPacket(datagram, EmbeddedLink.SERVER_ADDRESS));
            assertThat(written.cause()).isInstanceOf(IllegalStateException.class);
            assertThat(datagram.refCnt()).isZero();
            ByteBuf coming = link.allocator().directBuffer().writeZero(100);
            link.client().channel().pipeline().fireChannelRead(
                new DatagramPacket(coming, EmbeddedLink.CLIENT_ADDRESS, EmbeddedLink.SERVER_ADDRESS));
            assertThat(coming.refCnt()).isZero();
            assertThatThrownBy(() -> link.client().channel().checkException()).isInstanceOf(IllegalStateException.class);
            assertThat(link.outstandingBytes()).isZero();
        }
    }

    private static final class FailingCipher implements DatagramCipher {

        @Override
        public int headBytes() {
            return 4;
        }

        @Override
        public int tailBytes() {
            return 4;
        }

        @Override
        public void seal(ByteBuf datagram) {
            throw new IllegalStateException("cannot seal");
        }

        @Override
        public boolean open(ByteBuf datagram) {
            throw new IllegalStateException("cannot open");
        }
    }

    @Test
    void nullCipherIsRejected() {
        assertThatThrownBy(() -> new CryptoCodec(CryptoConfig.kcptun("null", "k")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("null");
    }

    @Test
    void datagramsWrittenByOtherHandlersAreSealed() {
        CryptoConfig config = config("aes-128-gcm", "k");
        List<String> answers = new ArrayList<>();
        ForeignDatagramHandler answering = (context, packet) -> {
            context.write(new DatagramPacket(context.alloc().buffer().writeBytes(new byte[] {'p', 'o'}),
                packet.sender()));
            context.flush();
            return true;
        };
        try (EmbeddedLink link = EmbeddedLink.create(builder -> builder.foreignDatagrams(answering), SessionRecorder::new,
            crypto(config), crypto(config))) {
            ByteBuf ping = link.allocator().directBuffer().writeZero(12).writeBytes(new byte[] {'p', 'i'}).readerIndex(12);
            link.client().channel().writeOutbound(new DatagramPacket(ping, EmbeddedLink.SERVER_ADDRESS));
            link.server().lose(datagram -> answers.add(datagram.toString(StandardCharsets.ISO_8859_1)));
            link.settle();
            assertThat(answers).hasSize(1);
            assertThat(answers.get(0)).hasSize(12 + 2 + 16).doesNotContain("po");
        }
    }
}
