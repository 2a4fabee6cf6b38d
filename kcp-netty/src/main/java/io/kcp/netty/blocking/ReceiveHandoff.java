package io.kcp.netty.blocking;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadPendingException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Transfers received bytes from the event loop to the reading thread. The event loop appends to one array while the thread reads from
 * another. When the thread has read its array, it exchanges the arrays. The thread asks the event loop to resume reading only after such
 * an exchange, not after each read.
 *
 * <p>Bytes are copied, because a slice of a datagram would keep a much larger read buffer alive while the application does not read.
 */
final class ReceiveHandoff extends EventLoopWaiter {

    /**
     * The number of bytes at which the event loop stops reading from the channel. The reading thread may hold as many bytes in addition.
     */
    static final int CAPACITY_BYTES = 262_144;
    /** Larger arrays are released after a read has waited for a second, so that a thread that waits for an idle peer uses little memory. */
    private static final int MAX_IDLE_ARRAY_BYTES = 4_096;
    private static final byte[] NONE = {};

    private final Runnable resume;
    private final Runnable idle;
    private byte[] filling = NONE;
    /** The number of bytes in the array of the event loop. Written while the lock is held, and read by the event loop without the lock. */
    private volatile int filledBytes;
    private volatile boolean paused;
    private boolean ended;
    /** The bytes in the array of the reading thread. Written by that thread, and read by any thread. */
    private volatile int unreadBytes;
    /** True while a thread reads. Only that thread uses the fields below. */
    private final AtomicBoolean reading = new AtomicBoolean();
    private byte[] draining = NONE;
    private int position;
    private int limit;
    private boolean timesSeveralReads;
    private long firstReadNanos;

    /**
     * Creates an empty buffer.
     *
     * @param resume called by the reading thread when the event loop must continue reading from the channel
     * @param idle   called by the reading thread after it has waited for a second, so that the event loop can release memory
     */
    ReceiveHandoff(Runnable resume, Runnable idle) {
        this(resume, idle, System::nanoTime);
    }

    ReceiveHandoff(Runnable resume, Runnable idle, LongSupplier nanoClock) {
        super(nanoClock);
        this.resume = resume;
        this.idle = idle;
    }

    // ---- called on the event loop

    /**
     * Appends bytes and wakes the reading thread. If the capacity is reached, {@link #isPaused()} returns {@code true} from then on.
     *
     * @param batch an array that starts with the bytes; this buffer takes ownership of it
     * @param bytes the number of bytes
     * @return an array that the caller owns
     */
    byte[] add(byte[] batch, int bytes) {
        lock.lock();
        try {
            if (isClosed()) {
                return batch;
            }
            byte[] spare = batch;
            if (filledBytes == 0) {
                spare = filling;
                filling = batch;
            } else {
                int needed = Math.addExact(filledBytes, bytes);
                if (needed > filling.length) {
                    filling = Arrays.copyOf(filling, Math.max(needed, 2 * filling.length));
                }
                System.arraycopy(batch, 0, filling, filledBytes, bytes);
            }
            int total = filledBytes + bytes;
            filledBytes = total;
            if (total >= CAPACITY_BYTES) {
                paused = true;
            }
            signal();
            return spare;
        } finally {
            lock.unlock();
        }
    }

    /** Returns {@code true} if additional bytes would fill the buffer to its capacity. */
    boolean isFullWith(int bytes) {
        return filledBytes + bytes >= CAPACITY_BYTES;
    }

    /**
     * Returns {@code true} if the buffer has become full and the reading thread has not exchanged the arrays since then. In this state, the
     * event loop must stop reading from the channel.
     */
    boolean isPaused() {
        return paused;
    }

    /** Marks the end of the received data after the peer has shut down its output. */
    void end() {
        lock.lock();
        try {
            ended = true;
            signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns {@code true} if the peer has shut down its output. */
    boolean isEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    // ---- called by the reading thread

    /** Reads at least one byte into an array with room for at least one byte, and returns the number of bytes, or -1 at the end. */
    int read(byte[] target, int offset, int length) throws IOException, InterruptedException {
        enter();
        try {
            if (!fill()) {
                return -1;
            }
            int bytes = Math.min(length, limit - position);
            System.arraycopy(draining, position, target, offset, bytes);
            position += bytes;
            unreadBytes = limit - position;
            return bytes;
        } finally {
            reading.set(false);
        }
    }

    /** Reads at least one byte into a buffer with room for at least one byte, and returns the number of bytes, or -1 at the end. */
    int read(ByteBuffer target) throws IOException, InterruptedException {
        enter();
        try {
            if (!fill()) {
                return -1;
            }
            int bytes = Math.min(target.remaining(), limit - position);
            target.put(draining, position, bytes);
            position += bytes;
            unreadBytes = limit - position;
            return bytes;
        } finally {
            reading.set(false);
        }
    }

    /**
     * Starts a timer. Until {@link #stopTimer} is called, the timeout of all reads counts from now instead of from the start of each read.
     */
    void startTimer() {
        timesSeveralReads = true;
        firstReadNanos = nanoTime();
    }

    void stopTimer() {
        timesSeveralReads = false;
    }

    /** Returns the number of bytes that can be read without blocking. Any thread may call this method, also during a read. */
    int available() throws IOException {
        lock.lock();
        try {
            if (isClosed()) {
                throw new ClosedChannelException();
            }
            return unreadBytes + filledBytes;
        } finally {
            lock.unlock();
        }
    }

    private void enter() {
        if (!reading.compareAndSet(false, true)) {
            throw new ReadPendingException();
        }
    }

    /** Ensures that the array of the reading thread contains at least one unread byte. Returns {@code false} at the end of the data. */
    private boolean fill() throws IOException, InterruptedException {
        if (position < limit && !isClosed() && !Thread.currentThread().isInterrupted()) {
            return true;
        }
        boolean resumes;
        lock.lock();
        try {
            if (isClosed()) {
                throw new ClosedChannelException();
            }
            awaitReady();
            if (position < limit) {
                return true;
            }
            if (filledBytes == 0) {
                Throwable cause = failure();
                if (cause != null && !ended) {
                    throw KcpSocketException.of("Cannot read", cause);
                }
                return false;
            }
            resumes = exchange();
        } finally {
            lock.unlock();
        }
        if (resumes) {
            resume.run();
        }
        return true;
    }

    private boolean exchange() {
        byte[] drained = draining;
        draining = filling;
        position = 0;
        limit = filledBytes;
        unreadBytes = limit;
        filling = drained.length <= 2 * CAPACITY_BYTES ? drained : NONE;
        filledBytes = 0;
        boolean resumes = paused;
        paused = false;
        return resumes;
    }

    // ---- waiting

    @Override
    boolean isReady() {
        return filledBytes > 0 || position < limit || ended || failure() != null;
    }

    @Override
    long startNanos() {
        return timesSeveralReads ? firstReadNanos : super.startNanos();
    }

    @Override
    boolean hasIdleMemory() {
        return draining.length > MAX_IDLE_ARRAY_BYTES || filling.length > MAX_IDLE_ARRAY_BYTES;
    }

    @Override
    void releaseIdleMemory() {
        draining = NONE;
        position = 0;
        limit = 0;
        filling = NONE;
        idle.run();
    }

    @Override
    String timeoutMessage(long waitedMs) {
        return "No data was received within " + waitedMs + " ms";
    }

    @Override
    void onClosed() {
        filling = NONE;
        filledBytes = 0;
    }
}
