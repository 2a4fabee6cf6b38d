package io.kcp.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpOutput;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the limit on the memory of conversations whose peers are not validated. */
class MemoryLimitUnvalidatedTest {

    private static final int LIMIT_BYTES = 400_000;

    /** An output that is never used. */
    private static final class NoOutput implements KcpOutput {

        @Override
        public int overheadBytes() {
            return 0;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(ByteBuf datagram) {
            throw new UnsupportedOperationException();
        }
    }

    private final MemoryLimit memory = new MemoryLimit();

    @BeforeEach
    void setLimit() {
        memory.setMaxHeldBytes(LIMIT_BYTES);
    }

    private SessionMemory holder(boolean unvalidated, long bytes) {
        SessionMemory holder = new SessionMemory(memory, new NoOutput());
        holder.begin();
        holder.setUnvalidated(unvalidated);
        holder.set(bytes, 0, 0);
        return holder;
    }

    @Test
    void validatedConversationsDoNotCount() {
        holder(false, 300_000);
        assertThat(memory.unvalidatedBytes()).isZero();
        assertThat(memory.isUnvalidatedShort()).isFalse();
        assertThat(memory.findUnvalidatedExcess()).isEmpty();
    }

    @Test
    void memoryIsShortAtAnEighthOfTheLimit() {
        holder(true, LIMIT_BYTES / 8 - 1);
        assertThat(memory.isUnvalidatedShort()).isFalse();
        holder(true, 1);
        assertThat(memory.isUnvalidatedShort()).isTrue();
        assertThat(memory.isUnvalidatedExceeded()).isFalse();
    }

    @Test
    void oldestUnvalidatedConversationsAreFoundUntilAQuarterIsLeft() {
        holder(true, 100);
        SessionMemory first = holder(true, 30_000);
        SessionMemory second = holder(true, 30_000);
        SessionMemory validated = holder(true, 100_000);
        holder(true, 30_000);
        assertThat(memory.isUnvalidatedExceeded()).isTrue();
        validated.setUnvalidated(false);
        assertThat(memory.unvalidatedBytes()).isEqualTo(90_100);
        assertThat(memory.findUnvalidatedExcess()).isEmpty();
        holder(true, 30_000);
        assertThat(memory.findUnvalidatedExcess()).containsExactly(first);
        holder(true, 30_000);
        assertThat(memory.findUnvalidatedExcess()).containsExactly(first, second);
    }

    /** A server that sends a short greeting has many sessions that each hold less than 2 KiB. */
    @Test
    void smallConversationsAreFound() {
        List<SessionMemory> holders = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            holders.add(holder(true, 1_500));
        }
        holders.get(0).setUnvalidated(false);
        assertThat(memory.findUnvalidatedExcess()).containsExactlyElementsOf(holders.subList(1, 34));
        holders.get(1).set(0, 0, 0);
        holders.get(2).setUnvalidated(false);
        holders.get(2).setUnvalidated(true);
        assertThat(memory.findUnvalidatedExcess()).as("beginning with the oldest").containsExactlyElementsOf(holders.subList(3, 35));
        holders.forEach(SessionMemory::release);
        assertThat(memory.findUnvalidatedExcess()).isEmpty();
    }

    @Test
    void releasedConversationsNoLongerCount() {
        SessionMemory released = holder(true, 200_000);
        released.release();
        assertThat(memory.unvalidatedBytes()).isZero();
        assertThat(memory.heldBytes()).isZero();
        assertThat(memory.findUnvalidatedExcess()).isEmpty();
        released.setUnvalidated(false);
        assertThat(memory.unvalidatedBytes()).isZero();
    }

    /** Covers a conversation that is large when it is validated, and one that grows after its validation. */
    @Test
    void validatedConversationsAreFoundAsStuck() {
        SessionMemory early = holder(true, 300_000);
        early.setUnvalidated(false);
        SessionMemory late = holder(true, 10);
        late.setUnvalidated(false);
        late.set(250_000, 0, 0);
        memory.findStuck(0, 5_000);
        assertThat(memory.findStuck(5_000, 5_000)).containsExactly(early);
        early.release();
        late.set(390_000, 0, 0);
        memory.findStuck(6_000, 5_000);
        assertThat(memory.findStuck(11_000, 5_000)).containsExactly(late);
    }
}
