package io.kcp.netty.internal.loop;

import io.kcp.core.conversation.Kcp;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.ShardPool;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.MemoryPressure;
import io.kcp.netty.internal.session.SpareMemory;
import io.kcp.netty.internal.socket.DatagramSlab;
import io.kcp.netty.internal.socket.ReceiveReserve;
import io.kcp.netty.internal.stats.LongestDelay;
import io.kcp.netty.internal.stats.SessionEventListener;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
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
import java.util.function.LongSupplier;

/** Holds the clock, timers, pools, ciphers and memory limits that all sessions of one event loop share. */
public final class LoopContext {

    /** Records the session and timer events of all event loops. */
    public static final SessionEventListener<AbstractSession> EVENTS = SessionEventListener.ofThisJvm(AbstractSession::details);

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
    private final MemoryLimit memoryLimit = new MemoryLimit();
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
    private final Map<CryptoConfig, DatagramCipher> ciphers = new WeakHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final LongestDelay handlingDelay = new LongestDelay();
    private final DecryptionBudget decryptionBudget = new DecryptionBudget();
    private final DecryptionBudget failureBudget = new DecryptionBudget();
    private final LongSupplier clock = this::nowMs;
    private long recentNowMs;
    private long recentNowMicros;
    private final Backlogs backlogs = new Backlogs();
    private final SessionTimers timers;
    /** {@code true} while the sessions of a read batch are served, which may take long. */
    private boolean serving;
    private long readAtMs;

    /** Creates a context that allocates its receive reserve with the given allocator. */
    public LoopContext(EventLoop loop, ByteBufAllocator reserveSource) {
        this.loop = loop;
        reserve = new ReceiveReserve(RESERVE_BYTES, memoryLimit, reserveSource);
        heldLimit = new HeldMemoryLimit(memoryLimit);
        spareMemory = new SpareMemory(loop);
        pressure = new MemoryPressure(loop, memoryLimit, this::nowMs);
        timers = new SessionTimers(this, loop, backlogs);
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
        return new SegmentPool(allocator, memoryLimit, payloads::allocate);
    }

    /** Returns the object that counts the memory held by the sessions of this event loop. */
    public MemoryLimit memoryLimit() {
        return memoryLimit;
    }

    /** Returns the pool of FEC shards of this event loop. */
    public ShardPool shards() {
        return shards;
    }

    /** Returns the cipher that all channels of this event loop share for a given configuration. */
    public DatagramCipher cipher(CryptoConfig config) {
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
        for (Channel channel : List.copyOf(channels)) {
            channel.close();
            if (!channel.closeFuture().isDone()) {
                removeHandlers(channel.pipeline());
                // A handler of the application may have deferred the close.
                channel.close();
            }
        }
    }

    /**
     * Closes the sessions of a socket and releases its memory. An io_uring socket is closed when the kernel has completed its pending
     * operations, but a terminating event loop may no longer process their completion, and Netty would then never remove the handlers.
     */
    private static void removeHandlers(ChannelPipeline pipeline) {
        pipeline.fireChannelInactive();
        while (pipeline.last() != null) {
            pipeline.removeLast();
        }
        pipeline.addLast(new PendingOperations());
    }

    /** Ignores that the pending operations of a socket fail after its handlers were removed. */
    private static final class PendingOperations extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The socket is closed, so all its operations fail.
        }
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

    /** Returns the timers of the sessions of this event loop. */
    public SessionTimers timers() {
        return timers;
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
        return timers.readsFirst() || serving && recentNowMs - readAtMs >= READ_FIRST_MS
            || backlogs.isRecent(recentNowMs, MAX_BACKLOG_MS);
    }

    /** Records the time in milliseconds for which a session has waited, or had to wait, for calls of its handlers. */
    public void addHandlingDelay(long delayMs) {
        handlingDelay.add(delayMs, recentNowMs);
    }

    /** Returns the longest time for which a session had to wait within the last one to two minutes, in milliseconds. */
    public long maxHandlingDelayMs() {
        return handlingDelay.maxMs(nowMs());
    }
}
