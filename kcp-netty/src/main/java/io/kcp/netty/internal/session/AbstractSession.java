package io.kcp.netty.internal.session;

import io.kcp.core.conversation.Kcp;
import io.kcp.netty.internal.base.ConnectionChannel;
import io.kcp.netty.internal.socket.RunSender;
import io.kcp.netty.internal.stats.SessionDetails;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Base class of sessions, with the methods that the tables, queues, timers and codecs of the event loop call. The tables, queues, timers
 * and codecs store their data about a session in fields of this class, because fields, unlike map entries, need no allocation and no lookup
 * per datagram. The comment of each field names the class that reads and writes it. There is only one subclass, so that the JIT compiler
 * can inline calls of the abstract methods.
 */
public abstract class AbstractSession extends AbstractChannel implements ConnectionChannel, RunSender {

    /** Selects the key that encrypts outbound datagrams. */
    public final CipherKeySelector key = new CipherKeySelector();    // CryptoCodec
    /** The FEC encoder and decoder of this session. */
    public final SessionFec fec;                       // FecCodec
    /** Passes received messages to the pipeline. */
    public final MessageDelivery delivery = new MessageDelivery(this); // DefaultKcpChannel
    /** The entry of this session in the list of sessions with spare memory. */
    public final SpareMemory.Entry spare = new SpareMemory.Entry(this); // SpareMemory
    int hash;                                 // PeerTable
    long addressWord;                         // PeerTable
    @Nullable AbstractSession previousOfPeer; // PeerTable
    @Nullable AbstractSession nextOfPeer;     // PeerTable
    @Nullable AbstractSession previousOfConv; // ConversationIndex
    @Nullable AbstractSession nextOfConv;     // ConversationIndex
    boolean indexed;                          // ConversationIndex
    boolean validated;                        // ConversationIndex
    @Nullable AbstractSession nextInBatch;    // SessionQueue.Batch
    @Nullable AbstractSession nextBlocked;    // SessionQueue.Blocked
    @Nullable AbstractSession nextDue;        // SessionQueue.Due
    int heapIndex = -1;                       // DeadlineHeap
    long deadlineMs;                          // DeadlineHeap
    int wheelBucket = -1;                     // LivenessWheel
    @Nullable AbstractSession wheelPrevious;  // LivenessWheel
    @Nullable AbstractSession wheelNext;      // LivenessWheel
    private final int conv;
    private final boolean accepted;
    private long openedMs;                    // SessionHost
    private @Nullable EventLoop homeLoop;     // OpeningPromise
    private boolean runsRefused;              // DatagramCoalescer
    private volatile SessionState state = SessionState.NEW;

    /**
     * Creates a session that has not been added to any table, queue or timer.
     *
     * @param accepted {@code true} if the peer opens the session
     */
    protected AbstractSession(@Nullable Channel parent, int conv, boolean accepted) {
        super(parent);
        this.conv = conv;
        this.accepted = accepted;
        fec = new SessionFec(conv);
    }

    /** Returns the conversation id. */
    public final int conv() {
        return conv;
    }

    /** Returns {@code true} if the peer has opened this session, {@code false} if this side has. */
    public final boolean isAccepted() {
        return accepted;
    }

    /** Returns the time at which the session was opened, in milliseconds of the event loop's clock. */
    public final long openedMs() {
        return openedMs;
    }

    /** Sets the time at which the session was opened. */
    public final void setOpenedMs(long timeMs) {
        openedMs = timeMs;
    }

    /**
     * Returns the event loop on which the session is, or will be, registered. Callers may need it before registration, because
     * {@code connect} returns the channel immediately.
     */
    @Override
    public final EventLoop eventLoop() {
        EventLoop home = homeLoop;
        return home != null ? home : super.eventLoop();
    }

    /** Sets the event loop on which the session will be registered. */
    public final void setHomeLoop(EventLoop loop) {
        homeLoop = loop;
    }

    /**
     * Runs a task on the event loop of this session. Any thread may call this method.
     *
     * @return {@code false}, without running the task, if the event loop has terminated
     */
    public final boolean run(Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
            return true;
        }
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException terminated) {
            return false;
        }
    }

    /** Returns a failed future that notifies its listeners even though the event loop of this session has terminated. */
    protected final ChannelFuture failedFuture(Throwable cause) {
        return new DefaultChannelPromise(this, GlobalEventExecutor.INSTANCE).setFailure(cause);
    }

    /** Describes this session for messages. */
    public final String description() {
        return "conv " + Integer.toUnsignedString(conv) + " with " + remoteAddress();
    }

    /** Sets one of the flags that {@link #isWritable} combines. */
    public final void setWritability(int index, boolean writable) {
        ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
        if (buffer != null && buffer.getUserDefinedWritability(index) != writable) {
            buffer.setUserDefinedWritability(index, writable);
        }
    }

    /** Returns {@code true} until the kernel has refused GSO on the route to the peer. */
    @Override
    public final boolean maySendRuns() {
        return !runsRefused;
    }

    @Override
    public final boolean stopSendingRuns() {
        runsRefused = true;
        return true;
    }

    /** Returns the state. */
    public final SessionState state() {
        return state;
    }

    /** Sets the state. Must be called on the event loop. */
    public final void setState(SessionState state) {
        this.state = state;
    }

    @Override
    public final boolean isOpen() {
        return state != SessionState.CLOSED;
    }

    @Override
    public final boolean isActive() {
        return state == SessionState.ENDING || isServed();
    }

    /** Returns {@code true} while the session is active or lingering, that is, while it sends segments and its timers run. */
    public final boolean isServed() {
        return state == SessionState.ACTIVE || state == SessionState.LINGERING;
    }

    /** Returns {@code true} while the session delivers messages to its pipeline. */
    public final boolean isReading() {
        return state == SessionState.ACTIVE;
    }

    /** Returns {@code true} if the session is closing or closed. */
    public final boolean isClosing() {
        return state == SessionState.LINGERING || state == SessionState.ENDING || state == SessionState.CLOSED;
    }

    @Override
    public final boolean isPeerValidated() {
        return kcp().isPeerValidated();
    }

    /** Returns the address of the peer. */
    @Override
    public abstract InetSocketAddress remoteAddress();

    /** Returns the KCP conversation of this session. The session must be registered. */
    public abstract Kcp kcp();

    /** Returns {@code true} if the peer has closed its session, so that only messages that were received are still delivered. */
    public abstract boolean isClosedByPeer();

    /** Returns the bytes that the cipher and FEC add to each datagram of this session. Any thread may call it. */
    public abstract int overheadBytes();

    /** Applies changed options. Any thread may call it. */
    public abstract void onConfigChanged();

    /** Stops the delivery of messages until the next {@code read()}, because auto-read was disabled. Any thread may call it. */
    public abstract void onAutoReadCleared();

    /**
     * Sends an out-of-band message and <b>takes</b> its payload. Any thread may call this method.
     *
     * @return {@code false}, without completing the promise, if the event loop of the session has terminated
     */
    public abstract boolean sendOob(ByteBuf payload, ChannelPromise promise);

    /** Reads the clock, and returns {@code true} if the event loop should poll its sockets before it serves sessions again. */
    public abstract boolean isServingTimeOver();

    /** Handles the end of a read batch: delivers messages and passes queued writes to the conversation. */
    public abstract void onBatch();

    /** Sends due segments after {@link #onBatch}. */
    public abstract void onBatchDelivered();

    /** Sends due segments after the socket has become writable. */
    public abstract void onUnblocked(long nowMs);

    /** Handles the deadline of the session: sends due segments and checks whether the peer still responds. */
    public abstract void onDeadline(long nowMs);

    /** Sends a keepalive probe if one is due, and closes the session if the idle timeout has expired. */
    public abstract void onSweep(long nowMs);

    /** Fires an out-of-band message through the pipeline if the session is active, and <b>takes</b> the payload. */
    public abstract void readOob(ByteBuf payload);

    /** Flushes the datagrams that the session has written to its datagram channel. */
    public abstract void flushWritten();

    /** Resumes this session, which was paused because of a memory shortage. */
    public abstract void resume();

    /** Closes the session because of a local failure, such as a shortage of memory. Other sessions of the event loop continue. */
    public abstract void failWith(Throwable failure);

    /** Closes the session because it has held scarce memory for too long without making progress. */
    public abstract void closeForMemory(Throwable cause);

    /** Closes the session because unvalidated sessions hold too much memory. */
    public abstract void evict();

    /** Returns the values of this session to record in Java Flight Recorder events. */
    public abstract SessionDetails details();

    /** Returns the most recently set deadline of this session, in milliseconds of the event loop's clock. */
    public final long deadlineMs() {
        return deadlineMs;
    }
}
