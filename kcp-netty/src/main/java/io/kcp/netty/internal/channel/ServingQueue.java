package io.kcp.netty.internal.channel;

import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.MessageDelivery;
import io.kcp.netty.internal.session.SessionQueue;
import io.kcp.netty.internal.socket.ReservedReads;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/**
 * The sessions of one socket that received datagrams. When a read batch ends, they deliver their messages and send segments in the order in
 * which they were added, for at most {@value #SLICE_MICROS} µs. The event loop then polls its sockets before it serves the remaining
 * sessions. A session whose delivery was interrupted, by the end of the slice or by the limits per iteration, is served again after the
 * others. If the handlers of the sessions cannot keep up, messages wait in the receive windows of their sessions, where they are
 * acknowledged and flow control limits them, instead of in the receive buffer of the socket, which the kernel would overflow.
 */
public final class ServingQueue {

    /**
     * Maximum time in microseconds for serving sessions before the event loop polls its sockets again. At least one session is served, and
     * each session delivers at least {@value MessageDelivery#MESSAGES_PER_TIME_CHECK} of its messages.
     */
    public static final int SLICE_MICROS = 2_000;
    /** Maximum time in milliseconds after which a session that waits to be served acknowledges received segments. */
    public static final int ACKNOWLEDGE_MS = 25;
    /** Number of datagrams in a read batch of an unknown allocator from which on more are presumably waiting in the socket. */
    private static final int FULL_BATCH = 256;
    /** Minimum number of datagrams in a batch that ends early. */
    static final int MIN_DATAGRAMS = 8;
    /** If successive batches that ended early contained this number of datagrams, the socket presumably has a backlog. */
    public static final int MAX_UNDRAINED_DATAGRAMS = 1_024;

    private static final long NEVER = Long.MAX_VALUE;

    private final Channel socket;
    private final LoopContext loop;
    private final DatagramChannelWriter writer;
    private final SessionQueue.Batch sessions = new SessionQueue.Batch();
    private final Runnable onIteration = this::serveWaiting;
    private boolean scheduled;
    /** {@code true} if the current iteration of the event loop has served sessions after it read the socket. */
    private boolean servedSinceScheduled;
    /** {@code true} while sessions wait that an earlier slice could not serve. */
    private boolean waiting;
    /** End of the current slice in microseconds of the event loop's clock, or {@link #NEVER}. */
    private long sliceEndMicros = NEVER;
    private final ServingDelay delay;
    private boolean reading;
    private boolean readRequested;
    private int datagrams;
    /** The value of {@link LoopContext#isReadLate} when this batch began. */
    private boolean late;
    /** Number of datagrams in the latest successive batches that ended early. */
    private int undrainedDatagrams;

    ServingQueue(Channel socket, LoopContext loop, DatagramChannelWriter writer) {
        this.socket = socket;
        this.loop = loop;
        this.writer = writer;
        delay = new ServingDelay(loop);
    }

    /** Counts a datagram. If it is the first one of a batch, reads the clock and returns {@code true}. */
    public boolean begin() {
        datagrams++;
        if (reading) {
            return false;
        }
        reading = true;
        loop.nowMs();
        late = loop.isReadLate();
        return true;
    }

    boolean isReading() {
        return reading;
    }

    boolean contains(AbstractSession session) {
        return sessions.contains(session);
    }

    public void add(AbstractSession session) {
        sessions.add(session);
    }

    /**
     * Adds a session whose delivery was interrupted, and serves it after the other sessions of the batch. Returns {@code false} if the
     * session is already in the batch.
     */
    boolean addInterrupted(AbstractSession session, long nowMs) {
        if (sessions.contains(session)) {
            return false;
        }
        sessions.add(session);
        // NO_DEADLINE is the largest number.
        loop.timers().scheduleWithin(session, Math.min(session.kcp().nextDeadline((int) nowMs), ACKNOWLEDGE_MS), nowMs);
        if (!reading) {
            waiting = true;
            continueLater();
        }
        return true;
    }

    /** Adds a session that has received a datagram. If it has to wait until it is served, it acknowledges the segments before. */
    void addReceiver(AbstractSession session, long nowMs) {
        sessions.add(session);
        if (waiting) {
            loop.timers().scheduleWithin(session, ACKNOWLEDGE_MS, nowMs);
        }
    }

    /**
     * Adds a session whose pipeline has called {@code read()}. If the session is being served, as when the listener of an acknowledged
     * write calls {@code read()}, it delivers messages again before it sends.
     */
    void addReader(AbstractSession session) {
        if (session == sessions.first()) {
            readRequested = true;
        } else {
            sessions.add(session);
        }
    }

    /**
     * Ends the batch after the datagrams that have been read from the socket, so that its sessions are served soon. Does nothing in these
     * cases:
     * <ul>
     * <li>The batch has fewer than {@value #MIN_DATAGRAMS} datagrams. A hostile session can therefore not make each batch very short.</li>
     * <li>The event loop was late when the batch began. If the batch ended, sessions could time out segments whose acknowledgements are
     * waiting in the socket.</li>
     * <li>Sessions wait to be served, or the socket is not writable. The acknowledgements would not be sent soon.</li>
     * <li>The application uses another allocator for the read buffers.</li>
     * </ul>
     */
    public void endSoon() {
        if (datagrams >= MIN_DATAGRAMS && !late && !waiting && writer.canWrite()
            && socket.config().getRecvByteBufAllocator() instanceof ReservedReads reads) {
            reads.requestEnd();
        }
    }

    /**
     * Returns {@code false} if the batch ended although datagrams were presumably left in the socket. Only the allocator of the read
     * buffers has counted the datagrams that did not reach this batch, such as FEC parity. An application that created the channel may
     * use another allocator. After a batch that {@link #endSoon} has ended, returns {@code true}, unless successive such batches contained
     * {@value #MAX_UNDRAINED_DATAGRAMS} datagrams. To be called once per batch.
     */
    public boolean hasDrained() {
        if (!(socket.config().getRecvByteBufAllocator() instanceof ReservedReads reads)) {
            return datagrams < FULL_BATCH;
        }
        undrainedDatagrams = reads.endedEarly() ? undrainedDatagrams + datagrams : 0;
        return !reads.endedAtLimit() && undrainedDatagrams < MAX_UNDRAINED_DATAGRAMS;
    }

    /** Ends the batch and serves its sessions for the time of one slice. The remaining sessions are served in the next iterations. */
    public void complete() {
        try {
            serveSlice();
        } finally {
            reading = false;
            datagrams = 0;
            writer.flush();
        }
    }

    /** Serves the sessions of an unfinished batch, which then continues, unless other sessions wait to be served before them. */
    public void serveAdded() {
        if (!waiting) {
            beginSlice();
            try {
                serveUntil(NEVER);
            } finally {
                endSlice();
            }
        }
    }

    /** Serves a session outside a batch. */
    void serveNow(AbstractSession session) {
        beginSlice();
        try {
            serve(session);
        } finally {
            endSlice();
        }
    }

    /** Delivers the messages of a session outside a batch. A failure closes the session. */
    void deliverNow(AbstractSession session) {
        beginSlice();
        try {
            session.delivery.deliver(session.kcp());
        } catch (RuntimeException | OutOfMemoryError failure) {
            session.failWith(failure);
        } finally {
            endSlice();
        }
    }

    /** Reads the clock, and begins a slice, whose end interrupts deliveries. */
    private void beginSlice() {
        loop.nowMs();
        setSliceEnd();
    }

    private void setSliceEnd() {
        sliceEndMicros = loop.recentNowMicros() + SLICE_MICROS;
    }

    private void endSlice() {
        sliceEndMicros = NEVER;
    }

    private void serveSlice() {
        if (sessions.size() > 1 || datagrams != 1) {
            // Reading and decrypting the datagrams may have taken longer than a slice.
            loop.nowMs();
        }
        servedSinceScheduled = true;
        setSliceEnd();
        try {
            serveUntil(sliceEndMicros);
        } finally {
            endSlice();
        }
        AbstractSession next = sessions.first();
        delay.onSliceEnd(sessions.last());
        if (next == null) {
            waiting = false;
            return;
        }
        // Scheduled first, because the deadlines may need memory that is not available.
        continueLater();
        if (!waiting) {
            waiting = true;
            for (AbstractSession session = next; session != null; session = sessions.next(session)) {
                loop.timers().scheduleWithin(session, ACKNOWLEDGE_MS, loop.recentNowMs());
            }
        }
    }

    /** Reads the clock, and returns {@code true} if the current slice, if any, is over. */
    boolean isSliceOver() {
        return sliceEndMicros != NEVER && TimeUnit.NANOSECONDS.toMicros(loop.nowNanos()) - sliceEndMicros >= 0;
    }

    private void serveUntil(long endMicros) {
        for (AbstractSession session = sessions.first(); session != null; session = sessions.first()) {
            serve(session);
            writer.flushIfMany();
            // The session has read the clock after its handlers ran.
            if (loop.recentNowMicros() - endMicros >= 0) {
                return;
            }
        }
    }

    private void continueLater() {
        if (!scheduled) {
            // If there is no memory for the task, the next call schedules it.
            socket.eventLoop().schedule(onIteration, 0, TimeUnit.NANOSECONDS);
            scheduled = true;
        }
    }

    /** Serves waiting sessions in an event-loop iteration that has not already served some after reading the socket. */
    private void serveWaiting() {
        scheduled = false;
        if (reading || sessions.isEmpty()) {
            // EmbeddedChannel also runs tasks during a read batch, which schedules the next task when it ends.
            return;
        }
        if (servedSinceScheduled) {
            servedSinceScheduled = false;
            continueLater();
            return;
        }
        reading = true;
        complete();
        // The next call is in the next iteration, because a task that a task schedules does not run in the same iteration.
        servedSinceScheduled = false;
    }

    /** Stops serving sessions, because the handler has been removed. */
    void stop() {
        sessions.clear();
        waiting = false;
        delay.stop();
    }

    /**
     * Delivers the messages of a session and then sends its due segments. A failure closes the session. The session stays in the batch
     * until its messages are delivered, so that writes of its handlers do not add it again.
     */
    void serve(AbstractSession session) {
        try {
            try {
                do {
                    readRequested = false;
                    session.onBatch();
                } while (readRequested);
            } finally {
                sessions.pollIfFirst(session);
            }
            session.onBatchDelivered();
        } catch (RuntimeException | OutOfMemoryError failure) {
            session.failWith(failure);
        }
        delay.onServed(session);
    }
}
