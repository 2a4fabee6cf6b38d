package io.kcp.netty.internal.base;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits the memory of the partial inputs of all channels together. A partial input is a packet, a TLS record or a TLS message that has not
 * arrived completely. Without a limit, peers could exhaust the memory with inputs that they never complete.
 *
 * <p>While the inputs together use more than the limit, the connections that use the most memory lose theirs, see {@link ExecutorInputs}.
 * A connection is a channel together with the channels of its streams. An input that would make all inputs together exceed twice the limit
 * is refused. Inputs that receive no byte for some time are discarded as well.
 *
 * <p>Any thread may call the methods. The objects of one event executor are used only by the thread of that executor.
 */
public final class PartialInputLimit {

    /** Divisor of the memory of the JVM that gives the default limit. */
    private static final int DIVISOR = 8;
    private static final long DEFAULT_TIMEOUT_MS = 30_000;
    private static final AttributeKey<PeerInputs> PEER = AttributeKey.valueOf(PartialInputLimit.class, "peer");

    /** The limit that the inputs of this process share. */
    public static final PartialInputLimit SHARED = ofSystemProperties();

    private final PartialInputMemory memory;
    private final long timeoutMs;
    private final Map<EventExecutor, WeakReference<ExecutorInputs>> executors = new WeakHashMap<>();

    /**
     * Creates an object that limits the memory of partial inputs.
     *
     * @param limitBytes the limit in bytes
     * @param timeoutMs  milliseconds after which an input that receives no byte is discarded, or 0 for no timeout
     */
    public PartialInputLimit(long limitBytes, long timeoutMs) {
        memory = new PartialInputMemory(limitBytes);
        this.timeoutMs = timeoutMs;
    }

    /** Creates a limit with the system properties that the page about packets documents. */
    static PartialInputLimit ofSystemProperties() {
        return new PartialInputLimit(limitBytes(Long.getLong("io.kcp.netty.packet.maxIncompleteBytes", -1),
            PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory()),
            Math.max(0, Long.getLong("io.kcp.netty.packet.incompleteTimeoutMs", DEFAULT_TIMEOUT_MS)));
    }

    long timeoutMs() {
        return timeoutMs;
    }

    long limitBytes() {
        return memory.limitBytes();
    }

    /** Returns the configured limit, or an eighth of the memory if it is negative. A limit of 0 means no limit. */
    static long limitBytes(long configured, long directBytes, long heapBytes) {
        if (configured >= 0) {
            return configured == 0 ? Long.MAX_VALUE / 2 : configured;
        }
        return (directBytes > 0 ? Math.min(directBytes, heapBytes) : heapBytes) / DIVISOR;
    }

    /** Returns the memory that all partial inputs use, in bytes. */
    public long usedBytes() {
        return memory.usedBytes();
    }

    /** Assigns an input to the channel of a handler. Must be called when the handler is added to its pipeline. */
    public void attach(PartialInput input, ChannelHandlerContext context) {
        input.attachTo(of(context.channel(), context.executor()));
    }

    /**
     * Returns the inputs of the connection to which a channel belongs.
     *
     * @param executor the executor on which the inputs of the channel are received
     */
    PeerInputs of(Channel channel, EventExecutor executor) {
        Channel connection = ConnectionChannel.of(channel);
        PeerInputs inputs = connection.attr(PEER).get();
        if (inputs == null || inputs.executor().executor() != executor || inputs.executor().memory() != memory) {
            inputs = new PeerInputs(of(executor), connection);
            connection.attr(PEER).set(inputs);
        }
        return inputs;
    }

    private ExecutorInputs of(EventExecutor executor) {
        synchronized (executors) {
            WeakReference<ExecutorInputs> reference = executors.get(executor);
            ExecutorInputs inputs = reference == null ? null : reference.get();
            if (inputs == null) {
                inputs = new ExecutorInputs(memory, executor, timeoutMs, this::discardExcess);
                executors.put(executor, new WeakReference<>(inputs));
            }
            return inputs;
        }
    }

    /** Notifies each event executor whose inputs use more than an equal part of the limit that it must discard inputs. */
    void discardExcess() {
        List<ExecutorInputs> using = new ArrayList<>();
        synchronized (executors) {
            for (WeakReference<ExecutorInputs> reference : executors.values()) {
                @Nullable ExecutorInputs inputs = reference.get();
                if (inputs != null && inputs.usedBytes() > 0) {
                    using.add(inputs);
                }
            }
        }
        for (ExecutorInputs inputs : using) {
            inputs.discardExcess(memory.limitBytes() / using.size());
        }
    }
}
