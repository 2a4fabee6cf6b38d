package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Foreign and malformed datagrams are only counted. They close no session, delay no data and are not reported to handlers. */
@Timeout(60)
class StrayDatagramTest {

    private static final int CONV = 7;
    private static final InetSocketAddress STRANGER = new InetSocketAddress("192.0.2.66", 666);

    private static ByteBuf zeros(EmbeddedLink link, int length) {
        return link.allocator().directBuffer(Math.max(1, length)).writeZero(length);
    }

    /** Delivers stray datagrams and one valid message in a single batch, and expects the message and its ACK without delay. */
    private static void assertNotDelayedBy(EmbeddedLink link, int sn, InetSocketAddress from, ByteBuf... strays) {
        List<ByteBuf> batch = new ArrayList<>(List.of(strays));
        int acksBefore = link.server().sent().segments(SegmentHeader.CMD_ACK).size();
        ByteBuf good = WireSegment.datagram(link.allocator(), WireSegment.push(CONV, sn, 0, "good" + sn));
        for (int i = 0; i < batch.size(); i++) {
            if (i == batch.size() / 2) {
                link.server().channel().writeOneInbound(
                    new DatagramPacket(good, EmbeddedLink.SERVER_ADDRESS, EmbeddedLink.CLIENT_ADDRESS));
            }
            link.server().channel().writeOneInbound(new DatagramPacket(batch.get(i), EmbeddedLink.SERVER_ADDRESS, from));
        }
        link.server().channel().flushInbound();
        assertThat(link.accepted(0).messages()).endsWith("good" + sn);
        link.settle();
        assertThat(link.server().sent().segments(SegmentHeader.CMD_ACK)).hasSize(acksBefore + 1);
        assertThat(link.accepted(0).exceptions()).isEmpty();
        assertThat(link.accepted(0).session().isActive()).isTrue();
    }

    private static EmbeddedLink withSession() {
        EmbeddedLink link = EmbeddedLink.create();
        link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(CONV, 0, 0, "first"));
        link.settle();
        return link;
    }

    @Test
    void datagramsShorterThanAHeaderAreNotKcp() {
        try (EmbeddedLink link = withSession()) {
            ByteBuf[] strays = new ByteBuf[SegmentHeader.LENGTH];
            for (int length = 0; length < strays.length; length++) {
                strays[length] = zeros(link, length);
            }
            assertNotDelayedBy(link, 1, EmbeddedLink.CLIENT_ADDRESS, strays);
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(SegmentHeader.LENGTH);
        }
    }

    @Test
    void truncatedDatagramsOfTheSessionAreDropped() {
        try (EmbeddedLink link = withSession()) {
            List<ByteBuf> strays = new ArrayList<>();
            ByteBuf whole = WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 5, 0, "some payload"));
            for (int length = 0; length < whole.readableBytes(); length++) {
                strays.add(whole.copy(0, length));
            }
            whole.release();
            assertNotDelayedBy(link, 1, EmbeddedLink.CLIENT_ADDRESS, strays.toArray(new ByteBuf[0]));
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(strays.size());
            assertThat(link.accepted(0).messages()).containsExactly("first", "good1");
        }
    }

    @Test
    void datagramsWithUnknownCommandsAreNotKcp() {
        try (EmbeddedLink link = withSession()) {
            List<ByteBuf> strays = new ArrayList<>();
            for (int cmd = 0; cmd < 256; cmd++) {
                if (cmd < SegmentHeader.CMD_PUSH || cmd > SegmentHeader.CMD_WINS) {
                    strays.add(WireSegment.datagram(link.allocator(), WireSegment.control(CONV, cmd)));
                }
            }
            assertNotDelayedBy(link, 1, EmbeddedLink.CLIENT_ADDRESS, strays.toArray(new ByteBuf[0]));
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(252);
        }
    }

    @Test
    void datagramsWithTooLargeLengthsAreNotKcp() {
        try (EmbeddedLink link = withSession()) {
            List<ByteBuf> strays = new ArrayList<>();
            for (int length : new int[] {1, 2, 1_400, 65_535, Integer.MAX_VALUE, Integer.MIN_VALUE, -1, -24}) {
                ByteBuf stray = WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 1, 0, ""));
                strays.add(stray.setIntLE(SegmentHeader.LENGTH - Integer.BYTES, length));
            }
            assertNotDelayedBy(link, 1, EmbeddedLink.CLIENT_ADDRESS, strays.toArray(new ByteBuf[0]));
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(8);
        }
    }

    @Test
    void datagramWithAMalformedLaterSegmentChangesNothing() {
        try (EmbeddedLink link = withSession()) {
            WireSegment next = WireSegment.push(CONV, 1, 0, "half");
            ByteBuf truncated = WireSegment.datagram(link.allocator(), next, WireSegment.push(CONV, 2, 0, "cut off"));
            truncated.writerIndex(truncated.writerIndex() - 1);
            assertNotDelayedBy(link, 1, EmbeddedLink.CLIENT_ADDRESS, truncated,
                WireSegment.datagram(link.allocator(), next, WireSegment.push(CONV + 1, 2, 0, "another's")),
                WireSegment.datagram(link.allocator(), next, WireSegment.control(CONV, 99)));
            assertThat(link.server().dropped(DropReason.MALFORMED)).isEqualTo(3);
            assertThat(link.accepted(0).messages()).containsExactly("first", "good1");
        }
    }

    @Test
    void acknowledgementOfUnsentDataIsForged() {
        try (EmbeddedLink link = withSession()) {
            assertNotDelayedBy(link, 1, EmbeddedLink.CLIENT_ADDRESS,
                WireSegment.datagram(link.allocator(), WireSegment.ack(CONV, 0, 0)),
                WireSegment.datagram(link.allocator(), WireSegment.ack(CONV, 1_000, 0)),
                WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 1, 1, "una beyond")));
            assertThat(link.server().dropped(DropReason.FORGED_ACKNOWLEDGEMENT)).isEqualTo(3);
        }
    }

    @Test
    void datagramsWithoutASessionAreCounted() {
        try (EmbeddedLink link = withSession()) {
            assertNotDelayedBy(link, 1, STRANGER,
                WireSegment.datagram(link.allocator(), WireSegment.ack(CONV, 0, 0)),
                WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 1, 1, "hijack")),
                WireSegment.datagram(link.allocator(), WireSegment.control(CONV, SegmentHeader.CMD_WASK)));
            assertThat(link.server().dropped(DropReason.NO_SESSION)).isEqualTo(3);
            assertThat(link.accepted(0).messages()).containsExactly("first", "good1");
        }
    }

    @Test
    void randomBytesDoNotAffectSessions() {
        long seed = 20_26L;
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.establish(CONV).session();
            long strays = 0;
            for (int round = 0; round < 200; round++) {
                client.writeAndFlush(link.text("m" + round));
                for (int i = 0; i < 50; i++, strays++) {
                    byte[] bytes = new byte[random.nextInt(1_501)];
                    random.nextBytes(bytes);
                    if (bytes.length > 4 && random.nextBoolean()) {
                        System.arraycopy(new byte[] {CONV, 0, 0, 0}, 0, bytes, 0, 4);
                    }
                    ByteBuf stray = link.allocator().directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
                    link.server().channel().writeOneInbound(new DatagramPacket(stray, EmbeddedLink.SERVER_ADDRESS,
                        random.nextBoolean() ? STRANGER : EmbeddedLink.CLIENT_ADDRESS));
                }
                link.settle();
                assertThat(link.accepted(0).messages()).as("round " + round).endsWith("m" + round);
            }
            assertThat(link.server().stats().droppedTotal()).isEqualTo(strays);
            assertThat(link.accepted()).hasSize(1);
            assertThat(client.isActive()).isTrue();
            link.server().channel().checkException();
        }
    }

    @Test
    void foreignDatagramHandlerMayAnswerAndSuppressCounting() {
        List<String> seen = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.foreignDatagrams((ctx, packet) -> {
            String text = EmbeddedLink.read(packet.content());
            seen.add(text + " from " + packet.sender().getPort());
            if (!text.equals("ping")) {
                return false;
            }
            ByteBuf answer = ctx.alloc().buffer().writeBytes("pong".getBytes(StandardCharsets.UTF_8));
            ctx.writeAndFlush(new DatagramPacket(answer, packet.sender()));
            return true;
        }), SessionRecorder::new)) {
            KcpChannel client = link.establish(CONV).session();
            client.writeAndFlush(link.text("ping"));
            link.settle();
            link.server().receive(STRANGER, link.text("ping"), link.text("noise"));
            assertThat(seen).containsExactly("ping from 666", "noise from 666");
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(1);
            DatagramPacket answer = link.server().channel().readOutbound();
            assertThat(EmbeddedLink.read(answer.content())).isEqualTo("pong");
            assertThat(answer.recipient()).isEqualTo(STRANGER);
            answer.release();
            assertThat(link.accepted(0).messages()).as("KCP is not foreign").containsExactly("hello", "ping");
        }
    }

    @Test
    void windowOfARecoveredDatagramIsIgnored() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.establish(CONV);
            KcpChannel server = link.accepted(0).session();
            int before = server.collectStats().getNow().remoteWindow();
            WireSegment push = new WireSegment(CONV, SegmentHeader.CMD_PUSH, 0, 3, 0, 1, 0, "late");
            link.server().channel().writeOneInbound(new KcpDatagram(WireSegment.datagram(link.allocator(), push),
                EmbeddedLink.SERVER_ADDRESS, EmbeddedLink.CLIENT_ADDRESS, true));
            link.server().channel().flushInbound();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "late");
            assertThat(server.collectStats().getNow().remoteWindow()).isEqualTo(before);
        }
    }
}
