package io.kcp.netty;

import io.kcp.core.HeldMemory;
import io.kcp.core.Kcp;
import io.kcp.core.SegmentPool;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.PacketCipher;
import io.kcp.core.fec.ShardPool;
import io.kcp.netty.socket.DatagramSlab;
import io.kcp.netty.socket.ReceiveReserve;
import io.kcp.netty.stats.SessionDetails;
import io.kcp.netty.stats.SessionEvents;
import io.kcp.netty.stats.TimerDelay;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.ref.WeakReference;
import java.security.SecureRandom;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one event loop share: its clock, recycled segments, and one scheduled task for all their
 * deadlines. Idle sessions are in no structure that is ever looked at, but for the one task a second of
 * {@link LivenessWheel} while any session wants keepalive or an idle timeout.
 */
final class LoopContext {

    /** Records the events of the sessions and timers of all loops. */
    static final SessionEvents<DefaultKcpChannel> EVENTS = SessionEvents.ofThisJvm(LoopContext::detailsOf);

    /** Weak in both directions: an event loop that is gone takes its context along. */
    private static final Map<EventLoop, WeakReference<LoopContext>> CONTEXTS = new WeakHashMap<>();

    /** What one send can take, and a little more. */
    private static final int SLAB_BYTES = 1 << 16;
    private static final int RECEIVE_SLAB_BYTES = 1 << 18;
    /** Room for a whole run, or for a portion of single datagrams. */
    private static final int RESERVE_BYTES = 1 << 16;
    /** As many sessions are served by timers before the loop looks for datagrams again; a fraction of a millisecond. */
    static final int SESSIONS_A_TURN = 256;

    private final EventLoop loop;
    /** Recycled segments by the allocator of the datagram channel, from which their payloads come. */
    @SuppressWarnings("IdentityHashMapUsage") // allocators have no equality of their own
    private final Map<ByteBufAllocator, SegmentPool> segments = new IdentityHashMap<>(2);
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
    /** A cipher is large, and clients have a channel for each session. */
    private final Map<CryptoConfig, PacketCipher> ciphers = new WeakHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final DeadlineHeap deadlines = new DeadlineHeap();
    private final LivenessWheel wheel = new LivenessWheel();
    private final TimerDelay timerDelay = new TimerDelay();
    private final Runnable onDeadline = this::runDeadlines;
    private final Runnable onSweep = this::sweep;
    private final Consumer<DefaultKcpChannel> deadlineVisit = this::serveDeadline;
    private final Consumer<DefaultKcpChannel> sweepVisit = this::serveSweep;
    private @Nullable ScheduledFuture<?> scheduled;
    private long scheduledAtMs;
    private @Nullable Future<?> sweeping;
    private long recentNowMs;
    private final SessionQueue.Due dueSessions = new SessionQueue.Due();
    private boolean visiting;
    private boolean sweepsAgain;

    /** Creates a context whose reserve comes from the allocator given. */
    LoopContext(EventLoop loop, ByteBufAllocator reserveSource) {
        this.loop = loop;
        reserve = new ReceiveReserve(RESERVE_BYTES, held, reserveSource);
        heldLimit = new HeldMemoryLimit(held);
        spareMemory = new SpareMemory(loop);
        pressure = new MemoryPressure(loop, held, this::nowMs);
    }

    private static SessionDetails detailsOf(DefaultKcpChannel session) {
        KcpSessionStats stats = session.stats();
        String closeReason =
            session.closeCause() instanceof KcpCloseException cause ? cause.reason().name() : SessionDetails.APPLICATION;
        return new SessionDetails(session.conv(), session.remoteAddress(), closeReason, stats.counters(), stats.unacknowledgedBytes(),
            stats.smoothedRttMs());
    }

    /** Returns the loop's context; handlers keep it, the map does not. */
    static LoopContext of(EventLoop loop) {
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

    SegmentPool segments(ByteBufAllocator allocator) {
        return segments.computeIfAbsent(allocator, added -> new SegmentPool(added, held));
    }

    HeldMemory held() {
        return held;
    }

    ShardPool shards() {
        return shards;
    }

    /** Returns the cipher that all channels of this loop share. */
    PacketCipher cipher(CryptoConfig config) {
        return ciphers.computeIfAbsent(config, added -> added.newCipher(random::nextBytes));
    }

    DatagramSlab slab() {
        return slab;
    }

    DatagramSlab receiveSlab() {
        return receiveSlab;
    }

    /**
     * Adds a channel that uses this context. Changes nothing if it throws. The channel is closed when the loop shuts down: Netty itself
     * closes only registered sockets, and misses even those if the loop has tasks and no quiet period.
     */
    void enter(Channel channel) {
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

    /** Removes a channel; the last one releases the memory of the context. */
    void leave(Channel channel) {
        if (channels.remove(channel) && channels.isEmpty()) {
            if (loop instanceof SingleThreadEventExecutor executor) {
                executor.removeShutdownHook(shutdownHook);
            }
            segments.clear();
            slab.release();
            receiveSlab.release();
            reserve.release();
            heldLimit.leave();
        }
    }

    private void closeChannels() {
        List.copyOf(channels).forEach(Channel::close);
    }

    ReceiveReserve reserve() {
        return reserve;
    }

    SpareMemory spareMemory() {
        return spareMemory;
    }

    MemoryPressure pressure() {
        return pressure;
    }

    SecureRandom random() {
        return random;
    }

    long nowMs() {
        recentNowMs = TimeUnit.NANOSECONDS.toMillis(loop.ticker().nanoTime());
        heldLimit.refresh();
        return recentNowMs;
    }

    /** Returns what {@link #nowMs} returned last: good enough within one batch or flush. */
    long recentNowMs() {
        return recentNowMs;
    }

    /** Returns how late the timers ran at worst within the last one to two minutes. */
    long maxTimerDelayMs() {
        return timerDelay.maxMs(nowMs());
    }

    /** Sees to it that {@link DefaultKcpChannel#onDeadline} is called in so many milliseconds, or not at all. */
    void schedule(DefaultKcpChannel session, int waitMs, long nowMs) {
        if (waitMs == Kcp.NO_DEADLINE) {
            // The task, if there is one, is left to find nothing: a session that asks and answers would make and cancel
            // one for each message.
            deadlines.remove(session);
            return;
        }
        // At least one millisecond: what is due now has just been done, and the loop must get on.
        deadlines.set(session, nowMs + Math.max(waitMs, 1));
        arm();
    }

    /** Sees to it that {@link DefaultKcpChannel#onDeadline} is called when the loop has looked for datagrams once. */
    void scheduleNextTurn(DefaultKcpChannel session, long nowMs) {
        deadlines.set(session, nowMs);
        arm();
    }

    void remove(DefaultKcpChannel session) {
        deadlines.remove(session);
        wheel.remove(session);
        if (deadlines.isEmpty()) {
            unschedule();
        }
        if (wheel.isEmpty()) {
            stopSweeping();
        }
    }

    /** Sees to it that {@link DefaultKcpChannel#onSweep} is called at the second given, or not at all if negative. */
    void watch(DefaultKcpChannel session, long dueMs, long nowMs) {
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
        DefaultKcpChannel first = deadlines.first();
        if (first == null) {
            return;
        }
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            if (scheduledAtMs <= first.deadlineMs) {
                return;
            }
            scheduled = null;
            task.cancel(false);
        }
        // What has been computed or served meanwhile took its time. If there is no memory for the task, the next call makes one.
        scheduled = loop.schedule(onDeadline, Math.max(first.deadlineMs - nowMs(), 0), TimeUnit.MILLISECONDS);
        scheduledAtMs = first.deadlineMs;
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
            // That arms the next one at its end.
            return;
        }
        long nowMs = nowMs();
        long delayMs = nowMs - scheduledAtMs;
        timerDelay.add(delayMs, nowMs);
        if (delayMs >= SessionEvents.LATE_MS) {
            EVENTS.late(delayMs, deadlines.size());
        }
        DefaultKcpChannel due = deadlines.first();
        for (int count = 0; count < SESSIONS_A_TURN && due != null && due.deadlineMs <= nowMs; count++) {
            deadlines.remove(due);
            dueSessions.add(due);
            due = deadlines.first();
        }
        visitDue(deadlineVisit);
    }

    private void sweep() {
        if (visiting) {
            sweepsAgain = true;
            return;
        }
        long nowMs = nowMs();
        int count = 0;
        DefaultKcpChannel due = wheel.pollDue(nowMs);
        while (due != null) {
            dueSessions.add(due);
            due = ++count < SESSIONS_A_TURN ? wheel.pollDue(nowMs) : null;
        }
        sweepsAgain = count == SESSIONS_A_TURN;
        try {
            visitDue(sweepVisit);
        } catch (OutOfMemoryError shortage) {
            // The timers could not be armed; the sweep of the next second tries again. An exception would cancel it.
        }
    }

    private void serveDeadline(DefaultKcpChannel session) {
        session.onDeadline(recentNowMs);
    }

    private void serveSweep(DefaultKcpChannel session) {
        session.onSweep(recentNowMs);
    }

    /** All of them first, then one flush for each datagram channel: what is due together leaves together. */
    private void visitDue(Consumer<DefaultKcpChannel> visit) {
        // A channel that runs tasks whenever it is written to, such as EmbeddedChannel, comes back here.
        visiting = true;
        try {
            for (DefaultKcpChannel session = dueSessions.first(); session != null; session = dueSessions.next(session)) {
                try {
                    visit.accept(session);
                } catch (RuntimeException | OutOfMemoryError failure) {
                    session.failWith(failure);
                }
            }
            for (DefaultKcpChannel session = dueSessions.poll(); session != null; session = dueSessions.poll()) {
                session.handler().flushWritten();
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
