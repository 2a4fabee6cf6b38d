package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Floods of malformed and foreign datagrams, from strangers and from the address of a session, open no session, close none, log nothing
 * and hold no memory. Other sessions still deliver all their data.
 */
@Timeout(60)
class MalformedFloodTest {

    private static final int ROUNDS = Integer.getInteger("kcp.malformed.rounds", 20);
    private static final int DATAGRAMS_A_ROUND = 50;
    private static final int CONV = 7;
    private static final int NEIGHBOUR = 8;
    private static final InetSocketAddress STRANGER = new InetSocketAddress("192.0.2.66", 666);

    /** Classes of datagrams that a server always drops. */
    enum Class {
        EMPTY,
        SHORTER_THAN_A_HEADER,
        GARBAGE,
        UNKNOWN_COMMAND,
        LENGTH_BEYOND_THE_END,
        NEGATIVE_LENGTH,
        TRAILING_BYTES,
        SECOND_SEGMENT_CUT_OFF,
        SECOND_SEGMENT_OF_ANOTHER_CONVERSATION,
        SECOND_SEGMENT_UNKNOWN,
        OUTSIDE_THE_WINDOW,
        UNA_OF_WHAT_WAS_NEVER_SENT,
        ACK_OF_WHAT_WAS_NEVER_SENT,
        TOO_MANY_FRAGMENTS,
        BARE_ACK,
        BARE_CONTROL,
        SHORT_FEC_DATA,
        FOREIGN_PARITY,
        FOREIGN_OUT_OF_BAND;

        ByteBuf create(EmbeddedLink link, SplittableRandom random) {
            WireSegment push = WireSegment.push(CONV, 1_000_000, 1, "x");
            return switch (this) {
                case EMPTY -> link.allocator().directBuffer(1);
                case SHORTER_THAN_A_HEADER -> garbage(link, random, random.nextInt(1, SegmentHeader.LENGTH));
                case GARBAGE -> withoutFec(garbage(link, random, random.nextInt(SegmentHeader.LENGTH, 1_500)));
                case UNKNOWN_COMMAND -> datagram(link, WireSegment.control(CONV, random.nextInt(85, 200)));
                case LENGTH_BEYOND_THE_END -> withLength(datagram(link, push), random.nextInt(2, 70_000));
                case NEGATIVE_LENGTH -> withLength(datagram(link, push), -random.nextInt(1, Integer.MAX_VALUE));
                case TRAILING_BYTES -> datagram(link, push).writeZero(random.nextInt(1, SegmentHeader.LENGTH));
                case SECOND_SEGMENT_CUT_OFF -> cutOff(datagram(link, push, push), random.nextInt(1, 20));
                case SECOND_SEGMENT_OF_ANOTHER_CONVERSATION -> datagram(link, push, WireSegment.push(CONV + 1, 0, 0, "x"));
                case SECOND_SEGMENT_UNKNOWN -> datagram(link, push, WireSegment.control(CONV, 99));
                case OUTSIDE_THE_WINDOW -> datagram(link, WireSegment.push(CONV, random.nextInt(1_000, Integer.MAX_VALUE), 0, "x"));
                case UNA_OF_WHAT_WAS_NEVER_SENT -> datagram(link, WireSegment.push(CONV, 3, random.nextInt(1_000, 1 << 30), "x"));
                case ACK_OF_WHAT_WAS_NEVER_SENT -> datagram(link, WireSegment.ack(CONV, random.nextInt(1_000, 1 << 30), 0));
                case TOO_MANY_FRAGMENTS -> datagram(link,
                    new WireSegment(CONV, SegmentHeader.CMD_PUSH, random.nextInt(200, 256), WireSegment.WINDOW, 0, 1_000_000, 1, "x"));
                case BARE_ACK -> datagram(link, WireSegment.ack(CONV, 1_000_000, 1_000_000));
                case BARE_CONTROL -> datagram(link,
                    new WireSegment(CONV, random.nextInt(83, 85), 0, WireSegment.WINDOW, 0, 0, 1_000_000, ""));
                case SHORT_FEC_DATA -> fec(link, random, 0xf1, random.nextInt(10, 30));
                case FOREIGN_PARITY -> fec(link, random, 0xf2, random.nextInt(10, 1_400));
                case FOREIGN_OUT_OF_BAND -> fec(link, random, 0xf3, random.nextInt(14, 1_400));
            };
        }

        private static ByteBuf datagram(EmbeddedLink link, WireSegment... segments) {
            return WireSegment.datagram(link.allocator(), segments);
        }

        private static ByteBuf garbage(EmbeddedLink link, SplittableRandom random, int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return link.allocator().directBuffer(length).writeBytes(bytes);
        }

        /** Overwrites bytes 4 and 5 so that they are neither a valid command nor a FEC type. */
        private static ByteBuf withoutFec(ByteBuf garbage) {
            return garbage.setShortLE(4, 0x2020);
        }

        private static ByteBuf withLength(ByteBuf datagram, int length) {
            return datagram.setIntLE(SegmentHeader.LENGTH - Integer.BYTES, length);
        }

        private static ByteBuf cutOff(ByteBuf datagram, int bytes) {
            return datagram.writerIndex(datagram.writerIndex() - bytes);
        }

        private static ByteBuf fec(EmbeddedLink link, SplittableRandom random, int type, int length) {
            return garbage(link, random, length).setShortLE(4, type);
        }
    }

    private final RecordedLog log = new RecordedLog("io.kcp");

    @AfterEach
    void stopRecording() {
        log.close();
    }

    @ParameterizedTest
    @EnumSource
    void floodDoesNotDisturbOtherSessions(Class flood) {
        SplittableRandom random = new SplittableRandom(14);
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.pipeline().addLast(new FecCodec(null)),
            client -> client.pipeline().addLast(new FecCodec(null)))) {
            KcpChannel session = link.establish(CONV).session();
            KcpChannel neighbour = link.establish(NEIGHBOUR).session();
            link.advanceMs(1_000);
            long bytesBefore = link.outstandingBytes();
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < DATAGRAMS_A_ROUND; i++) {
                    link.server().channel().writeOneInbound(new DatagramPacket(flood.create(link, random), EmbeddedLink.SERVER_ADDRESS,
                        i % 2 == 0 ? STRANGER : EmbeddedLink.CLIENT_ADDRESS));
                }
                session.writeAndFlush(link.text("m" + round));
                neighbour.writeAndFlush(link.text("n" + round));
                link.settle();
                assertThat(link.accepted(0).messages()).endsWith("m" + round);
                assertThat(link.accepted(1).messages()).endsWith("n" + round);
                link.server().channel().checkException();
            }
            link.advanceMs(1_000);
            assertThat(link.accepted()).as("sessions").hasSize(2);
            assertThat(session.acknowledged().isSuccess() && neighbour.acknowledged().isSuccess()).isTrue();
            assertThat(link.accepted(0).exceptions()).isEmpty();
            assertThat(link.accepted(0).messages()).hasSize(ROUNDS + 1);
            assertThat(link.server().stats().droppedTotal()).as("datagrams of strangers").isGreaterThanOrEqualTo(
                (long) ROUNDS * DATAGRAMS_A_ROUND / 2);
            assertThat(link.outstandingBytes()).isLessThanOrEqualTo(bytesBefore);
            assertThat(log.messages()).isEmpty();
        }
    }
}
