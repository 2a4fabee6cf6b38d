package io.kcp.netty.loop;

import io.kcp.core.HeldMemory;
import io.kcp.core.Kcp;
import io.kcp.core.SegmentPool;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.PacketCipher;
import io.kcp.core.fec.ShardPool;
import io.kcp.netty.session.AbstractSession;
import io.kcp.netty.session.DeadlineHeap;
import io.kcp.netty.session.LivenessWheel;
import io.kcp.netty.session.MemoryPressure;
import io.kcp.netty.session.SessionQueue;
import io.kcp.netty.session.SpareMemory;
import io.kcp.netty.socket.DatagramSlab;
import io.kcp.netty.socket.ReceiveReserve;
import io.kcp.netty.stats.SessionEvents;
import io.kcp.netty.stats.LongestDelay;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.ref.WeakReference;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds the clock, pools, ciphers, memory limits and deadline task that all sessions of one event loop share. Idle sessions cost no CPU,
 * except that one task per second polls the {@link LivenessWheel} while any session uses keepalive or an idle timeout.
 */
public final class LoopContext {

    /** Records the session and timer events of all event loops. */
    public static final SessionEvents<AbstractSession> EVENTS = SessionEvents.ofThisJvm(AbstractSession::details);

    /**
     * The context of each event loop. Keys and values are weak references, so that a context is garbage collected together with its event
     * loop.
     */
    private static final Map<EventLoop, WeakReference<LoopContext>> CONTEXTS = new WeakHashMap<>();

    /** Size in bytes of the memory block for outbound datagrams, which holds slightly more than the largest GSO send. */
    private static final int SLAB_BYTES = 1 << 16;
    private static final int RECEIVE_SLAB_BYTES = 1 << 18;
    /** Size in bytes of the receive reserve, which holds the longest read with GRO or several reads of single datagrams. */
    private static final int RESERVE_BYTES = 1 << 16;
    /**
     * Maximum number of sessions whose timers run in one event-loop iteration. They take a fraction of a millisecond, after which the event
     * loop polls for datagrams again.
     */
    public static final int MAX_SESSIONS_PER_ITERATION = 256;
    /** Number of sessions with a deadline from which on the deadlines of longer waits are rounded up. */
    private static final int MANY_DEADLINES = 16;
    /** The deadlines of many sessions are rounded up to a multiple of this time in milliseconds, which must be a power of two. */
    private static final int ROUNDED_MS = 4;
    /** Minimum wait in milliseconds that is rounded. Shorter waits, such as those of paced segments, are exact. */
    private static final int MIN_ROUNDED_WAIT_MS = 8;

    /**
     * Time in milliseconds without a read, or delay of a timer, after which the event loop reads its sockets before segments time out. The
     * acknowledgements that the sessions wait for may have arrived in the meantime.
     */
    static final int READ_FIRST_MS = 5;
    /**
     * Maximum time in milliseconds for which a continuous backlog of a socket suspends retransmission timeouts. Afterwards, the round-trip
     * times of the sessions include the time that datagrams wait in the socket. If backlogs alternate, {@link Kcp#suspendTimeouts} limits
     * the time of each session.
     */
    static final int MAX_BACKLOG_MS = 1_000;

    private final EventLoop loop;
    /** One pool of recycled segments for each allocator from which datagram channels allocate payloads. */
    @SuppressWarnings("IdentityHashMapUsage") // allocators do not override equals()
    private final Map<ByteBufAllocator, SegmentPool> segments = new IdentityHashMap<>(2);
    private final List<PayloadSlab> payloadSlabs = new ArrayList<>(2);
    private final HeldMemory held = new HeldMemory();
    private final ShardPool shards = new ShardPool();
    private final DatagramSlab slab = new DatagramSlab(SLAB_BYTES);
    private final DatagramSlab receiveSlab = new DatagramSlab(RECEIVE_SLAB_BYTES);
    private final ReceiveReserve reserve;
    private final HeldMemoryLimit heldLimit;
    private final SpareMemory spareMemory;
    private final MemoryPressure pressure;
    private final Set<Channel> channels = new LinkedHashSet<>();
    private final Runnable shutdownHook = this::closeChannels;
    /** One cipher per configuration. All channels share it, because a cipher is large and a client has one datagram channel per session. */
    private final Map<CryptoConfig, PacketCipher> ciphers = new WeakHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final DeadlineHeap deadlines = new DeadlineHeap();
    private final LivenessWheel wheel = new LivenessWheel();
    private final LongestDelay timerDelay = new LongestDelay();
    private final LongestDelay handlingDelay = new LongestDelay();
    private final DecryptionBudget decryptionBudget = new DecryptionBudget();
    private final DecryptionBudget failureBudget = new DecryptionBudget();
    private final LongSupplier clock = this::nowMs;
    private final Runnable onDeadline = this::runDeadlines;
    private final Runnable onSweep = this::sweep;
    private final Consumer<AbstractSession> deadlineVisit = this::serveDeadline;
    private final Consumer<AbstractSession> sweepVisit = this::serveSweep;
    private @Nullable ScheduledFuture<?> scheduled;
    private long scheduledAtMs;
    private @Nullable Future<?> sweeping;
    private long recentNowMs;
    private long recentNowMicros;
    private final SessionQueue.Due dueSessions = new SessionQueue.Due();
    private boolean visiting;
    private boolean sweepsAgain;
    /** {@code true} from a late timer until the sockets have been read. */
    private boolean readsFirst;
    private final Backlogs backlogs = new Backlogs();
    /** {@code true} while the sessions of a read batch are served, which may take long. */
    private boolean serving;
    private long readAtMs;

    /** Creates a context that allocates its receive reserve with the given allocator. */
    public LoopContext(EventLoop loop, ByteBufAllocator reserveSource) {
        this.loop = loop;
        reserve = new ReceiveReserve(RESERVE_BYTES, held, reserveSource);
        heldLimit = new HeldMemoryLimit(held);
        spareMemory = new SpareMemory(loop);
        pressure = new MemoryPressure(loop, held, this::nowMs);
    }

    /** Returns the context of an event loop. Handlers hold a strong reference to it; the map does not. */
    public static LoopContext of(EventLoop loop) {
        synchronized (CONTEXTS) {
            WeakReference<LoopContext> reference = CONTEXTS.get(loop);
            LoopContext context = reference == null ? null : reference.get();
            if (context == null) {
                context = new LoopContext(loop, UnpooledByteBufAllocator.DEFAULT);
                CONTEXTS.put(loop, new WeakReference<>(context));
            }
            return context;
        }
    }

    /** Returns the pool of segments whose payloads are allocated by the given allocator. */
    public SegmentPool segments(ByteBufAllocator allocator) {
        return segments.computeIfAbsent(allocator, this::createPool);
    }

    private SegmentPool createPool(ByteBufAllocator allocator) {
        PayloadSlab payloads = new PayloadSlab(allocator);
        payloadSlabs.add(payloads);
        return new SegmentPool(allocator, held, payloads::allocate);
    }

    /** Returns the object that counts the memory held by the sessions of this event loop. */
    public HeldMemory held() {
        return held;
    }

    /** Returns the pool of FEC shards of this event loop. */
    public ShardPool shards() {
        return shards;
    }

    /** Returns the cipher that all channels of this event loop share for a given configuration. */
    public PacketCipher cipher(CryptoConfig config) {
        return ciphers.computeIfAbsent(config, added -> added.newCipher(random::nextBytes));
    }

    /** Returns the memory block from which outbound datagrams are allocated. */
    public DatagramSlab slab() {
        return slab;
    }

    /** Returns the memory block for inbound datagrams that are read with GRO. */
    public DatagramSlab receiveSlab() {
        return receiveSlab;
    }

    /**
     * Adds a channel that uses this context, so that the channel is closed when the event loop shuts down. Netty itself closes only
     * registered sockets, and not even those if the event loop has tasks and no quiet period. If this method throws an exception, the
     * context is unchanged.
     */
    public void enter(Channel channel) {
        boolean first = channels.isEmpty();
        channels.add(channel);
        if (first) {
            if (loop instanceof SingleThreadEventExecutor executor) {
                executor.addShutdownHook(shutdownHook);
            }
            heldLimit.enter();
        }
        reserve.fill();
    }

    /** Removes a channel from this context. Removing the last channel releases the memory of the context. */
    public void leave(Channel channel) {
        backlogs.remove(channel);
        if (channels.remove(channel) && channels.isEmpty()) {
            if (loop instanceof SingleThreadEventExecutor executor) {
                executor.removeShutdownHook(shutdownHook);
            }
            segments.clear();
            payloadSlabs.forEach(PayloadSlab::release);
            payloadSlabs.clear();
            slab.release();
            receiveSlab.release();
            reserve.release();
            heldLimit.leave();
        }
    }

    private void closeChannels() {
        List.copyOf(channels).forEach(Channel::close);
    }

    /** Returns the memory that is reserved for reads when no other memory is available. */
    public ReceiveReserve reserve() {
        return reserve;
    }

    /** Returns the object that frees the spare memory of idle sessions. */
    public SpareMemory spareMemory() {
        return spareMemory;
    }

    /** Returns the object that closes sessions of this event loop to end memory shortages. */
    public MemoryPressure pressure() {
        return pressure;
    }

    /** Returns the random number generator of this event loop. */
    public SecureRandom random() {
        return random;
    }

    /** Returns the budget of this event loop for decrypting datagrams from unknown addresses. */
    public DecryptionBudget decryptionBudget() {
        return decryptionBudget;
    }

    /** Returns the budget of this event loop for datagrams from known addresses that cannot be decrypted. */
    public DecryptionBudget failureBudget() {
        return failureBudget;
    }

    /** Returns the current time of the event loop's clock in nanoseconds. */
    public long nowNanos() {
        return loop.ticker().nanoTime();
    }

    /** Returns the current time of the event loop's clock in milliseconds. */
    public long nowMs() {
        long nanos = loop.ticker().nanoTime();
        recentNowMs = TimeUnit.NANOSECONDS.toMillis(nanos);
        recentNowMicros = TimeUnit.NANOSECONDS.toMicros(nanos);
        heldLimit.refresh();
        return recentNowMs;
    }

    /** Returns the result of the latest {@link #nowMs} call, which is accurate enough within one read batch or flush. */
    public long recentNowMs() {
        return recentNowMs;
    }

    /** Returns the time of the latest {@link #nowMs} call in microseconds. */
    public long recentNowMicros() {
        return recentNowMicros;
    }

    /**
     * Records that a read batch has ended, and that its sessions are served next.
     *
     * @param socket  the socket of the batch
     * @param drained {@code false} if more datagrams are presumably waiting in the socket
     */
    public void onRead(Channel socket, boolean drained) {
        serving = true;
        readAtMs = recentNowMs;
        // A backlog reads the clock, because the batch may have contained no datagram for a session.
        backlogs.onRead(socket, drained, clock);
    }

    /** Returns {@code true} if the sockets were last read {@value #READ_FIRST_MS} ms or more before the latest {@link #nowMs} call. */
    public boolean isReadLate() {
        return recentNowMs - readAtMs >= READ_FIRST_MS;
    }

    /** Records that all sessions of a read batch were served. */
    public void onServed() {
        serving = false;
    }

    /**
     * Returns {@code true} if datagrams may be waiting in a socket that were received some time ago. Retransmission timeouts are then
     * suspended.
     */
    public boolean isBehind() {
        return readsFirst || serving && recentNowMs - readAtMs >= READ_FIRST_MS
            || backlogs.isRecent(recentNowMs, MAX_BACKLOG_MS);
    }

    /** Returns the longest delay of a timer within the last one to two minutes, in milliseconds. */
    public long maxTimerDelayMs() {
        return timerDelay.maxMs(nowMs());
    }

    /** Records the time in milliseconds for which a session has waited, or had to wait, for calls of its handlers. */
    public void addHandlingDelay(long delayMs) {
        handlingDelay.add(delayMs, recentNowMs);
    }

    /** Returns the longest time for which a session had to wait within the last one to two minutes, in milliseconds. */
    public long maxHandlingDelayMs() {
        return handlingDelay.maxMs(nowMs());
    }

    /**
     * Schedules one call of {@link AbstractSession#onDeadline} after {@code waitMs} milliseconds, or cancels the call if {@code waitMs} is
     * {@link Kcp#NO_DEADLINE}.
     */
    public void schedule(AbstractSession session, int waitMs, long nowMs) {
        if (waitMs == Kcp.NO_DEADLINE) {
            // Does not cancel the scheduled task, because request-response traffic would otherwise cancel and reschedule a task for each
            // message.
            deadlines.remove(session);
            return;
        }
        // Waits at least one millisecond, because all due segments have just been sent and a delay of 0 would keep the event loop busy.
        deadlines.set(session, rounded(nowMs + Math.max(waitMs, 1), waitMs));
        arm();
    }

    /** Makes {@link AbstractSession#onDeadline} run within {@code waitMs} milliseconds, unless an earlier call is scheduled. */
    public void scheduleWithin(AbstractSession session, int waitMs, long nowMs) {
        if (!deadlines.contains(session) || session.deadlineMs() - nowMs > waitMs) {
            schedule(session, waitMs, nowMs);
        }
    }

    /**
     * Returns a deadline, rounded up if many sessions have deadlines. One task then serves the delayed acknowledgements and retransmission
     * timers of several sessions, and their datagrams share system calls.
     */
    private long rounded(long dueMs, int waitMs) {
        boolean isRounded = waitMs >= MIN_ROUNDED_WAIT_MS && deadlines.size() >= MANY_DEADLINES;
        return isRounded ? dueMs + ROUNDED_MS - 1 & -ROUNDED_MS : dueMs;
    }

    /**
     * Schedules {@link AbstractSession#onDeadline} for the next event-loop iteration, in which it runs after the loop has polled for
     * datagrams.
     */
    public void scheduleNextIteration(AbstractSession session, long nowMs) {
        deadlines.set(session, nowMs);
        arm();
    }

    /** Cancels all timers of a session, which are its deadline and its keepalive and idle-timeout checks. */
    public void remove(AbstractSession session) {
        deadlines.remove(session);
        wheel.remove(session);
        if (deadlines.isEmpty()) {
            unschedule();
        }
        if (wheel.isEmpty()) {
            stopSweeping();
        }
    }

    /**
     * Schedules one call of {@link AbstractSession#onSweep} at {@code dueMs}, or cancels the call if {@code dueMs} is negative. The
     * resolution is one second.
     */
    public void watch(AbstractSession session, long dueMs, long nowMs) {
        wheel.remove(session);
        if (dueMs >= 0) {
            wheel.add(session, dueMs, nowMs);
            if (sweeping == null) {
                sweeping = loop.scheduleAtFixedRate(onSweep, 1, 1, TimeUnit.SECONDS);
            }
        } else if (wheel.isEmpty()) {
            stopSweeping();
        }
    }

    private void arm() {
        AbstractSession first = deadlines.first();
        if (first == null) {
            return;
        }
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            if (scheduledAtMs <= first.deadlineMs()) {
                return;
            }
            scheduled = null;
            task.cancel(false);
        }
        // Reads the clock again, because serving sessions may have taken time. If there is no memory for the task, the next call of arm()
        // schedules it.
        scheduled = loop.schedule(onDeadline, Math.max(first.deadlineMs() - nowMs(), 0), TimeUnit.MILLISECONDS);
        scheduledAtMs = first.deadlineMs();
    }

    private void unschedule() {
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            scheduled = null;
            task.cancel(false);
        }
    }

    private void stopSweeping() {
        Future<?> task = sweeping;
        if (task != null) {
            sweeping = null;
            task.cancel(false);
        }
    }

    private void runDeadlines() {
        scheduled = null;
        if (visiting) {
            // The call of visitDue() that is in progress schedules the next deadline task before it returns.
            return;
        }
        long nowMs = nowMs();
        if (!readsFirst && recordDelay(nowMs) >= READ_FIRST_MS) {
            readsFirst = true;
            scheduled = loop.schedule(onDeadline, 0, TimeUnit.MILLISECONDS);
            return;
        }
        readsFirst = false;
        backlogs.onDeadlines();
        AbstractSession due = deadlines.first();
        for (int count = 0; count < MAX_SESSIONS_PER_ITERATION && due != null && due.deadlineMs() <= nowMs; count++) {
            deadlines.remove(due);
            dueSessions.add(due);
            due = deadlines.first();
        }
        visitDue(deadlineVisit);
    }

    private long recordDelay(long nowMs) {
        long delayMs = nowMs - scheduledAtMs;
        timerDelay.add(delayMs, nowMs);
        if (delayMs >= SessionEvents.LATE_MS) {
            EVENTS.late(delayMs, deadlines.size());
        }
        return delayMs;
    }

    private void sweep() {
        if (visiting) {
            sweepsAgain = true;
            return;
        }
        long nowMs = nowMs();
        int count = 0;
        AbstractSession due = wheel.pollDue(nowMs);
        while (due != null) {
            dueSessions.add(due);
            due = ++count < MAX_SESSIONS_PER_ITERATION ? wheel.pollDue(nowMs) : null;
        }
        sweepsAgain = count == MAX_SESSIONS_PER_ITERATION;
        try {
            visitDue(sweepVisit);
        } catch (OutOfMemoryError shortage) {
            // A task could not be scheduled. The error is ignored, because the next sweep tries again, whereas an exception would cancel
            // all further sweeps.
        }
    }

    private void serveDeadline(AbstractSession session) {
        session.onDeadline(recentNowMs);
    }

    private void serveSweep(AbstractSession session) {
        session.onSweep(recentNowMs);
    }

    /** Serves all due sessions before their datagram channels are flushed, so that the datagrams of several sessions share system calls. */
    private void visitDue(Consumer<AbstractSession> visit) {
        // Prevents recursive calls through a channel that runs pending tasks on each write, such as EmbeddedChannel.
        visiting = true;
        try {
            for (AbstractSession session = dueSessions.first(); session != null; session = dueSessions.next(session)) {
                try {
                    visit.accept(session);
                } catch (RuntimeException | OutOfMemoryError failure) {
                    session.failWith(failure);
                }
            }
            for (AbstractSession session = dueSessions.poll(); session != null; session = dueSessions.poll()) {
                session.flushWritten();
            }
        } finally {
            dueSessions.clear();
            visiting = false;
            arm();
            if (sweepsAgain) {
                sweepsAgain = false;
                loop.schedule(onSweep, 0, TimeUnit.NANOSECONDS);
            }
        }
    }
}
