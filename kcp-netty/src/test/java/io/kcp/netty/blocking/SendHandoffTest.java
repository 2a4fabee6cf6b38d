package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritePendingException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the transfer of written bytes to an event loop. */
@Timeout(60)
@Tag("jdk")
class SendHandoffTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final AtomicInteger schedules = new AtomicInteger();
    private final SendHandoff buffer = new SendHandoff(allocator, schedules::incrementAndGet);

    @AfterEach
    void releaseAll() {
        take();
        assertThat(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory()).isZero();
    }

    private int write(int bytes) throws IOException, InterruptedException {
        buffer.write(ByteBuffer.allocate(bytes));
        return bytes;
    }

    /** Takes and releases the queued buffers, and returns the number of their bytes. */
    private int take() {
        int bytes = 0;
        for (ByteBuf part : buffer.take(new ArrayDeque<>())) {
            bytes += part.readableBytes();
            part.release();
        }
        return bytes;
    }

    @Test
    void oneTaskIsScheduledUntilTheLoopTakes() throws Exception {
        write(1);
        write(2_000);
        write(1);
        assertThat(schedules).hasValue(1);
        assertThat(take()).isEqualTo(2_002);
        write(1);
        assertThat(schedules).hasValue(2);
    }

    @Test
    void smallWritesShareABuffer() throws Exception {
        for (int i = 0; i < 4_096; i++) {
            write(1);
        }
        ArrayDeque<ByteBuf> taken = new ArrayDeque<>(buffer.take(new ArrayDeque<>()));
        assertThat(taken).hasSize(1);
        taken.forEach(ByteBuf::release);
    }

    @Test
    void orderOfSmallAndLargeWritesIsKept() throws Exception {
        byte next = 0;
        for (int length : new int[] {1, 2_000, 3, 4, 30_000, 5}) {
            byte[] part = new byte[length];
            part[0] = ++next;
            buffer.write(ByteBuffer.wrap(part));
        }
        byte expected = 0;
        for (ByteBuf part : buffer.take(new ArrayDeque<>())) {
            for (; part.isReadable(); ) {
                byte value = part.readByte();
                if (value != 0) {
                    assertThat(value).isEqualTo(++expected);
                }
            }
            part.release();
        }
        assertThat(expected).isEqualTo(next);
    }

    @Test
    void writerBlocksAtTheCapacity() throws Exception {
        Blocked<Integer> writer = Blocked.untilBlocked(() -> write(3 * SendHandoff.CAPACITY_BYTES));
        assertThat(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory())
            .isLessThanOrEqualTo(SendHandoff.CAPACITY_BYTES);
        int taken = 0;
        while (!writer.isDone()) {
            taken += take();
        }
        assertThat(taken + take()).isEqualTo(3 * SendHandoff.CAPACITY_BYTES);
    }

    @Test
    void writeTimesOutAndReportsTransferredBytes() throws Exception {
        buffer.setTimeoutMs(1);
        assertThatThrownBy(() -> write(SendHandoff.CAPACITY_BYTES + 1)).isInstanceOfSatisfying(SocketTimeoutException.class,
            timeout -> assertThat(timeout.bytesTransferred).isEqualTo(SendHandoff.CAPACITY_BYTES));
        take();
        assertThat(write(1)).isEqualTo(1);
    }

    @Test
    void shorterTimeoutEndsWaitingWrite() throws Exception {
        Blocked<Integer> writer = Blocked.untilBlocked(() -> write(SendHandoff.CAPACITY_BYTES + 1));
        buffer.setTimeoutMs(1);
        assertThat(writer.failure()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void closeWakesTheWriterAndKeepsStoredBytes() throws Exception {
        Blocked<Integer> writer = Blocked.untilBlocked(() -> write(SendHandoff.CAPACITY_BYTES + 1));
        buffer.close();
        assertThat(writer.failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThatThrownBy(() -> write(1)).isInstanceOf(ClosedChannelException.class);
        assertThat(take()).isEqualTo(SendHandoff.CAPACITY_BYTES);
    }

    @Test
    void failureReleasesStoredBytesAndWakesTheWriter() throws Exception {
        Blocked<Integer> writer = Blocked.untilBlocked(() -> write(SendHandoff.CAPACITY_BYTES + 1));
        buffer.fail(new IOException("broken"));
        assertThat(writer.failure()).isInstanceOf(KcpSocketException.class).hasMessageContaining("broken");
        assertThat(take()).isZero();
        assertThatThrownBy(() -> write(0)).isInstanceOf(KcpSocketException.class);
    }

    @Test
    void endRefusesLaterWrites() throws Exception {
        write(10);
        buffer.end();
        assertThatThrownBy(() -> write(1)).isInstanceOf(KcpSocketException.class).hasMessageContaining("shut down");
        assertThat(take()).isEqualTo(10);
    }

    @Test
    void secondWriterIsRefused() throws Exception {
        Blocked<Integer> writer = Blocked.untilBlocked(() -> write(SendHandoff.CAPACITY_BYTES + 1));
        assertThatThrownBy(() -> write(1)).isInstanceOf(WritePendingException.class);
        take();
        assertThat(writer.result()).isEqualTo(SendHandoff.CAPACITY_BYTES + 1);
    }

    @Test
    void interruptWakesTheWriter() throws Exception {
        Blocked<Integer> writer = Blocked.untilBlocked(() -> write(SendHandoff.CAPACITY_BYTES + 1));
        writer.interrupt();
        assertThat(writer.failure()).isInstanceOf(InterruptedException.class);
    }
}
