package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.test.MedianAllocation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Receiving a frame allocates no objects, and sending a frame allocates only the promises of the writes to the parent channel. Pooled
 * buffers are reused, so they do not count.
 */
@Timeout(120)
@Tag("jdk")
@Tag("allocation")
class SmuxAllocationTest {

    private static final int ROUNDS = 2_000;
    private static final int WARM_UP = 20;
    private static final PooledByteBufAllocator POOL = PooledByteBufAllocator.DEFAULT;

    private final ResourceLeakDetector.Level leakLevel = ResourceLeakDetector.getLevel();
    private final EmbeddedChannel parent = new EmbeddedChannel();
    private Channel stream;

    /** Discards all data of the stream. */
    private final class Discard extends ChannelInboundHandlerAdapter {

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            stream = context.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }
    }

    @BeforeEach
    void disableLeakDetection() {
        assumeTrue(MedianAllocation.isSupported());
        // Without sun.misc.Unsafe, as on JDK 25 by default, Netty's direct buffers create a ByteBuffer for each access to several bytes.
        assumeTrue(PlatformDependent.hasUnsafe(), "Netty does not use sun.misc.Unsafe on this version of Java");
        // The leak detector allocates an object for each buffer.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    private void openStream(SmuxVersion version) {
        parent.config().setAllocator(POOL);
        parent.pipeline().addLast(SmuxHandler.server().version(version).childOption(ChannelOption.ALLOCATOR, POOL)
            .childHandler(new Discard()).build());
        parent.writeInbound(POOL.buffer().writeBytes(new WireFrame(version.number(), WireFrame.SYN, 3, new byte[0]).bytes()));
        discardOutput();
    }

    @AfterEach
    void closeParent() {
        ResourceLeakDetector.setLevel(leakLevel);
        parent.finishAndReleaseAll();
    }

    /** Runs a measurement on a {@code FastThreadLocalThread}. Only such threads, which event loops use, let Netty recycle all buffers. */
    private static long onEventLoopThread(MedianAllocation.Measurement measurement) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor(new DefaultThreadFactory("smux-allocation"));
        try {
            return thread.submit(measurement::bytes).get();
        } finally {
            thread.shutdown();
        }
    }

    private static long allocatedPerRound(Runnable round, long goal) throws Exception {
        return onEventLoopThread(() -> MedianAllocation.of(goal, () -> MedianAllocation.perRound(ROUNDS, round)));
    }

    private void discardOutput() {
        parent.runPendingTasks();
        for (Object sent = parent.outboundMessages().poll(); sent != null; sent = parent.outboundMessages().poll()) {
            ReferenceCountUtil.release(sent);
        }
    }

    /** Short payloads are copied, and long ones are slices. Version 1 sends no UPD frames, each of which would allocate a promise. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 1_000, 40_000})
    void receivingAFrameAllocatesNothing(int bytes) throws Exception {
        openStream(SmuxVersion.V1);
        byte[] frame = new WireFrame(1, WireFrame.PSH, 3, new byte[bytes]).bytes();
        ByteBuf frames = POOL.directBuffer().writeBytes(frame).writeBytes(frame);
        assertThat(allocatedPerRound(() -> {
            parent.pipeline().fireChannelRead(frames.retainedDuplicate());
            parent.pipeline().fireChannelReadComplete();
            discardOutput();
        }, 0)).isZero();
        frames.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 1_000, 20_000})
    void sendingAFrameAllocatesOnlyThePromisesOfItsWrites(int bytes) throws Exception {
        openStream(SmuxVersion.V2);
        ByteBuf update = POOL.directBuffer().writeZero(16);
        ByteBuf data = POOL.directBuffer().writeZero(bytes);
        long promises = (bytes >= 4_096 ? 2 : 1) * allocatedByWrite();
        long[] sent = {0};
        assertThat(allocatedPerRound(() -> {
            sent[0] += bytes;
            stream.writeAndFlush(data.retainedDuplicate(), stream.voidPromise());
            discardOutput();
            // The peer consumes everything.
            update.setIndex(0, 0).writeIntLE(2 | WireFrame.UPD << 8 | 8 << 16).writeIntLE(3).writeIntLE((int) sent[0]).writeIntLE(1 << 20);
            parent.pipeline().fireChannelRead(update.retainedDuplicate());
            parent.pipeline().fireChannelReadComplete();
        }, promises)).isLessThanOrEqualTo(promises);
        data.release();
        update.release();
    }

    /** Returns how much a write to the parent channel allocates without smux. */
    private static long allocatedByWrite() throws Exception {
        ByteBuf data = POOL.directBuffer().writeZero(100);
        EmbeddedChannel plain = new EmbeddedChannel();
        long allocated = onEventLoopThread(() -> MedianAllocation.afterWarmUp(WARM_UP, () -> MedianAllocation.perRound(ROUNDS, () -> {
            plain.writeAndFlush(data.retainedDuplicate());
            ReferenceCountUtil.release(plain.outboundMessages().poll());
        })));
        data.release();
        plain.finishAndReleaseAll();
        return allocated;
    }
}
