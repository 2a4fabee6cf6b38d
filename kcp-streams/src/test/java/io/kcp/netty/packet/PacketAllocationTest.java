package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.test.MedianAllocation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.PlatformDependent;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Measures the heap memory that the codec allocates per packet with pooled buffers. Leak detection is off, because it allocates. */
@Timeout(120)
@Tag("jdk")
@Tag("allocation")
class PacketAllocationTest {

    private static final int PACKETS = 2_000;
    /** Size of the bytes in front of a packet that belong to the previous read, so that each packet is received in two reads. */
    private static final int SPLIT_BYTES = 3;

    private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
    private ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    @BeforeEach
    void turnLeakDetectionOff() {
        // Without sun.misc.Unsafe, as on JDK 25 by default, Netty's direct buffers create a ByteBuffer for each access to several bytes.
        assumeTrue(PlatformDependent.hasUnsafe(), "Netty does not use sun.misc.Unsafe on this version of Java");
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterEach
    void restoreLeakDetection() {
        ResourceLeakDetector.setLevel(level);
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "false, 64", "false, 2048", "false, 8192", "true, 0", "true, 64", "true, 2048", "true, 8192"})
    void encodingAllocatesNothing(boolean checksum, int payloadBytes) throws Exception {
        EmbeddedChannel channel = channel(checksum);
        assertThat(allocatedPerPacket(() -> {
            channel.pipeline().write(allocator.directBuffer(Math.max(1, payloadBytes)).writeZero(payloadBytes), channel.voidPromise());
            channel.pipeline().flush();
            ByteBuf packet = channel.readOutbound();
            packet.release();
        })).isZero();
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "false, 64", "false, 2048", "false, 8192", "false, 30000", "true, 0", "true, 64", "true, 2048", "true, 30000"})
    void decodingAllocatesNothing(boolean checksum, int payloadBytes) throws Exception {
        byte[] packet = PacketBytes.encode(checksum, List.of(new byte[payloadBytes]));
        EmbeddedChannel channel = channel(checksum);
        int[] received = new int[1];
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                received[0]++;
                ((ByteBuf) message).release();
            }
        });
        assertThat(allocatedPerPacket(() -> {
            channel.pipeline().fireChannelRead(allocator.directBuffer(packet.length).writeBytes(packet));
            channel.pipeline().fireChannelRead(allocator.directBuffer(packet.length).writeBytes(packet, 0, SPLIT_BYTES));
            channel.pipeline().fireChannelRead(
                allocator.directBuffer(packet.length).writeBytes(packet, SPLIT_BYTES, packet.length - SPLIT_BYTES));
        })).isZero();
        assertThat(received[0]).isPositive().isEven();
        channel.finishAndReleaseAll();
    }

    private EmbeddedChannel channel(boolean checksum) {
        EmbeddedChannel channel = new EmbeddedChannel(new PacketCodec(PacketFormat.DEFAULT.withChecksum(checksum)));
        channel.config().setAllocator(allocator);
        return channel;
    }

    private static long allocatedPerPacket(Runnable packet) throws Exception {
        FutureTask<Long> median = new FutureTask<>(
            () -> MedianAllocation.of(0, () -> MedianAllocation.perRound(PACKETS, packet)));
        new FastThreadLocalThread(median).start();
        return median.get();
    }
}
