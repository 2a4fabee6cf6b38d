package io.kcp.netty.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.DropReason;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FecCodecTest {

    private static final int CONV = 11;
    private static final InetSocketAddress STRANGER = new InetSocketAddress("192.0.2.66", 666);

    private static Consumer<Channel> fec(int dataShards, int parityShards) {
        return channel -> channel.pipeline().addLast(new FecCodec(FecConfig.of(new FecShape(dataShards, parityShards))));
    }

    private static Consumer<Channel> receiveOnly() {
        return channel -> channel.pipeline().addLast(new FecCodec(null));
    }

    /** Records the types of all further datagrams of an end and drops those whose index matches the predicate. */
    private static List<Integer> watch(EmbeddedLink.End end, IntPredicate lost) {
        List<Integer> types = new ArrayList<>();
        end.lose(datagram -> {
            types.add(FecHeader.type(datagram, datagram.readerIndex()));
            return lost.test(types.size() - 1);
        });
        return types;
    }

    @Test
    void parityFollowsTheLastDatagramOfAGroup() {
        try (EmbeddedLink link = EmbeddedLink.create(receiveOnly(), fec(3, 2))) {
            SessionRecorder client = link.connect(CONV);
            List<Integer> types = watch(link.client(), number -> false);
            for (int i = 0; i < 6; i++) {
                client.session().writeAndFlush(link.text("m" + i));
            }
            link.settle();
            assertThat(types.subList(0, 10)).containsExactly(
                FecHeader.TYPE_DATA, FecHeader.TYPE_DATA, FecHeader.TYPE_DATA, FecHeader.TYPE_PARITY, FecHeader.TYPE_PARITY,
                FecHeader.TYPE_DATA, FecHeader.TYPE_DATA, FecHeader.TYPE_DATA, FecHeader.TYPE_PARITY, FecHeader.TYPE_PARITY);
            assertThat(link.accepted(0).messages()).containsExactly("m0", "m1", "m2", "m3", "m4", "m5");
        }
    }

    @Test
    void lostDatagramsAreRecoveredFromParityWithoutDelay() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            SessionRecorder client = link.connect(CONV);
            // Nothing is lost in the first two groups, which verify the shape.
            watch(link.client(), number -> number >= 10 && (number % 5 == 0 || number % 5 == 2));
            for (int i = 0; i < 30; i++) {
                client.session().writeAndFlush(link.text("m" + i));
            }
            link.settle();
            assertThat(link.accepted(0).messages()).hasSize(30).startsWith("m0", "m1", "m2").endsWith("m29");
            KcpSessionStats stats = client.session().collectStats().getNow();
            assertThat(stats.counters().retransmissions()).isZero();
        }
    }

    @Test
    void sessionClosedDuringRecoveryDropsRemainingDatagrams() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            SessionRecorder client = link.connect(CONV);
            link.server().loseAll();
            List<KcpDatagram> recovered = new ArrayList<>();
            link.server().channel().pipeline().addBefore(link.server().channel().pipeline().context(KcpHandler.class).name(), "closing",
                new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        context.fireChannelRead(message);
                        if (message instanceof KcpDatagram packet && packet.isRecovered()) {
                            recovered.add(packet);
                            link.accepted(0).session().config().setLingerMs(0);
                            link.accepted(0).session().close();
                        }
                    }
                });
            watch(link.client(), number -> number >= 10 && (number % 5 == 0 || number % 5 == 2));
            for (int i = 0; i < 9; i++) {
                client.session().writeAndFlush(link.text("m" + i));
            }
            List<ByteBuf> datagrams = link.client().take();
            ByteBuf last = datagrams.remove(datagrams.size() - 1);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagrams.toArray(new ByteBuf[0]));
            assertThat(link.server().stats().activeSessions()).isEqualTo(1);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, last);
            assertThat(recovered).as("the first of two recovered datagrams").hasSize(1);
            assertThat(link.server().stats().activeSessions()).isZero();
        }
    }

    @Test
    void decoderWorksOnASideThatSendsNoParity() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(2, 1), receiveOnly())) {
            SessionRecorder client = link.establish(CONV);
            List<Integer> fromClient = watch(link.client(), number -> false);
            watch(link.server(), number -> number % 3 == 1);
            for (int i = 0; i < 20; i++) {
                link.accepted(0).session().writeAndFlush(link.text("m" + i));
            }
            link.advanceMs(1_000);
            assertThat(client.messages()).hasSize(20);
            assertThat(fromClient).doesNotContain(FecHeader.TYPE_DATA, FecHeader.TYPE_PARITY);
        }
    }

    @Test
    void segmentsLeaveRoomForTheFecHeader() {
        try (EmbeddedLink link = EmbeddedLink.create(receiveOnly(), fec(3, 2))) {
            SessionRecorder client = link.connect(CONV);
            List<Integer> lengths = new ArrayList<>();
            link.client().lose(datagram -> {
                lengths.add(datagram.readableBytes());
                return false;
            });
            client.session().writeAndFlush(link.bytes(10 * 1_368));
            link.settle();
            assertThat(lengths).as("data and parity").allMatch(length -> length <= 1_400).contains(1_400);
            assertThat(link.accepted(0).messages()).containsExactly("x".repeat(13_680));
        }
    }

    @Test
    void windowProbesAndAnswersHaveNoFecHeader() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            SessionRecorder client = link.establish(CONV);
            client.session().config().setOption(KcpChannelOption.KEEPALIVE_MS, 5_000);
            link.advanceMs(12_000);
            assertThat(link.client().sent().segments(SegmentHeader.CMD_WASK)).isNotEmpty();
            assertThat(link.server().sent().segments(SegmentHeader.CMD_WINS)).isNotEmpty();
        }
    }

    /** The payload of the last segment fills the datagram up to the size of the probe, so it usually is not empty. */
    @ParameterizedTest
    @ValueSource(ints = {1_440, 1_447, 1_463, 1_500})
    void probeForALargerMtuIsNoShardAndKeepsItsSize(int bytes) {
        try (EmbeddedLink link = EmbeddedLink.create(receiveOnly(), fec(2, 1))) {
            SessionRecorder client = link.connect(CONV);
            List<Integer> types = new ArrayList<>();
            List<Integer> lengths = new ArrayList<>();
            link.client().lose(datagram -> {
                types.add(FecHeader.type(datagram, datagram.readerIndex()));
                lengths.add(datagram.readableBytes());
                return false;
            });
            client.session().writeAndFlush(link.text("m0"));
            DefaultKcpChannel session = (DefaultKcpChannel) client.session();
            ByteBuf probe = session.host().writer().allocate(bytes);
            SegmentHeader.write(probe, CONV, SegmentHeader.CMD_WASK, 0, 128, 0, 0, 0, 0);
            int last = bytes / SegmentHeader.LENGTH - 1;
            int payloadBytes = bytes % SegmentHeader.LENGTH;
            for (int i = 1; i <= last; i++) {
                SegmentHeader.write(probe, CONV, SegmentHeader.CMD_PUSH, 0, 128, 0, -70_000 - i / last, 0, i == last ? payloadBytes : 0);
            }
            session.host().writer().write(KcpDatagram.mtuProbe(probe.writeZero(payloadBytes), session.remoteAddress(), session));
            client.session().writeAndFlush(link.text("m1"));
            link.settle();
            assertThat(types).startsWith(FecHeader.TYPE_DATA, SegmentHeader.CMD_WASK, FecHeader.TYPE_DATA, FecHeader.TYPE_PARITY);
            assertThat(lengths.get(1)).isEqualTo(bytes);
            assertThat(link.server().sent().segments(SegmentHeader.CMD_WINS)).as("response to the WASK").isNotEmpty();
        }
    }

    @Test
    void messageThatResemblesAWindowProbeGetsParity() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            SessionRecorder client = link.establish(CONV);
            List<Integer> types = new ArrayList<>();
            link.client().lose(datagram -> {
                types.add(FecHeader.type(datagram, datagram.readerIndex()));
                return false;
            });
            byte[] header = new byte[SegmentHeader.LENGTH];
            header[4] = SegmentHeader.CMD_WASK;
            for (int i = 0; i < 6; i++) {
                client.session().writeAndFlush(link.allocator().directBuffer().writeBytes(header));
                link.settle();
            }
            assertThat(types).contains(FecHeader.TYPE_DATA, FecHeader.TYPE_PARITY);
        }
    }

    @Test
    void parityWithoutSessionOrGroupIsCountedAndDropped() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            link.establish(CONV);
            ByteBuf parity = link.allocator().directBuffer().writeIntLE(3).writeShortLE(FecHeader.TYPE_PARITY).writeZero(50);
            ByteBuf far = link.allocator().directBuffer().writeIntLE(1 << 30).writeShortLE(FecHeader.TYPE_PARITY).writeZero(50);
            link.server().receive(STRANGER, parity);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, far);
            assertThat(link.server().dropped(DropReason.STRAY_PARITY)).isEqualTo(1);
            assertThat(link.server().dropped(DropReason.FAR_PARITY)).isEqualTo(1);
        }
    }

    @Test
    void parityAfterALargeGapCountsAsFarParity() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            SessionRecorder client = link.establish(CONV);
            List<Integer> types = new ArrayList<>();
            link.client().lose(datagram -> {
                types.add(FecHeader.type(datagram, datagram.readerIndex()));
                // Drops 60 datagrams, which are more than eight groups of five, and then all data, so that only parity arrives.
                return types.size() <= 60 || types.get(types.size() - 1) != FecHeader.TYPE_PARITY;
            });
            for (int i = 0; i < 45; i++) {
                client.session().writeAndFlush(link.text("m" + i));
            }
            link.settle();
            long parity = types.subList(60, types.size()).stream().filter(type -> type == FecHeader.TYPE_PARITY).count();
            assertThat(link.server().dropped(DropReason.FAR_PARITY)).isEqualTo(parity).isPositive();
            assertThat(link.server().dropped(DropReason.STRAY_PARITY)).isZero();
            assertThat(link.server().stats().dropped()).containsOnlyKeys(DropReason.FAR_PARITY);
        }
    }

    @Test
    void datagramsTooShortForAShardAreCountedAndDropped() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            link.establish(CONV);
            int count = 0;
            for (int length = 6; length < FecHeader.LENGTH + SegmentHeader.LENGTH; length++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS,
                    link.allocator().directBuffer().writeIntLE(5).writeShortLE(FecHeader.TYPE_DATA).writeZero(length - 6));
                count++;
            }
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(count);
            assertThat(link.accepted(0).exceptions()).isEmpty();
        }
    }

    @Test
    void newSessionOfAnAddressStartsItsOwnGroups() {
        try (EmbeddedLink link = EmbeddedLink.create(fec(3, 2), fec(3, 2))) {
            SessionRecorder first = link.establish(CONV);
            for (int i = 0; i < 100; i++) {
                first.session().writeAndFlush(link.text("old" + i));
            }
            link.settle();
            SessionRecorder second = link.connect(CONV + 1);
            watch(link.client(), number -> number % 5 == 1);
            for (int i = 0; i < 30; i++) {
                second.session().writeAndFlush(link.text("new" + i));
            }
            link.settle();
            assertThat(link.accepted(1).messages()).hasSize(30);
            assertThat(second.session().collectStats().getNow().counters().retransmissions()).isZero();
        }
    }

    @Test
    void parityReachesTheSessionThatItBelongsTo() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.amplificationLimit(false), SessionRecorder::new, fec(3, 2),
            fec(3, 2))) {
            SessionRecorder first = link.connect(CONV);
            SessionRecorder second = link.connect(CONV + 1);
            for (SessionRecorder each : List.of(second, first)) {
                for (int i = 0; i < 9; i++) {
                    each.session().writeAndFlush(link.text("m" + i));
                }
                link.settle();
            }
            // The second datagram of each session's fourth group is lost.
            for (SessionRecorder each : List.of(first, second)) {
                watch(link.client(), number -> number == 1);
                for (int i = 0; i < 3; i++) {
                    each.session().writeAndFlush(link.text("n" + i));
                }
                link.settle();
            }
            assertThat(link.accepted()).allSatisfy(server -> assertThat(server.messages()).endsWith("n0", "n1", "n2"));
        }
    }

    @Test
    void lossInBothDirectionsDeliversEveryMessageOnce() {
        long seed = 42;
        System.out.println("seed " + seed);
        try (EmbeddedLink link = EmbeddedLink.create(fec(10, 3), fec(5, 2))) {
            SessionRecorder client = link.establish(CONV);
            link.client().loseAtRandom(0.15, seed);
            link.server().loseAtRandom(0.15, seed + 1);
            List<String> expected = new ArrayList<>(List.of("hello"));
            for (int i = 0; i < 500; i++) {
                client.session().writeAndFlush(link.text("up" + i));
                link.accepted(0).session().writeAndFlush(link.text("down" + i));
                expected.add("up" + i);
                link.advanceMs(2);
            }
            assertThat(link.advanceUntil(() -> link.accepted(0).messages().size() == 501 && client.messages().size() == 500, 20_000))
                .isTrue();
            assertThat(link.accepted(0).messages()).isEqualTo(expected);
        }
    }
}
