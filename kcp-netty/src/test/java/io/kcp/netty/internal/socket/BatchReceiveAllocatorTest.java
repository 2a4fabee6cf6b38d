package io.kcp.netty.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BatchReceiveAllocatorTest {

    private static final int SLOT = BatchReceiveAllocator.DATAGRAM_BYTES;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final BatchReceiveAllocator allocator = new BatchReceiveAllocator();
    @SuppressWarnings("deprecation")
    private final RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) allocator.newHandle();

    private final SingleReceiveAllocator single = new SingleReceiveAllocator(false);
    @SuppressWarnings("deprecation")
    private final RecvByteBufAllocator.ExtendedHandle singleHandle = (RecvByteBufAllocator.ExtendedHandle) single.newHandle();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private int slots() {
        return handle.guess() / SLOT;
    }

    /** Reads the datagrams in the socket as the epoll transport does after one wake-up. Returns the number of reads. */
    private int wakeUp(int waiting) {
        int left = waiting;
        int reads = 0;
        handle.reset(channel.config());
        do {
            int read = Math.min(left, slots());
            left -= read;
            reads++;
            handle.attemptedBytesRead(handle.guess());
            // A single read reports the length of its datagram, a recvmmsg a multiple of the slot size, and an empty read -1.
            handle.lastBytesRead(read == 0 ? -1 : slots() == 1 ? 60 : read * SLOT);
            if (read == 0) {
                break;
            }
            handle.incMessagesRead(read);
        } while (handle.continueReading(() -> true));
        handle.readComplete();
        return reads;
    }

    @Test
    void datagramsThatComeSinglyAreReadSingly() {
        for (int i = 0; i < 100; i++) {
            assertThat(slots()).isEqualTo(1);
            wakeUp(1);
        }
        assertThat(slots()).isEqualTo(1);
    }

    @Test
    void loneDatagramCostsOneReadInFifteenOfSixteenBatches() {
        for (int i = 0; i < BatchReceiveAllocator.LONE_BATCHES; i++) {
            assertThat(wakeUp(1)).as("with a check").isEqualTo(2);
        }
        int reads = 0;
        for (int i = 0; i < 160; i++) {
            reads += wakeUp(1);
        }
        assertThat(reads).isEqualTo(160 + 10);
    }

    @Test
    void waitingDatagramsAreFoundAfterAtMostFifteenBatches() {
        for (int i = 0; i < 100; i++) {
            wakeUp(1);
        }
        int batches = 1;
        while (wakeUp(200) == 1) {
            batches++;
        }
        assertThat(batches).isLessThanOrEqualTo(BatchReceiveAllocator.UNCHECKED_BATCHES + 1);
        assertThat(slots()).as("read in portions again").isEqualTo(32);
        assertThat(wakeUp(2)).as("the next batches are checked").isEqualTo(1);
        wakeUp(0);
        for (int i = 0; i < 5; i++) {
            wakeUp(1);
        }
        assertThat(wakeUp(1)).isEqualTo(2);
    }

    @Test
    void burstIsReadInEverLargerPortions() {
        int reads = wakeUp(200);
        assertThat(slots()).isEqualTo(32);
        assertThat(reads).isLessThan(16);
        assertThat(wakeUp(200)).as("the next burst").isLessThanOrEqualTo(8);
        assertThat(slots()).isEqualTo(32);
    }

    @Test
    void portionThatIsNotFullEndsTheReading() {
        wakeUp(200);
        assertThat(wakeUp(20)).isEqualTo(1);
    }

    @Test
    void portionsShrinkAgainWhenLittleComes() {
        wakeUp(200);
        for (int i = 0; i < 5; i++) {
            wakeUp(1);
        }
        assertThat(slots()).isEqualTo(1);
    }

    @Test
    void steadyTrafficKeepsItsPortion() {
        wakeUp(200);
        for (int i = 0; i < 50; i++) {
            wakeUp(20);
        }
        assertThat(slots()).isEqualTo(32);
    }

    @Test
    void emptyDatagramEndsNothing() {
        handle.reset(channel.config());
        handle.lastBytesRead(0);
        handle.incMessagesRead(1);
        handle.readComplete();
        assertThat(slots()).isEqualTo(1);
    }

    /** Reads from a socket with many datagrams and requests the end of the batch after the second read. Returns the number of reads. */
    private int wakeUpAndEnd(RecvByteBufAllocator.ExtendedHandle reader) {
        int[] reads = new int[1];
        reader.reset(channel.config());
        do {
            reader.attemptedBytesRead(reader.guess());
            reader.lastBytesRead(60);
            reader.incMessagesRead(1);
            if (++reads[0] == 2) {
                ((ReservedReads) (reader == handle ? allocator : single)).requestEnd();
            }
        } while (reader.continueReading(() -> reads[0] < 10));
        reader.readComplete();
        return reads[0];
    }

    @Test
    void endedBatchReadsNoMoreAndLeavesDatagramsInTheSocket() {
        allocator.setGro(true);
        assertThat(wakeUpAndEnd(handle)).isEqualTo(2);
        assertThat(allocator.endedEarly()).isTrue();
        assertThat(allocator.endedAtLimit()).isFalse();
        assertThat(wakeUpAndEnd(singleHandle)).isEqualTo(2);
        assertThat(single.endedEarly()).isTrue();
        assertThat(single.endedAtLimit()).isFalse();
    }

    @Test
    void batchReadsTheWholeSocketFromTimeToTimeWithGro() {
        allocator.setGro(true);
        int batches = 0;
        while (wakeUpAndEnd(handle) == 2) {
            batches++;
            assertThat(batches).isLessThan(100_000);
        }
        assertThat(batches).isGreaterThan(1_000);
        allocator.restartCount();
        assertThat(wakeUpAndEnd(handle)).isEqualTo(2);
    }

    @Test
    void batchThatFindsTheSocketEmptyHasNotEndedEarly() {
        wakeUp(200);
        handle.reset(channel.config());
        handle.attemptedBytesRead(handle.guess());
        handle.lastBytesRead(5 * SLOT);
        handle.incMessagesRead(5);
        allocator.requestEnd();
        assertThat(handle.continueReading(() -> true)).isFalse();
        assertThat(allocator.endedEarly()).as("recvmmsg has not filled its buffer").isFalse();
    }

    @Test
    void endedBatchDoesNotShortenTheNextOne() {
        int reads = wakeUp(200);
        allocator.requestEnd();
        assertThat(wakeUp(200)).as("reads of the next batch").isBetween(2, reads);
        assertThat(allocator.endedEarly()).isFalse();
    }

    @Test
    void endedAtLimitUntilTheSocketIsDrained() {
        for (int i = 0; i < 3; i++) {
            wakeUp(100_000);
            assertThat(allocator.endedAtLimit()).isTrue();
        }
        wakeUp(20);
        assertThat(allocator.endedAtLimit()).as("portion that is not full").isFalse();
        wakeUp(100_000);
        wakeUp(0);
        assertThat(allocator.endedAtLimit()).as("empty socket").isFalse();
        for (int i = 0; i < 100; i++) {
            wakeUp(1);
            assertThat(allocator.endedAtLimit()).as("single datagram").isFalse();
        }
    }

    @Test
    void readingEndsAfterALimitSoThatTheLoopGetsOn() {
        wakeUp(200);
        int reads = wakeUp(100_000);
        assertThat(reads * 32).isBetween(BatchReceiveAllocator.MAX_MESSAGES_PER_READ,
            BatchReceiveAllocator.MAX_MESSAGES_PER_READ + 32);
    }
}
