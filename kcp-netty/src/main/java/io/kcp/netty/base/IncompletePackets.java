package io.kcp.netty.base;

import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Limits the memory of the incomplete packets of all channels together, so that peers cannot exhaust the memory with packets that they
 * never complete. TLS records and TLS messages count as packets.
 *
 * <p>While the packets together use more than the limit, the connections that use the most memory lose their incomplete packets, see
 * {@link ExecutorPackets}. A connection is a channel together with the channels of its streams. A packet that would make all packets
 * together exceed twice the limit is refused. Packets that receive no byte for some time are discarded as well.
 *
 * <p>Any thread may call the methods. The objects of one event executor are used only by the thread of that executor.
 */
public final class IncompletePackets {

    /** Divisor of the memory of the JVM that gives the default limit. */
    private static final int DIVISOR = 8;
    private static final long DEFAULT_TIMEOUT_MS = 30_000;
    private static final AttributeKey<PeerPackets> PEER = AttributeKey.valueOf(IncompletePackets.class, "peer");

    /** The limit that the packets of this process share. */
    public static final IncompletePackets SHARED = new IncompletePackets(
        limitBytes(Long.getLong("io.kcp.netty.packet.maxIncompleteBytes", -1), PlatformDependent.maxDirectMemory(),
            Runtime.getRuntime().maxMemory()),
        Math.max(0, Long.getLong("io.kcp.netty.packet.incompleteTimeoutMs", DEFAULT_TIMEOUT_MS)));

    private final long limitBytes;
    private final long timeoutMs;
    private final AtomicLong usedBytes = new AtomicLong();
    private final Map<EventExecutor, WeakReference<ExecutorPackets>> executors = new WeakHashMap<>();

    /**
     * Creates an object that limits the memory of incomplete packets.
     *
     * @param limitBytes the limit in bytes
     * @param timeoutMs  milliseconds after which a packet that receives no byte is discarded, or 0 for no timeout
     */
    public IncompletePackets(long limitBytes, long timeoutMs) {
        this.limitBytes = limitBytes;
        this.timeoutMs = timeoutMs;
    }

    /** Returns the configured limit, or an eighth of the memory if it is negative. A limit of 0 means no limit. */
    static long limitBytes(long configured, long directBytes, long heapBytes) {
        if (configured >= 0) {
            return configured == 0 ? Long.MAX_VALUE / 2 : configured;
        }
        return (directBytes > 0 ? Math.min(directBytes, heapBytes) : heapBytes) / DIVISOR;
    }

    /** Returns the memory that all incomplete packets use, in bytes. */
    public long usedBytes() {
        return usedBytes.get();
    }

    long limitBytes() {
        return limitBytes;
    }

    long timeoutMs() {
        return timeoutMs;
    }

    boolean isExceeded() {
        return usedBytes.get() > limitBytes;
    }

    /** Adds bytes. Returns {@code false}, without adding them, if all packets would then use more than twice the limit. */
    boolean tryAdd(long bytes) {
        long before;
        do {
            before = usedBytes.get();
            if (before + bytes > 2 * limitBytes) {
                return false;
            }
        } while (!usedBytes.compareAndSet(before, before + bytes));
        return true;
    }

    void subtract(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /**
     * Returns the packets of the connection to which a channel belongs.
     *
     * @param executor the executor on which the packets of the channel are received
     */
    PeerPackets of(Channel channel, EventExecutor executor) {
        Channel connection = connection(channel);
        PeerPackets packets = connection.attr(PEER).get();
        if (packets == null || packets.executor().executor() != executor || packets.executor().memory() != this) {
            packets = new PeerPackets(of(executor), connection);
            connection.attr(PEER).set(packets);
        }
        return packets;
    }

    /** Returns the channel that carries a stream, or the channel itself if it is not a stream. */
    static Channel connection(Channel channel) {
        Channel connection = channel;
        while (!(connection instanceof ConnectionChannel)) {
            Channel parent = connection.parent();
            if (parent == null || parent instanceof ServerChannel || parent instanceof DatagramChannel) {
                break;
            }
            connection = parent;
        }
        return connection;
    }

    private ExecutorPackets of(EventExecutor executor) {
        synchronized (executors) {
            WeakReference<ExecutorPackets> reference = executors.get(executor);
            ExecutorPackets packets = reference == null ? null : reference.get();
            if (packets == null) {
                packets = new ExecutorPackets(this, executor);
                executors.put(executor, new WeakReference<>(packets));
            }
            return packets;
        }
    }

    /** Notifies each event executor whose packets use more than an equal part of the limit that it must discard packets. */
    void discardExcess() {
        List<ExecutorPackets> using = new ArrayList<>();
        synchronized (executors) {
            for (WeakReference<ExecutorPackets> reference : executors.values()) {
                @Nullable ExecutorPackets packets = reference.get();
                if (packets != null && packets.usedBytes() > 0) {
                    using.add(packets);
                }
            }
        }
        for (ExecutorPackets packets : using) {
            packets.discardExcess(limitBytes / using.size());
        }
    }
}
