package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.HeldMemory;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A loop that cannot allocate a read buffer still reads. */
@Timeout(60)
class ReceiveReserveTest {

    /** Throws {@link OutOfMemoryError} for direct memory while the test says so. */
    private static final class FailingAllocator extends AbstractByteBufAllocator {

        private final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true, true);
        private final AtomicBoolean fails = new AtomicBoolean();

        FailingAllocator() {
            super(true);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (fails.get()) {
                throw new OutOfMemoryError("no direct memory, says the test");
            }
            return source.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return source.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    private final FailingAllocator allocator = new FailingAllocator();
    private final ReceiveReserve reserve = new ReceiveReserve(1 << 16, new HeldMemory());

    static Stream<DefaultMaxMessagesRecvByteBufAllocator> allocators() {
        return Stream.of(new BatchReceiveAllocator(), new SingleReceiveAllocator(false));
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void aReadWithoutMemoryGetsTheReserveOneAtATime(DefaultMaxMessagesRecvByteBufAllocator reads) {
        EmbeddedChannel channel = new EmbeddedChannel();
        reserve.fill();
        ((ReservedReads) reads).useReserve(reserve);
        @SuppressWarnings("deprecation")
        RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) reads.newHandle();
        handle.reset(channel.config());
        allocator.fails.set(true);
        ByteBuf first = handle.allocate(allocator);
        assertThat(first.isDirect()).isTrue();
        assertThat(first.writableBytes()).isGreaterThanOrEqualTo(handle.guess());
        handle.attemptedBytesRead(first.writableBytes());
        handle.lastBytesRead(100);
        handle.incMessagesRead(1);
        assertThat(handle.continueReading(() -> true)).as("what was read comes first").isFalse();
        assertThatThrownBy(() -> handle.allocate(allocator)).as("in use").satisfies(
            failure -> assertThat(failure instanceof OutOfMemoryError || failure.getCause() instanceof OutOfMemoryError).isTrue());
        first.release();
        handle.reset(channel.config());
        handle.allocate(allocator).release();
        allocator.fails.set(false);
        ByteBuf ordinary = handle.allocate(allocator);
        assertThat(ordinary).isNotSameAs(first);
        ordinary.release();
        reserve.release();
        channel.finishAndReleaseAll();
    }

    /** An exception would end the reading of an io_uring socket for good. */
    @Test
    void socketThatReadsAheadHasItsOwnReserveAndNeverFails() {
        EmbeddedChannel channel = new EmbeddedChannel();
        reserve.fill();
        SingleReceiveAllocator reads = new SingleReceiveAllocator(true);
        SingleReceiveAllocator others = new SingleReceiveAllocator(true);
        reads.useReserve(reserve);
        others.useReserve(reserve);
        RecvByteBufAllocator.ExtendedHandle handle = handle(reads, channel);
        RecvByteBufAllocator.ExtendedHandle other = handle(others, channel);
        allocator.fails.set(true);
        ByteBuf outstanding = handle.allocate(allocator);
        ByteBuf outstandingOfOther = other.allocate(allocator);
        assertThat(outstanding.writableBytes()).isGreaterThanOrEqualTo(handle.guess());
        assertThat(outstandingOfOther.writableBytes()).isGreaterThanOrEqualTo(handle.guess());
        assertThat(handle.allocate(allocator).writableBytes()).as("its reserve is in use").isZero();
        reads.releaseReserve();
        assertThat(outstanding.refCnt()).as("until its read completes").isEqualTo(1);
        assertThat(handle.allocate(allocator).writableBytes()).as("closed").isZero();
        others.releaseReserve();
        outstanding.release();
        outstandingOfOther.release();
        assertThat(outstanding.refCnt() + outstandingOfOther.refCnt()).isZero();
        reserve.release();
        channel.finishAndReleaseAll();
    }

    @Test
    void theReserveIsGivenBackAtTheEnd() {
        assertThat(reserve.take(100)).as("before it is filled").isNull();
        reserve.fill();
        ByteBuf taken = reserve.take(100);
        reserve.release();
        assertThat(taken.refCnt()).isEqualTo(1);
        taken.release();
        assertThat(reserve.take(100)).isNull();
    }

    @Test
    void missingReserveIsFilledLater() {
        ReceiveReserve scanty = new ReceiveReserve(1 << 16, new HeldMemory(), allocator);
        allocator.fails.set(true);
        scanty.fill();
        assertThat(scanty.take(100)).isNull();
        allocator.fails.set(false);
        scanty.fill();
        ByteBuf taken = scanty.take(100);
        assertThat(taken).isNotNull();
        taken.release();
        scanty.release();
    }

    /** A later channel of the loop fills the reserve that the first one could not, and the count of loops stays right. */
    @Test
    void nextChannelOfTheLoopFillsTheMissingReserve() {
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel second = new EmbeddedChannel();
        LoopContext context = new LoopContext(first.eventLoop(), allocator);
        allocator.fails.set(true);
        context.enter(first);
        assertThat(context.reserve().take(100)).isNull();
        allocator.fails.set(false);
        context.enter(second);
        ByteBuf taken = context.reserve().take(100);
        assertThat(taken).isNotNull();
        taken.release();
        context.leave(first);
        assertThat(context.reserve().take(100)).as("in use by the second channel").isNotNull().satisfies(ByteBuf::release);
        context.leave(second);
        assertThat(context.reserve().take(100)).isNull();
        first.finish();
        second.finish();
    }

    /** The channel that used the reserve was closed before its next read. */
    @ParameterizedTest
    @MethodSource("allocators")
    void allocationOfAnotherChannelEndsTheScarcity(DefaultMaxMessagesRecvByteBufAllocator reads) {
        EmbeddedChannel channel = new EmbeddedChannel();
        reserve.fill();
        ((ReservedReads) reads).useReserve(reserve);
        RecvByteBufAllocator.ExtendedHandle closed = handle(reads, channel);
        RecvByteBufAllocator.ExtendedHandle other = handle(reads, channel);
        allocator.fails.set(true);
        ByteBuf room = closed.allocate(allocator);
        assertThat(reserve.isScarce()).isTrue();
        allocator.fails.set(false);
        other.allocate(allocator).release();
        assertThat(reserve.isScarce()).as("a datagram is in the reserve").isTrue();
        room.release();
        other.allocate(allocator).release();
        assertThat(reserve.isScarce()).isFalse();
        reserve.release();
        channel.finishAndReleaseAll();
    }

    @SuppressWarnings("deprecation")
    private static RecvByteBufAllocator.ExtendedHandle handle(DefaultMaxMessagesRecvByteBufAllocator reads, EmbeddedChannel channel) {
        RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) reads.newHandle();
        handle.reset(channel.config());
        return handle;
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL", "IO_URING"})
    void sessionsGoOnWhileNoDirectMemoryCanBeAllocated(KcpTransport transport) throws InterruptedException {
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .option(ChannelOption.ALLOCATOR, allocator).childOption(ChannelOption.ALLOCATOR, allocator));
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            exchange(loopback, client, answers, 1);
            allocator.fails.set(true);
            for (int i = 2; i < 20; i++) {
                exchange(loopback, client, answers, i);
            }
            allocator.fails.set(false);
            exchange(loopback, client, answers, 20);
        }
        assertThat(allocator.source.metric().usedDirectMemory()).isZero();
    }

    /** io_uring has one read per socket outstanding, so that sockets of one loop cannot share a reserve. */
    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL", "IO_URING"})
    void manySocketsOfOneLoopGoOnWhileNoDirectMemoryCanBeAllocated(KcpTransport transport) throws InterruptedException {
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .option(ChannelOption.ALLOCATOR, allocator).childOption(ChannelOption.ALLOCATOR, allocator));
            List<KcpChannel> clients = new ArrayList<>();
            List<MessageCollector> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                answers.add(new MessageCollector());
                clients.add(loopback.connect(loopback.client(answers.get(i)).socketOption(ChannelOption.ALLOCATOR, allocator),
                    server.localAddress()));
                exchange(loopback, clients.get(i), answers.get(i), 1);
            }
            allocator.fails.set(true);
            for (int message = 2; message < 5; message++) {
                for (int i = 0; i < 8; i++) {
                    exchange(loopback, clients.get(i), answers.get(i), message);
                }
            }
            allocator.fails.set(false);
            exchange(loopback, clients.get(0), answers.get(0), 5);
        }
        assertThat(allocator.source.metric().usedDirectMemory()).isZero();
    }

    private static void exchange(Loopback loopback, KcpChannel client, MessageCollector answers, int number)
        throws InterruptedException {
        String text = number + "-" + "x".repeat(1_000);
        client.writeAndFlush(loopback.allocator().buffer().writeBytes(text.getBytes(StandardCharsets.US_ASCII)));
        assertThat(answers.next()).isEqualTo(text);
    }
}
