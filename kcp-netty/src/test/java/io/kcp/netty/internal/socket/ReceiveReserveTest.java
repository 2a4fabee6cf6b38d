package io.kcp.netty.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.internal.memory.MemoryLimit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that an event loop that cannot allocate read buffers still reads datagrams. */
@Timeout(60)
class ReceiveReserveTest {

    private final SwitchedAllocator allocator = new SwitchedAllocator();
    private final ReceiveReserve reserve = new ReceiveReserve(1 << 16, new MemoryLimit());

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
        allocator.fail(true);
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
        allocator.fail(false);
        ByteBuf ordinary = handle.allocate(allocator);
        assertThat(ordinary).isNotSameAs(first);
        ordinary.release();
        reserve.release();
        channel.finishAndReleaseAll();
    }

    /** An exception would permanently stop the reads of an io_uring socket. */
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
        allocator.fail(true);
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
        ReceiveReserve scanty = new ReceiveReserve(1 << 16, new MemoryLimit(), allocator);
        allocator.fail(true);
        scanty.fill();
        assertThat(scanty.take(100)).isNull();
        allocator.fail(false);
        scanty.fill();
        ByteBuf taken = scanty.take(100);
        assertThat(taken).isNotNull();
        taken.release();
        scanty.release();
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
        allocator.fail(true);
        ByteBuf room = closed.allocate(allocator);
        assertThat(reserve.isScarce()).isTrue();
        allocator.fail(false);
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
}
