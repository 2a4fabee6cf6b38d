package io.kcp.netty.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jdk")
class DatagramSlabTest {

    private static final int SLAB_BYTES = 1_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final DatagramSlab slab = new DatagramSlab(SLAB_BYTES);

    @AfterEach
    void everythingIsGivenBack() {
        slab.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void piecesLieOneBehindTheOther() {
        ByteBuf first = slab.carve(allocator, 100);
        ByteBuf second = slab.carve(allocator, 50);
        assertThat(first.writableBytes()).isEqualTo(100);
        assertThat(second.memoryAddress()).isEqualTo(first.memoryAddress() + 100);
        first.release();
        second.release();
    }

    @Test
    void whatOfTheLastPieceIsNotUsedBelongsToTheNext() {
        ByteBuf first = slab.carve(allocator, 100);
        slab.shorten(first, 30);
        ByteBuf second = slab.carve(allocator, 100);
        assertThat(second.memoryAddress()).isEqualTo(first.memoryAddress() + 30);
        slab.shorten(first, 10);
        ByteBuf third = slab.carve(allocator, 100);
        assertThat(third.memoryAddress()).as("it is too late for any piece but the last").isEqualTo(second.memoryAddress() + 100);
        slab.shorten(third, 200);
        ByteBuf fourth = slab.carve(allocator, 100);
        assertThat(fourth.memoryAddress()).as("a piece does not grow").isEqualTo(third.memoryAddress() + 100);
        List.of(first, second, third, fourth).forEach(ByteBuf::release);
    }

    @Test
    void piecesAreNeverCutFromWhatSomebodyHolds() {
        List<ByteBuf> held = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            held.add(slab.carve(allocator, 90).writeZero(90));
        }
        held.forEach(piece -> piece.setByte(0, piece.getByte(0) + 1));
        assertThat(held).allMatch(piece -> piece.getByte(0) == 1);
        held.forEach(ByteBuf::release);
    }

    @Test
    void memoryThatNobodyHoldsIsUsedAgain() {
        ByteBuf first = slab.carve(allocator, 600);
        long address = first.memoryAddress();
        first.release();
        ByteBuf second = slab.carve(allocator, 600);
        assertThat(second.memoryAddress()).isEqualTo(address);
        second.release();
    }

    /** An allocator that wraps the first few buffers, as the sampling of the leak detector does. */
    private static final class WatchingAllocator extends AbstractByteBufAllocator {

        private final UnpooledByteBufAllocator memory;
        private int watched;
        private int made;

        WatchingAllocator(UnpooledByteBufAllocator memory, int watched) {
            super(true);
            this.memory = memory;
            this.watched = watched;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return memory.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            ByteBuf buffer = memory.directBuffer(initialCapacity, maxCapacity);
            made++;
            return watched-- > 0 ? buffer.duplicate() : buffer;
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2", "3, 4", "9, 4"})
    void memoryThatTheLeakDetectorWatchesIsUsedOnlyIfThereIsHardlyAnyOther(int watched, int made) {
        WatchingAllocator watching = new WatchingAllocator(allocator, watched);
        slab.carve(watching, 100).release();
        assertThat(watching.made).isEqualTo(made);
        assertThat(allocator.metric().usedDirectMemory()).as("one slab").isEqualTo(SLAB_BYTES);
    }

    @Test
    void aPieceLongerThanTheSlabHasMemoryOfItsOwn() {
        ByteBuf long1 = slab.carve(allocator, SLAB_BYTES + 1);
        assertThat(long1.writableBytes()).isEqualTo(SLAB_BYTES + 1);
        assertThat(slab.from(long1.memoryAddress())).isNull();
        long1.release();
    }

    @Test
    void theRestFromAPieceOnSharesItsMemory() {
        ByteBuf first = slab.carve(allocator, 100);
        ByteBuf second = slab.carve(allocator, 100).writeByte(7);
        ByteBuf rest = slab.from(first.memoryAddress());
        assertThat(rest).isNotNull();
        assertThat(rest.capacity()).isEqualTo(SLAB_BYTES);
        assertThat(rest.writerIndex(101).getByte(100)).isEqualTo((byte) 7);
        first.release();
        second.release();
        slab.release();
        assertThat(rest.getByte(100)).as("held after all others are gone").isEqualTo((byte) 7);
        rest.release();
        assertThat(slab.from(0)).isNull();
    }
}
