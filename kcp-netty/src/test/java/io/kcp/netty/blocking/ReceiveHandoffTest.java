package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadPendingException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the transfer of received bytes to a reading thread. */
@Timeout(60)
@Tag("jdk")
class ReceiveHandoffTest {

    private static final int LONG_MS = 60_000;

    private final AtomicInteger resumes = new AtomicInteger();
    private final AtomicInteger idles = new AtomicInteger();
    private final ReceiveHandoff buffer = new ReceiveHandoff(resumes::incrementAndGet, idles::incrementAndGet);
    private final byte[] target = new byte[200_000];

    /** A clock that stands still until the test advances it, and that counts how often it is read. */
    private static final class SteppedClock implements LongSupplier {

        private final AtomicInteger readings = new AtomicInteger();
        private final AtomicLong nanos = new AtomicLong();
        private int readingsAtAdvance;

        @Override
        public long getAsLong() {
            readings.incrementAndGet();
            return nanos.get();
        }

        void advanceMs(long ms) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
            readingsAtAdvance = readings.get();
        }

        /** Waits until a thread that the test woke after the advance has read the clock and is blocked again or has ended. */
        void awaitReading(Blocked<?> reader) {
            await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofMillis(LONG_MS / 2))
                .until(() -> readings.get() > readingsAtAdvance || reader.isDone());
            reader.awaitBlockedOrDone();
        }
    }

    /** Adds zeros, and returns {@code true} if the event loop must stop reading. */
    private boolean add(int bytes) {
        buffer.add(new byte[bytes], bytes);
        return buffer.isPaused();
    }

    private int read() throws IOException, InterruptedException {
        return buffer.read(target, 0, target.length);
    }

    private int fillUntilPaused() {
        int added = 0;
        boolean paused = false;
        while (!paused) {
            paused = add(1_000);
            added += 1_000;
        }
        return added;
    }

    @Test
    void pausesAtItsCapacity() throws Exception {
        assertThat(fillUntilPaused()).isBetween(ReceiveHandoff.CAPACITY_BYTES, ReceiveHandoff.CAPACITY_BYTES + 1_000);
    }

    @Test
    void eachMessageAboveTheCapacityAsksForAPause() {
        fillUntilPaused();
        assertThat(add(1)).isTrue();
    }

    @Test
    void eventLoopResumesOncePerExchangeAndNotPerRead() throws Exception {
        int added = fillUntilPaused();
        for (int i = 0; i < added; i++) {
            assertThat(buffer.read(target, 0, 1)).isEqualTo(1);
        }
        assertThat(resumes).hasValue(1);
        add(10);
        assertThat(read()).isEqualTo(10);
        assertThat(resumes).hasValue(1);
    }

    @Test
    void dataIsReadBeforeTheFailure() throws Exception {
        add(10);
        buffer.fail(new IOException("broken"));
        assertThat(read()).isEqualTo(10);
        assertThatThrownBy(this::read).isInstanceOf(KcpSocketException.class).hasMessageContaining("broken");
        assertThatThrownBy(this::read).isInstanceOf(KcpSocketException.class);
    }

    @Test
    void dataIsReadBeforeTheEnd() throws Exception {
        add(10);
        buffer.end();
        assertThat(read()).isEqualTo(10);
        assertThat(read()).isEqualTo(-1);
        buffer.fail(new IOException("closed later"));
        assertThat(read()).isEqualTo(-1);
    }

    @Test
    void closeDiscardsUnreadBytes() throws Exception {
        add(10);
        buffer.read(target, 0, 1);
        add(10);
        buffer.close();
        assertThat(add(ReceiveHandoff.CAPACITY_BYTES)).isFalse();
        assertThatThrownBy(this::read).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(buffer::available).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void availableCountsAllUnreadBytes() throws Exception {
        add(10);
        buffer.read(target, 0, 1);
        add(5);
        assertThat(buffer.available()).isEqualTo(14);
    }

    @Test
    void availableMayBeCalledWhileAnotherThreadReads() throws Exception {
        Blocked<Integer> reader = Blocked.untilBlocked(() -> buffer.read(target, 0, 1));
        assertThat(buffer.available()).isZero();
        add(3);
        assertThat(reader.result()).isEqualTo(1);
        assertThat(buffer.available()).isEqualTo(2);
    }

    @Test
    void waitingReaderReleasesMemoryOfBothThreads() throws Exception {
        SteppedClock clock = new SteppedClock();
        ReceiveHandoff timed = new ReceiveHandoff(resumes::incrementAndGet, idles::incrementAndGet, clock);
        timed.add(new byte[100_000], 100_000);
        assertThat(timed.read(target, 0, target.length)).isEqualTo(100_000);
        timed.setTimeoutMs(LONG_MS);
        Blocked<Integer> reader = Blocked.untilBlocked(() -> timed.read(target, 0, target.length));
        clock.advanceMs(999);
        timed.setTimeoutMs(LONG_MS);
        clock.awaitReading(reader);
        assertThat(timed.hasIdleMemory()).as("before a second has passed").isTrue();
        clock.advanceMs(1);
        timed.setTimeoutMs(LONG_MS);
        clock.awaitReading(reader);
        assertThat(idles).hasValue(1);
        assertThat(timed.hasIdleMemory()).as("after a second").isFalse();
        timed.end();
        assertThat(reader.result()).isEqualTo(-1);
    }

    @Test
    void closeWakesTheReader() throws Exception {
        Blocked<Integer> reader = Blocked.untilBlocked(this::read);
        buffer.close();
        assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void interruptWakesTheReader() throws Exception {
        Blocked<Integer> reader = Blocked.untilBlocked(this::read);
        reader.interrupt();
        assertThat(reader.failure()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void interruptedThreadDoesNotReadStoredBytes() {
        add(10);
        Thread.currentThread().interrupt();
        assertThatThrownBy(this::read).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void readTimesOut() {
        buffer.setTimeoutMs(1);
        assertThatThrownBy(this::read).isInstanceOf(SocketTimeoutException.class).hasMessageContaining("1 ms");
    }

    @Test
    void bufferIsUsableAfterTimeout() throws Exception {
        buffer.setTimeoutMs(1);
        assertThatThrownBy(this::read).isInstanceOf(SocketTimeoutException.class);
        add(3);
        assertThat(read()).isEqualTo(3);
    }

    @Test
    void shorterTimeoutEndsWaitingRead() throws Exception {
        Blocked<Integer> reader = Blocked.untilBlocked(this::read);
        buffer.setTimeoutMs(1);
        assertThat(reader.failure()).isInstanceOf(SocketTimeoutException.class);
        buffer.setTimeoutMs(LONG_MS);
        Blocked<Integer> second = Blocked.untilBlocked(this::read);
        buffer.setTimeoutMs(1);
        assertThat(second.failure()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void longerTimeoutExtendsWaitingRead() throws Exception {
        SteppedClock clock = new SteppedClock();
        ReceiveHandoff timed = new ReceiveHandoff(resumes::incrementAndGet, idles::incrementAndGet, clock);
        timed.setTimeoutMs(LONG_MS);
        Blocked<Integer> reader = Blocked.untilBlocked(() -> timed.read(target, 0, target.length));
        clock.advanceMs(LONG_MS - 1);
        timed.setTimeoutMs(2 * LONG_MS);
        clock.awaitReading(reader);
        clock.advanceMs(LONG_MS);
        timed.setTimeoutMs(2 * LONG_MS);
        clock.awaitReading(reader);
        assertThat(reader.isDone()).as("after the first timeout and before the second").isFalse();
        clock.advanceMs(1);
        timed.setTimeoutMs(2 * LONG_MS);
        assertThat(reader.failure()).isInstanceOf(SocketTimeoutException.class).hasMessageContaining(2 * LONG_MS + " ms");
    }

    @Test
    void removedTimeoutLetsTheReaderWait() throws Exception {
        buffer.setTimeoutMs(LONG_MS);
        Blocked<Integer> reader = Blocked.untilBlocked(this::read);
        buffer.setTimeoutMs(0);
        reader.awaitBlocked();
        buffer.end();
        assertThat(reader.result()).isEqualTo(-1);
    }

    @Test
    void secondReaderIsRefused() throws Exception {
        Blocked<Integer> reader = Blocked.untilBlocked(this::read);
        assertThatThrownBy(this::read).isInstanceOf(ReadPendingException.class);
        add(7);
        assertThat(reader.result()).isEqualTo(7);
        add(8);
        assertThat(read()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    @Tag("slow")
    void readerGetsAllBytesInOrder(long seed) throws Exception {
        int total = 3_000_000;
        Semaphore resumed = new Semaphore(0);
        ReceiveHandoff shared = new ReceiveHandoff(resumed::release, () -> { });
        Blocked<Integer> loop = Blocked.start(() -> {
            SplittableRandom random = new SplittableRandom(seed);
            LoopStaging batch = new LoopStaging();
            int sent = 0;
            while (sent < total) {
                byte[] message = new byte[Math.min(total - sent, random.nextInt(1, 1 << random.nextInt(1, 15)))];
                for (int i = 0; i < message.length; i++) {
                    message[i] = contentAt(sent++);
                }
                if (batch.add(Unpooled.wrappedBuffer(message), shared) || random.nextInt(4) == 0) {
                    batch.moveTo(shared);
                    if (shared.isPaused()) {
                        resumed.acquire();
                    }
                    resumed.drainPermits();
                }
            }
            batch.moveTo(shared);
            shared.end();
            return sent;
        });
        SplittableRandom random = new SplittableRandom(~seed);
        byte[] part = new byte[50_000];
        int received = 0;
        int bytes = 0;
        while (bytes >= 0) {
            for (int i = 0; i < bytes; i++) {
                assertThat(part[i] == contentAt(received++)).as("seed %d, byte %d", seed, received).isTrue();
            }
            int limit = random.nextInt(1, part.length);
            bytes = random.nextBoolean() ? shared.read(part, 0, limit) : shared.read(ByteBuffer.wrap(part, 0, limit));
        }
        assertThat(received).as("seed " + seed).isEqualTo(total);
        assertThat(loop.result()).isEqualTo(total);
    }

    private static byte contentAt(int position) {
        return (byte) (position * 31 + (position >>> 8));
    }
}
