package io.kcp.netty.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritePendingException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Transfers written bytes from the writing thread to the event loop. The first write schedules a task on the event loop. That task takes
 * and flushes everything that has been written by the time it runs. Small writes share a buffer. The writing thread blocks while the
 * buffer is full.
 */
final class SendHandoff extends EventLoopWaiter {

    /** Number of stored bytes at which the writing thread blocks. */
    static final int CAPACITY_BYTES = 262_144;
    private static final int MAX_BUFFER_BYTES = 65_536;
    /** Writes longer than this size get separate buffers, which are filled without holding the lock. */
    private static final int MAX_SHARED_WRITE_BYTES = 1_024;
    private static final int MIN_SHARED_BYTES = 256;
    private static final int MAX_SHARED_BYTES = 4_096;

    private final ByteBufAllocator allocator;
    private final Runnable schedule;
    private Queue<ByteBuf> queue = new ArrayDeque<>();
    private @Nullable ByteBuf shared;
    private int queuedBytes;
    /** The number of bytes that were queued when the channel closed. */
    private int discardedBytes;
    private boolean scheduled;
    private boolean ended;
    /** True while a thread writes. */
    private final AtomicBoolean writing = new AtomicBoolean();

    /**
     * Creates an empty buffer.
     *
     * @param schedule called by the writing thread to run {@link #take} on the event loop
     */
    SendHandoff(ByteBufAllocator allocator, Runnable schedule) {
        this.allocator = allocator;
        this.schedule = schedule;
    }

    // ---- called by the writing thread

    /** Queues all remaining bytes of a <b>borrowed</b> buffer. */
    void write(ByteBuffer source) throws IOException, InterruptedException {
        if (!writing.compareAndSet(false, true)) {
            throw new WritePendingException();
        }
        int start = source.position();
        try {
            checkOpen();
            while (source.hasRemaining()) {
                writeSome(source);
            }
        } catch (SocketTimeoutException timeout) {
            timeout.bytesTransferred = source.position() - start;
            throw timeout;
        } finally {
            writing.set(false);
        }
    }

    private void checkOpen() throws IOException {
        lock.lock();
        try {
            throwIfClosed();
        } finally {
            lock.unlock();
        }
    }

    private void throwIfClosed() throws IOException {
        if (isClosed()) {
            throw new ClosedChannelException();
        }
        Throwable cause = failure();
        if (cause != null) {
            throw KcpSocketException.of("Cannot write", cause);
        }
        if (ended) {
            throw new KcpSocketException("Cannot write, because the output was shut down");
        }
    }

    private void writeSome(ByteBuffer source) throws IOException, InterruptedException {
        int bytes;
        boolean first = false;
        lock.lock();
        try {
            awaitReady();
            throwIfClosed();
            bytes = Math.min(source.remaining(), Math.min(MAX_BUFFER_BYTES, CAPACITY_BYTES - queuedBytes));
            if (bytes <= MAX_SHARED_WRITE_BYTES) {
                append(source, bytes);
                first = onQueued(bytes);
                bytes = 0;
            }
        } finally {
            lock.unlock();
        }
        if (bytes > 0) {
            first = queue(copy(source, bytes));
        }
        if (first) {
            schedule.run();
        }
    }

    private void append(ByteBuffer source, int bytes) {
        ByteBuf target = shared;
        if (target == null || target.maxWritableBytes() < bytes) {
            target = allocator.ioBuffer(Math.max(MIN_SHARED_BYTES, bytes), MAX_SHARED_BYTES);
            queue.add(target);
            shared = target;
        }
        copy(source, bytes, target);
    }

    private ByteBuf copy(ByteBuffer source, int bytes) {
        ByteBuf target = allocator.ioBuffer(bytes, bytes);
        copy(source, bytes, target);
        return target;
    }

    private static void copy(ByteBuffer source, int bytes, ByteBuf target) {
        int end = source.limit();
        source.limit(source.position() + bytes);
        try {
            target.writeBytes(source);
        } finally {
            source.limit(end);
        }
    }

    private boolean queue(ByteBuf buffer) throws IOException {
        lock.lock();
        try {
            try {
                throwIfClosed();
            } catch (IOException closed) {
                buffer.release();
                throw closed;
            }
            queue.add(buffer);
            shared = null;
            return onQueued(buffer.readableBytes());
        } finally {
            lock.unlock();
        }
    }

    private boolean onQueued(int bytes) {
        queuedBytes += bytes;
        boolean first = !scheduled;
        scheduled = true;
        return first;
    }

    // ---- called on the event loop

    /**
     * Exchanges the queue with an empty one and wakes the writing thread.
     *
     * @param empty an empty queue
     * @return the queued buffers, <b>returned owned</b>
     */
    Queue<ByteBuf> take(Queue<ByteBuf> empty) {
        lock.lock();
        try {
            Queue<ByteBuf> taken = queue;
            queue = empty;
            shared = null;
            queuedBytes = 0;
            scheduled = false;
            signal();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Returns {@code true} if {@link #take} was scheduled and has not been called yet. */
    boolean isScheduled() {
        lock.lock();
        try {
            return scheduled;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of bytes that were written to this buffer and never sent, because the channel closed. */
    int discardedBytes() {
        lock.lock();
        try {
            return discardedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses later writes, and also the rest of a write that is waiting. */
    void end() {
        lock.lock();
        try {
            ended = true;
            signal();
        } finally {
            lock.unlock();
        }
    }

    // ---- waiting

    @Override
    boolean isReady() {
        return queuedBytes < CAPACITY_BYTES || ended || failure() != null;
    }

    @Override
    String timeoutMessage(long waitedMs) {
        return "The peer or the network accepted no data for " + waitedMs + " ms";
    }

    @Override
    void onFailed() {
        discardedBytes = queuedBytes;
        queue.forEach(ByteBuf::release);
        queue.clear();
        shared = null;
        queuedBytes = 0;
    }
}
