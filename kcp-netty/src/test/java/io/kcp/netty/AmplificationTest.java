package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An attacker sends datagrams from the forged address of a victim, and the server sends at most three times the bytes of these datagrams to
 * the victim. Bytes are counted at the socket, with cipher and FEC overhead.
 */
@Timeout(60)
class AmplificationTest {

    private static final int CONV = 7;
    private static final int GREETING_BYTES = 180_000;
    private static final int GREETING_MESSAGE_BYTES = 36_000;
    private static final int FACTOR = 3;
    private static final int REPEAT_MS = 9_000;
    private static final int PORTS = 40;
    private static final InetSocketAddress VICTIM = new InetSocketAddress("192.0.2.1", 443);

    private long receivedBytes;
    private long sentBytes;

    private static Consumer<Channel> layers(String cipher, boolean fec) {
        return channel -> {
            if (!cipher.equals("null")) {
                channel.pipeline().addLast(new CryptoCodec(CryptoConfig.kcptun(cipher, "k"), new DecryptionFailureLog(line -> { })));
            }
            channel.pipeline().addLast(new FecCodec(fec ? FecConfig.of(2, 2) : null));
        };
    }

    private static SessionRecorder greeting() {
        return new SessionRecorder().onActive(ctx -> {
            for (int sent = 0; sent < GREETING_BYTES; sent += GREETING_MESSAGE_BYTES) {
                ctx.write(ctx.alloc().buffer().writeZero(GREETING_MESSAGE_BYTES));
            }
            ctx.flush();
        });
    }

    private static EmbeddedLink link(Consumer<KcpHandlerBuilder> settings, String cipher, boolean fec) {
        return EmbeddedLink.create(settings, AmplificationTest::greeting, layers(cipher, fec), layers(cipher, fec));
    }

    private static EmbeddedLink link() {
        return EmbeddedLink.create(AmplificationTest::greeting);
    }

    /** Counts the bytes that the server sends, checks the limit at every datagram, and discards the datagrams. */
    private void meter(EmbeddedLink link) {
        link.client().loseAll();
        link.server().lose(datagram -> {
            sentBytes += datagram.readableBytes();
            assertThat(sentBytes).isLessThanOrEqualTo(FACTOR * receivedBytes);
            return true;
        });
    }

    /** Counts the bytes that the server sends without checking the limit. */
    private void count(EmbeddedLink link) {
        link.client().loseAll();
        link.server().lose(datagram -> {
            sentBytes += datagram.readableBytes();
            return true;
        });
    }

    private void attack(EmbeddedLink link, InetSocketAddress from, ByteBuf datagram) {
        receivedBytes += datagram.readableBytes();
        link.server().receive(from, datagram);
        link.settle();
    }

    private void attack(EmbeddedLink link, WireSegment segment) {
        attack(link, VICTIM, WireSegment.datagram(link.allocator(), segment));
    }

    /** Returns the first datagram of a client that sends an empty message. */
    private static ByteBuf opener(EmbeddedLink link) {
        SessionRecorder client = link.connect(CONV);
        client.session().writeAndFlush(link.text(""));
        List<ByteBuf> datagrams = link.client().take();
        ByteBuf first = datagrams.get(0).copy();
        datagrams.forEach(ByteBuf::release);
        return first;
    }

    // ---- attackers

    @ParameterizedTest
    @CsvSource({"null, false", "null, true", "none, false", "none, true", "xor, false", "xor, true"})
    void spoofedFirstDatagramTriggersAtMostThreeTimesItsBytes(String cipher, boolean fec) {
        try (EmbeddedLink link = link(settings -> { }, cipher, fec)) {
            ByteBuf opener = opener(link);
            meter(link);
            attack(link, VICTIM, opener);
            link.advanceMs(30_000);
            assertThat(link.accepted()).hasSize(1);
            assertThat(sentBytes).isPositive().isLessThanOrEqualTo(FACTOR * receivedBytes);
        }
    }

    @Test
    void repeatedFirstDatagramTriggersAtMostThreeTimesItsBytes() {
        try (EmbeddedLink link = link()) {
            meter(link);
            for (int i = 0; i < 12; i++) {
                attack(link, WireSegment.push(CONV, 0, 0, ""));
                link.advanceMs(REPEAT_MS);
            }
            assertThat(sentBytes).isPositive();
            assertThat(link.server().stats().closed()).containsKey(KcpCloseReason.PEER_TIMEOUT);
        }
    }

    @Test
    void firstDatagramsFromManyPortsTriggerAtMostThreeTimesTheirBytes() {
        try (EmbeddedLink link = link()) {
            meter(link);
            for (int port = 1; port <= PORTS; port++) {
                attack(link, new InetSocketAddress(VICTIM.getAddress(), port),
                    WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 0, 0, "")));
            }
            link.advanceMs(40_000);
            assertThat(sentBytes).isPositive();
        }
    }

    @Test
    void forgedUnaAndAcknowledgementsDoNotRaiseTheLimit() {
        try (EmbeddedLink link = link()) {
            meter(link);
            attack(link, WireSegment.push(CONV, 0, 0, ""));
            for (int i = 0; i < 500; i++) {
                attack(link, WireSegment.ack(CONV, i % 3 - 1, 0).withTs(i * 7_919));
                attack(link, WireSegment.control(CONV, SegmentHeader.CMD_WASK));
                attack(link, WireSegment.control(CONV, SegmentHeader.CMD_WINS));
                attack(link, WireSegment.push(CONV, 0, 0, "").withTs(i));
                link.advanceMs(20);
            }
            assertThat(sentBytes).isPositive();
            assertThat(link.accepted(0).session().isOpen()).isTrue();
        }
    }

    @Test
    void lingeringSessionStaysWithinTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> greeting().onRead((ctx, text) -> ctx.close()))) {
            meter(link);
            attack(link, WireSegment.push(CONV, 0, 0, "x"));
            link.advanceMs(40_000);
            assertThat(sentBytes).isPositive();
            assertThat(link.accepted(0).session().isOpen()).isFalse();
        }
    }

    @Test
    void closedSessionAnswersWithinTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(() -> greeting().onRead((ctx, text) -> {
            ((KcpChannel) ctx.channel()).config().setLingerMs(0);
            ctx.close();
        }))) {
            meter(link);
            attack(link, WireSegment.push(CONV, 0, 0, "x"));
            for (int i = 0; i < 100; i++) {
                attack(link, WireSegment.push(CONV, 0, 1, ""));
                link.advanceMs(10);
            }
            assertThat(link.server().dropped(DropReason.CLOSED_SESSION)).isEqualTo(100);
            assertThat(sentBytes).as("acknowledgements of a closed session").isGreaterThanOrEqualTo(100L * SegmentHeader.LENGTH);
        }
    }

    @Test
    void keepalivesStayWithinTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(settings -> settings.childOption(KcpChannelOption.KEEPALIVE_MS, 1_000),
            SessionRecorder::new)) {
            meter(link);
            attack(link, WireSegment.push(CONV, 0, 0, ""));
            link.advanceMs(60_000);
            assertThat(sentBytes).isPositive();
        }
    }

    @Test
    void outOfBandDatagramOpensNoSession() {
        try (EmbeddedLink link = link(settings -> { }, "null", true)) {
            meter(link);
            ByteBuf oob = link.allocator().directBuffer(FecHeader.OOB_LENGTH).writeZero(FecHeader.OOB_LENGTH);
            FecHeader.setOob(oob, oob.readerIndex(), CONV, 0);
            attack(link, VICTIM, oob);
            link.advanceMs(1_000);
            assertThat(link.accepted()).isEmpty();
            assertThat(sentBytes).isZero();
        }
    }

    @Test
    void outOfBandMessagesAndParityStayWithinTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(settings -> { }, SessionRecorder::new, layers("null", true), layers("null", true))) {
            ByteBuf opener = opener(link);
            meter(link);
            attack(link, VICTIM, opener);
            KcpChannel session = link.accepted(0).session();
            int refused = 0;
            for (int i = 0; i < 200; i++) {
                ChannelFuture sent = session.sendOob(link.text("out of band"));
                refused += sent.isSuccess() ? 0 : 1;
                session.writeAndFlush(link.text("a"));
                link.advanceMs(20);
            }
            assertThat(refused).isGreaterThan(190);
            assertThat(sentBytes).isPositive();
        }
    }

    @Test
    void withoutTheLimitTheServerAmplifies() {
        try (EmbeddedLink link = link(settings -> settings.amplificationLimit(false), "null", false)) {
            count(link);
            attack(link, WireSegment.push(CONV, 0, 0, ""));
            link.advanceMs(30_000);
            assertThat(sentBytes / receivedBytes).isGreaterThan(1_000);
        }
    }

    // ---- which servers limit

    @ParameterizedTest
    @ValueSource(strings = {"aes-128-gcm", "aes", "salsa20", "none", "null"})
    void sessionsAreLimitedByDefault(String cipher) {
        try (EmbeddedLink link = link(settings -> { }, cipher, false)) {
            ByteBuf opener = opener(link);
            link.client().loseAll();
            link.server().loseAll();
            attack(link, VICTIM, opener);
            assertThat(((DefaultKcpChannel) link.accepted(0).session()).kcp().amplificationLimit().isActive()).isTrue();
        }
    }

    /** The attacker has recorded a first datagram before the server was restarted, so the new process does not recognize the replay. */
    @ParameterizedTest
    @CsvSource({"aes-128-gcm, false", "aes-128-gcm, true", "aes, false"})
    @Tag("slow")
    void replayAfterARestartTriggersAtMostThreeTimesItsBytes(String cipher, boolean fec) {
        byte[] recorded;
        try (EmbeddedLink link = link(settings -> { }, cipher, fec)) {
            ByteBuf opener = opener(link);
            recorded = ByteBufUtil.getBytes(opener);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, opener);
            assertThat(link.accepted()).hasSize(1);
            link.client().loseAll();
            link.server().loseAll();
        }
        try (EmbeddedLink link = EmbeddedLink.create(builder -> { }, AmplificationTest::greeting, true, layers(cipher, fec),
            layers(cipher, fec))) {
            meter(link);
            attack(link, VICTIM, link.allocator().buffer().writeBytes(recorded));
            link.advanceMs(30_000);
            assertThat(link.accepted()).hasSize(1);
            assertThat(sentBytes).isPositive().isLessThanOrEqualTo(FACTOR * receivedBytes);
        }
    }

    @Test
    void clientSessionsAreNotLimited() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            assertThat(((DefaultKcpChannel) client.session()).kcp().amplificationLimit().isActive()).isFalse();
        }
    }

    // ---- legitimate clients

    @ParameterizedTest
    @CsvSource({"null, false", "null, true", "none, true", "xor, false", "aes-128-gcm, false", "aes-128-gcm, true"})
    void legitimateClientReceivesTheWholeGreeting(String cipher, boolean fec) {
        try (EmbeddedLink link = link(settings -> { }, cipher, fec)) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("x"));
            link.advanceMs(200);
            assertThat(client.messages()).hasSize(GREETING_BYTES / GREETING_MESSAGE_BYTES);
            assertThat(((DefaultKcpChannel) link.accepted(0).session()).kcp().isPeerValidated()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "none", "xor", "aes-128-gcm"})
    void echoIsSentWithoutAProbe(String cipher) {
        try (EmbeddedLink link = EmbeddedLink.create(settings -> { },
            () -> new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ByteBufUtil.writeAscii(ctx.alloc(), text))),
            layers(cipher, true), layers(cipher, true))) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("thirty bytes of a first message"));
            int[] sent = new int[1];
            link.server().lose(datagram -> sent[0]++ > 0);
            link.settle();
            assertThat(client.messages()).as("messages received with the first datagram").hasSize(1);
        }
    }

    @Test
    void refusedOutOfBandMessageValidatesThePeer() {
        try (EmbeddedLink link = EmbeddedLink.create(settings -> { }, SessionRecorder::new, layers("null", true), layers("null", true))) {
            SessionRecorder client = link.connect(CONV);
            link.server().loseAll();
            client.session().writeAndFlush(link.text("x"));
            link.settle();
            link.server().loseNothing();
            KcpChannel session = link.accepted(0).session();
            ChannelFuture refused = session.sendOob(link.bytes(500));
            assertThat(refused.cause()).hasMessageContaining("amplification limit");
            link.advanceMs(200);
            ChannelFuture sent = session.sendOob(link.bytes(500));
            assertThat(sent.isSuccess()).isTrue();
            link.settle();
            assertThat(client.oobMessages()).hasSize(1);
        }
    }

    @Test
    void clientThatOnlySendsClosesAfterARoundTrip() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.connect(CONV);
            client.session().writeAndFlush(link.text("x"));
            ChannelFuture closed = client.session().close();
            link.settle();
            assertThat(closed.isSuccess()).isTrue();
        }
    }
}
