package io.kcp.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PayloadSlabTest {

    private static final int BYTES = 64;

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true);
    private final PayloadSlab slab = new PayloadSlab(memory);

    private long usedBytes() {
        return memory.metric().usedDirectMemory() + memory.metric().usedHeapMemory();
    }

    @AfterEach
    void everythingIsReleased() {
        slab.release();
        assertThat(usedBytes()).isZero();
    }

    @Test
    void releasedMemoryIsUsedAgain() {
        for (int i = 0; i < 10_000; i++) {
            ByteBuf payload = slab.allocate(BYTES);
            assertThat(payload.capacity()).isEqualTo(BYTES);
            assertThat(payload.readableBytes()).isZero();
            payload.release();
            assertThat(usedBytes()).isEqualTo(PayloadSlab.SLAB_BYTES);
        }
    }

    @Test
    void keptMessageOccupiesAtMostOneSlab() {
        List<ByteBuf> kept = new ArrayList<>();
        for (int message = 0; message < 100; message++) {
            kept.add(slab.allocate(1));
            // The other messages of the slab are released.
            for (int i = 0; i < PayloadSlab.SLAB_BYTES / BYTES; i++) {
                slab.allocate(BYTES).release();
            }
        }
        assertThat(usedBytes()).isLessThanOrEqualTo(101L * PayloadSlab.SLAB_BYTES);
        kept.forEach(ByteBuf::release);
        assertThat(usedBytes()).isLessThanOrEqualTo(PayloadSlab.SLAB_BYTES);
    }

    @Test
    void buffersDoNotOverlap() {
        List<ByteBuf> payloads = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            payloads.add(slab.allocate(Integer.BYTES).writeInt(i));
        }
        for (int i = 0; i < 1_000; i++) {
            assertThat(payloads.get(i).readInt()).isEqualTo(i);
            payloads.get(i).release();
        }
    }

    @Test
    void someBuffersAreAllocatedIndividuallySoThatLeaksAreReported() {
        int individual = 0;
        for (int i = 0; i < 10 * PayloadSlab.TRACKED_INTERVAL; i++) {
            ByteBuf payload = slab.allocate(BYTES);
            individual += usedBytes() > PayloadSlab.SLAB_BYTES ? 1 : 0;
            payload.release();
        }
        assertThat(individual).isEqualTo(10);
    }
}
