package io.kcp.netty.blocking;

import io.netty.channel.Channel;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Base class of objects on which application threads wait for an event loop. Threads block on a {@link Condition}, so that virtual
 * threads do not pin their carrier threads. A timeout can be changed while a thread waits.
 */
abstract class EventLoopWaiter {

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Guards the fields of this class, and those fields of its subclasses that both threads use. */
    final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LongSupplier nanoClock;
    private int waitingThreads;
    private volatile int timeoutMs;
    /** True after the application has closed the socket. */
    private volatile boolean closed;
    /** The failure that closed the channel. */
    private @Nullable Throwable failure;
    /** The channel whose event loop must not wait here. */
    private @Nullable Channel channel;

    EventLoopWaiter() {
        this(System::nanoTime);
    }

    /** Creates an object that measures timeouts with the given clock, such as {@link System#nanoTime}. */
    EventLoopWaiter(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns {@code true} if a waiting thread can continue. The lock is held. */
    abstract boolean isReady();

    /** Returns the message of the exception that is thrown after a timeout. */
    abstract String timeoutMessage(long waitedMs);

    int timeoutMs() {
        return timeoutMs;
    }

    /** Sets the timeout of later operations and of an operation that is waiting. */
    void setTimeoutMs(int timeoutMs) {
        lock.lock();
        try {
            this.timeoutMs = timeoutMs;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Sets the channel on whose event loop a wait throws {@link BlockingOperationException}. */
    void setChannel(Channel channel) {
        lock.lock();
        try {
            this.channel = channel;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    @Nullable Throwable failure() {
        return failure;
    }

    /** Marks this object as closed by the application and wakes the waiting threads. */
    void close() {
        lock.lock();
        try {
            closed = true;
            onClosed();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Records the first failure of the channel and wakes the waiting threads. */
    void fail(Throwable cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
                onFailed();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Releases resources after a close. The lock is held. */
    void onClosed() {
    }

    /** Releases resources after a failure. The lock is held. */
    void onFailed() {
    }

    final long nanoTime() {
        return nanoClock.getAsLong();
    }

    /** Returns the {@link #nanoTime} from which the timeout of the current operation counts. Called by the waiting thread. */
    long startNanos() {
        return nanoTime();
    }

    /** Returns {@code true} if memory can be released after a wait of one second. The lock is held by the waiting thread. */
    boolean hasIdleMemory() {
        return false;
    }

    /** Releases memory after a wait of one second. The lock is held by the waiting thread. */
    void releaseIdleMemory() {
    }

    /** Wakes the waiting threads, if there are any. The lock is held. */
    final void signal() {
        if (waitingThreads > 0) {
            changed.signalAll();
        }
    }

    /**
     * Waits until this object is ready, for at most the time set by {@link #setTimeoutMs}, which may change during the wait. Called with
     * the lock held.
     */
    final void awaitReady() throws IOException, InterruptedException {
        awaitReady(-1);
    }

    /**
     * Waits until this object is ready. The lock is held.
     *
     * @param limitMs time limit, 0 for none; or -1 for the time set by {@link #setTimeoutMs}
     * @throws AsynchronousCloseException if the socket is closed during the wait
     * @throws SocketTimeoutException     if the timeout expires
     * @throws BlockingOperationException if the current thread is the event loop of the channel
     */
    final void awaitReady(long limitMs) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (isReady()) {
            return;
        }
        if (channel != null) {
            refuseEventLoop(channel);
        }
        long startNanos = startNanos();
        waitingThreads++;
        try {
            do {
                long nanos = nextWaitNanos(limitMs < 0 ? timeoutMs : limitMs, nanoTime() - startNanos);
                if (nanos == Long.MAX_VALUE) {
                    changed.await();
                } else {
                    changed.awaitNanos(nanos);
                }
                if (closed) {
                    throw new AsynchronousCloseException();
                }
            } while (!isReady());
        } finally {
            waitingThreads--;
        }
    }

    /** Returns the time to wait for a change, or {@code Long.MAX_VALUE} to wait without limit. */
    private long nextWaitNanos(long waitMs, long waitedNanos) throws SocketTimeoutException {
        long remainingNanos = waitMs == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(waitMs) - waitedNanos;
        if (remainingNanos <= 0) {
            throw new SocketTimeoutException(timeoutMessage(waitMs));
        }
        if (hasIdleMemory()) {
            if (waitedNanos < IDLE_NANOS) {
                return Math.min(remainingNanos, IDLE_NANOS - waitedNanos);
            }
            releaseIdleMemory();
        }
        return remainingNanos;
    }

    /**
     * Waits until a future is done.
     *
     * @param channel the channel whose event loop completes the future
     * @param limitMs time limit, 0 for none
     * @return {@code true} if the future is done
     * @throws BlockingOperationException if the current thread is the event loop of the channel
     */
    static boolean await(Future<?> future, Channel channel, long limitMs) throws InterruptedException {
        if (future.isDone()) {
            return true;
        }
        refuseEventLoop(channel);
        // Netty's await() blocks in a monitor, which would pin a virtual thread before JDK 24.
        CountDownLatch done = new CountDownLatch(1);
        future.addListener(completed -> done.countDown());
        if (limitMs != 0) {
            return done.await(limitMs, TimeUnit.MILLISECONDS);
        }
        done.await();
        return true;
    }

    private static void refuseEventLoop(Channel channel) {
        if (channel.isRegistered() && channel.eventLoop().inEventLoop()) {
            throw new BlockingOperationException("The event loop of " + channel + " must not wait for itself. Use another thread.");
        }
    }
}
