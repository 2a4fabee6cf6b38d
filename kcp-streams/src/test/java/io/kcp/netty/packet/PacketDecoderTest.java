package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.netty.internal.base.PartialInputLimit;
import io.kcp.netty.packet.PacketException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on the decoder, and its behaviour as a Netty handler. All its buffers come from a counting allocator. */
@Timeout(60)
class PacketDecoderTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, false);
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    private EmbeddedChannel channel(PacketFormat format) {
        return channel(new PacketDecoder(format));
    }

    private EmbeddedChannel channel(PacketDecoder decoder) {
        EmbeddedChannel channel = new EmbeddedChannel(decoder);
        channel.config().setAllocator(allocator);
        channels.add(channel);
        return channel;
    }

    private EmbeddedChannel channel() {
        return channel(PacketFormat.DEFAULT);
    }

    private long usedBytes() {
        return allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
    }

    @AfterEach
    void everyBufferIsReleased() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertThat(usedBytes()).isZero();
    }

    /** Adds a decoder to a channel whose handlers run on the event loop of another channel. */
    @SuppressWarnings("deprecation") // the only way to let several embedded channels share an executor
    private EmbeddedChannel channel(EmbeddedChannel loop, PartialInputLimit memory) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(allocator);
        channels.add(channel);
        channel.pipeline().addLast(loop.eventLoop(), new PacketDecoder(PacketFormat.DEFAULT, memory));
        return channel;
    }

    /** Each channel of a hostile peer announces a packet of 32 MiB and sends a part of it. Others announce two bytes and send one. */
    @Test
    void incompletePacketsUseLimitedMemoryAndHonestPacketsArrive() {
        int limit = 1 << 20;
        PartialInputLimit memory = new PartialInputLimit(limit, 0);
        EmbeddedChannel loop = channel(new PacketDecoder(PacketFormat.DEFAULT, memory));
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            EmbeddedChannel slow = channel(loop, memory);
            slow.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    failures.add(cause);
                }
            });
            slow.writeInbound(PacketBytes.buffer(PacketBytes.hex("00000002")), PacketBytes.buffer(new byte[16_000]));
            channel(loop, memory).writeInbound(PacketBytes.buffer(PacketBytes.hex("02000000 00")));
            loop.runPendingTasks();
        }
        assertThat(usedBytes()).isEqualTo(memory.usedBytes()).isLessThanOrEqualTo(limit);
        assertThat(failures).hasSizeBetween(100, 180).allSatisfy(failure -> assertThat(failure).isInstanceOfSatisfying(
            PacketException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MEMORY_LIMIT)));
        EmbeddedChannel honest = channel(loop, memory);
        honest.writeInbound(PacketBytes.buffer(PacketBytes.hex("983a0000")), PacketBytes.buffer(new byte[7_500]));
        loop.runPendingTasks();
        honest.writeInbound(PacketBytes.buffer(new byte[7_500]));
        loop.runPendingTasks();
        ByteBuf packet = honest.readInbound();
        assertThat(packet.readableBytes()).isEqualTo(15_000);
        packet.release();
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void packetThatIsNeverCompletedClosesItsChannel() {
        MockTicker ticker = Ticker.newMockTicker();
        EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker)
            .handlers(new PacketDecoder(PacketFormat.DEFAULT, new PartialInputLimit(1 << 20, 30_000))).build();
        channel.config().setAllocator(allocator);
        channels.add(channel);
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("05000000 41")));
        int seconds = 0;
        while (channel.isOpen() && seconds < 60) {
            seconds++;
            ticker.advance(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
        }
        assertThat(seconds).isBetween(30, 40);
        assertThatThrownBy(channel::checkException).isInstanceOfSatisfying(PacketException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.TIMEOUT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ffffffff", "01000002", "00000080", "ffffff7f"})
    void oversizeLengthClosesTheChannel(String header) {
        EmbeddedChannel channel = channel();
        ByteBuf in = PacketBytes.buffer(PacketBytes.hex(header + "00112233"));
        assertThatThrownBy(() -> channel.writeInbound(in)).isInstanceOfSatisfying(PacketException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.PAYLOAD_TOO_LARGE);
            assertThat(e).hasMessageContaining(Long.toString(Integer.toUnsignedLong(Integer.reverseBytes(
                Integer.parseUnsignedInt(header, 16))))).hasMessageContaining("33554432");
            assertThat(e.getStackTrace()).isEmpty();
        });
        assertThat(channel.isOpen()).isFalse();
        assertThat(in.refCnt()).isZero();
        assertThat(usedBytes()).isZero();
    }

    @Test
    void lengthJustAboveTheLimitIsRefusedAndTheLimitIsAccepted() {
        EmbeddedChannel accepted = channel(PacketFormat.DEFAULT.withMaxPayloadBytes(100));
        accepted.writeInbound(PacketBytes.buffer(PacketBytes.encode(false, List.of(new byte[100]))));
        assertThat(PacketBytes.packets(accepted)).hasSize(1);
        EmbeddedChannel refused = channel(PacketFormat.DEFAULT.withMaxPayloadBytes(100));
        assertThatThrownBy(() -> refused.writeInbound(PacketBytes.buffer(PacketBytes.hex("65000000"))))
            .isInstanceOf(PacketException.class)
            .hasMessage("The peer announced a payload of 101 bytes, but the limit is 100 (maxPayloadBytes).");
        assertThat(refused.isOpen()).isFalse();
    }

    @Test
    void packetsBeforeAnOversizeLengthAreDelivered() {
        EmbeddedChannel channel = channel();
        assertThatThrownBy(() -> channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("01000000 41 ffffffff 01000000 42"))))
            .isInstanceOf(PacketException.class);
        assertThat(PacketBytes.packets(channel)).containsExactly(new byte[] {0x41});
    }

    @Test
    void inputAfterAFailureIsDiscarded() {
        List<Throwable> failures = new ArrayList<>();
        EmbeddedChannel channel = channel();
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                // A close that takes time, such as one that lingers.
            }
        }).addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                failures.add(cause);
            }
        });
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("ffffffff")));
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("01000000 41 ffffffff")));
        assertThat(PacketBytes.packets(channel)).isEmpty();
        assertThat(failures).hasSize(1);
        channel.pipeline().removeFirst();
    }

    @Test
    @Tag("slow")
    void slowlyArrivingPacketUsesMemoryForWhatArrived() {
        EmbeddedChannel channel = channel(PacketFormat.DEFAULT.withChecksum(true));
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("00000002")));
        assertThat(usedBytes()).isLessThanOrEqualTo(512);
        byte[] chunk = new byte[1_000];
        for (int arrived = 0; arrived + chunk.length < PacketFormat.MAX_PAYLOAD_BYTES; arrived += chunk.length) {
            channel.writeInbound(PacketBytes.buffer(chunk));
            if (arrived % 100_000 == 0) {
                assertThat(usedBytes()).isLessThanOrEqualTo(2L * (arrived + chunk.length));
            }
        }
        assertThat(usedBytes()).isLessThanOrEqualTo(PacketFormat.MAX_PAYLOAD_BYTES);
        assertThat(PacketBytes.packets(channel)).isEmpty();
        channel.close();
        channel.runPendingTasks();
        assertThat(usedBytes()).isZero();
    }

    @Test
    void singleBytesOfAnAnnouncedLargePacketUseLittleMemory() {
        EmbeddedChannel channel = channel();
        for (byte b : PacketBytes.hex("00000002 01 02 03 04 05")) {
            channel.writeInbound(PacketBytes.buffer(new byte[] {b}));
            assertThat(usedBytes()).isLessThanOrEqualTo(512);
        }
    }

    @Test
    @Tag("slow")
    void emptyPacketFloodUsesNoMemoryAndNoStack() {
        EmbeddedChannel channel = channel();
        int[] delivered = new int[1];
        int[] notEmpty = new int[1];
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                notEmpty[0] += ((ByteBuf) message).isReadable() ? 1 : 0;
                ((ByteBuf) message).release();
                delivered[0]++;
                context.read();
            }
        });
        ByteBuf flood = Unpooled.directBuffer(4_000_000).writeZero(4_000_000);
        channel.writeInbound(flood);
        assertThat(delivered[0]).isEqualTo(1_000_000);
        assertThat(notEmpty[0]).as("packets that are not empty").isZero();
        assertThat(usedBytes()).isZero();
    }

    @Test
    void forgedChecksumClosesTheChannelForEveryChangedBit() {
        PacketFormat format = PacketFormat.DEFAULT.withChecksum(true).withMaxPayloadBytes(1 << 20);
        byte[] bytes = PacketBytes.encode(true, List.of("payload".getBytes(StandardCharsets.US_ASCII)));
        for (int bit = 32; bit < bytes.length * 8; bit++) {
            byte[] forged = bytes.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            for (int split : new int[] {0, 5, bytes.length - 2}) {
                EmbeddedChannel channel = channel(format);
                channel.writeInbound(PacketBytes.buffer(forged, 0, split));
                assertThatThrownBy(() -> channel.writeInbound(PacketBytes.buffer(forged, split, forged.length)))
                    .isInstanceOfSatisfying(PacketException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CHECKSUM_MISMATCH));
                assertThat(channel.isOpen()).isFalse();
                assertThat(PacketBytes.packets(channel)).isEmpty();
            }
        }
    }

    @Test
    void checksumCoversTheLength() {
        byte[] bytes = PacketBytes.encode(true, List.of(new byte[8]));
        bytes[0] = 4;
        assertThatThrownBy(() -> channel(PacketFormat.DEFAULT.withChecksum(true)).writeInbound(PacketBytes.buffer(bytes)))
            .isInstanceOfSatisfying(PacketException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CHECKSUM_MISMATCH));
    }

    @Test
    void incompletePacketIsDiscardedOnClose() {
        for (String half : List.of("01", "050000", "05000000", "05000000 4142", "05000000 4142434445 11")) {
            EmbeddedChannel channel = channel(PacketFormat.DEFAULT.withChecksum(true));
            channel.writeInbound(PacketBytes.buffer(PacketBytes.hex(half)));
            channel.close();
            channel.runPendingTasks();
            assertThat(PacketBytes.packets(channel)).isEmpty();
            assertThat(usedBytes()).isZero();
        }
    }

    @Test
    void incompletePacketIsDiscardedOnInputShutdown() {
        EmbeddedChannel channel = channel();
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("05000000 4142")));
        assertThat(usedBytes()).isPositive();
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(usedBytes()).isZero();
    }

    @Test
    void readsAgainUntilAPacketIsCompleteWithoutAutoRead() {
        int[] reads = new int[1];
        EmbeddedChannel channel = channel();
        channel.config().setAutoRead(false);
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                reads[0]++;
                context.read();
            }
        });
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("0200")));
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("0000 41")));
        assertThat(reads[0]).isEqualTo(2);
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("42")));
        assertThat(reads[0]).as("a packet was delivered").isEqualTo(2);
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("01000000 41 01")));
        assertThat(reads[0]).as("another packet was delivered").isEqualTo(2);
        channel.pipeline().fireChannelReadComplete();
        assertThat(reads[0]).as("nothing was received").isEqualTo(2);
        channel.pipeline().removeFirst();
    }

    @Test
    void removedDecoderPassesOnIncompletePacket() {
        for (boolean checksum : new boolean[] {false, true}) {
            byte[] bytes = PacketBytes.encode(checksum, List.of("hello".getBytes(StandardCharsets.US_ASCII)));
            for (int half = 1; half < bytes.length; half++) {
                EmbeddedChannel channel = channel(PacketFormat.DEFAULT.withChecksum(checksum));
                channel.writeInbound(PacketBytes.buffer(bytes, 0, half));
                channel.pipeline().remove(PacketDecoder.class);
                assertThat(PacketBytes.packets(channel)).containsExactly(Arrays.copyOf(bytes, half));
            }
        }
    }

    @Test
    void decoderRemovedByAPacketPassesOnTheRest() {
        EmbeddedChannel channel = channel();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (context.pipeline().get(PacketDecoder.class) != null) {
                    context.pipeline().remove(PacketDecoder.class);
                }
                context.fireChannelRead(message);
            }
        });
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("01000000 41 ffffffff 42")));
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("43")));
        assertThat(PacketBytes.packets(channel))
            .containsExactly(new byte[] {0x41}, PacketBytes.hex("ffffffff42"), new byte[] {0x43});
    }

    @Test
    void reentrantReadsKeepTheirOrder() {
        EmbeddedChannel channel = channel();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            private int injected;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (injected++ < 1) {
                    channel.pipeline().fireChannelRead(PacketBytes.buffer(PacketBytes.hex("43 01000000 44 01")));
                    channel.pipeline().fireChannelRead(PacketBytes.buffer(PacketBytes.hex("000000 45")));
                }
                context.fireChannelRead(message);
            }
        });
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("01000000 41 01000000 42 01000000")));
        assertThat(PacketBytes.packets(channel)).containsExactly(new byte[] {0x41}, new byte[] {0x42}, new byte[] {0x43},
            new byte[] {0x44}, new byte[] {0x45});
    }

    @Test
    void channelClosedByAPacketKeepsNoMemory() {
        EmbeddedChannel channel = channel();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ((ByteBuf) message).release();
                context.close();
                context.pipeline().fireChannelInactive();
            }
        });
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex("01000000 41 00000002 42")));
        assertThat(usedBytes()).isZero();
    }

    @Test
    void smallPacketDoesNotKeepTheReadBufferAlive() {
        EmbeddedChannel channel = channel();
        ByteBuf in = PacketBytes.buffer(PacketBytes.encode(false, List.of(new byte[10], new byte[60_000])));
        channel.writeInbound(in);
        ByteBuf small = channel.readInbound();
        ByteBuf large = channel.readInbound();
        assertThat(small.capacity()).isEqualTo(10);
        assertThat(large.readableBytes()).isEqualTo(60_000);
        assertThat(in.refCnt()).as("held by the large packet").isEqualTo(1);
        large.release();
        assertThat(in.refCnt()).isZero();
        small.release();
    }

    @Test
    void packetInASliceDoesNotKeepALargeReadBufferAlive() {
        EmbeddedChannel channel = channel();
        byte[] bytes = PacketBytes.encode(false, List.of(new byte[4_096]));
        ByteBuf read = Unpooled.buffer(65_536).writeZero(60_000).setBytes(20_000, bytes);
        channel.writeInbound(read.slice(20_000, bytes.length).slice(0, bytes.length));
        ByteBuf packet = channel.readInbound();
        assertThat(packet.readableBytes()).isEqualTo(4_096);
        assertThat(read.refCnt()).isZero();
        packet.release();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    @Tag("slow")
    void randomBytesNeverThrowAnotherExceptionNorLeak(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 5_000; i++) {
            EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(
                PacketFormat.DEFAULT.withChecksum(random.nextBoolean()).withMaxPayloadBytes(random.nextInt(1 << random.nextInt(1, 16)))));
            channel.config().setAllocator(allocator);
            try {
                for (int reads = random.nextInt(10); reads > 0; reads--) {
                    byte[] bytes = PacketBytes.random(random, random.nextInt(100));
                    if (bytes.length > 4 && random.nextBoolean()) {
                        bytes[1] = 0;
                        bytes[2] = 0;
                        bytes[3] = 0;
                    }
                    channel.writeInbound(PacketBytes.buffer(bytes));
                    assertThat(usedBytes()).isLessThan(10_000);
                }
            } catch (PacketException e) {
                assertThat(channel.isOpen()).as("seed %d", seed).isFalse();
            } finally {
                channel.finishAndReleaseAll();
            }
            assertThat(usedBytes()).as("seed %d", seed).isZero();
        }
    }
}
