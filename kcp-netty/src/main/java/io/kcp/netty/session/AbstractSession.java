package io.kcp.netty.session;

import io.kcp.core.Kcp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A session as the tables, queues, timers and codecs of its event loop see it. Their links are fields of the session, because unlike map
 * entries, fields need no allocation or lookup per datagram. The comment of each field names the class that reads and writes it. There is
 * one subclass, so that the JIT compiler binds and inlines the calls of the abstract methods.
 */
public abstract class AbstractSession extends AbstractChannel {

    /** Selects the key that seals the outbound datagrams. */
    public final SessionKey key = new SessionKey();    // CryptoCodec
    /** Decides whether outbound datagrams may be sent in runs. */
    public final SessionRuns runs = new SessionRuns(); // DatagramCoalescer
    /** The FEC encoder and decoder. */
    public final SessionFec fec;                       // FecCodec
    /** The entry in the list of sessions with spare memory. */
    public final SpareMemory.Entry spare = new SpareMemory.Entry(this); // SpareMemory
    int hash;                                 // PeerTable
    @Nullable AbstractSession previousOfPeer; // PeerTable
    @Nullable AbstractSession nextOfPeer;     // PeerTable
    @Nullable AbstractSession nextInBatch;    // SessionQueue.Batch
    @Nullable AbstractSession nextBlocked;    // SessionQueue.Blocked
    @Nullable AbstractSession nextDue;        // SessionQueue.Due
    int heapIndex = -1;                       // DeadlineHeap
    long deadlineMs;                          // DeadlineHeap
    int wheelBucket = -1;                     // LivenessWheel
    @Nullable AbstractSession wheelPrevious;  // LivenessWheel
    @Nullable AbstractSession wheelNext;      // LivenessWheel

    /** Creates a session that is in no table, queue or timer. */
    protected AbstractSession(@Nullable Channel parent, int conv) {
        super(parent);
        fec = new SessionFec(conv);
    }

    /** Returns the conversation id. */
    public abstract int conv();

    /** Returns the address of the peer. */
    @Override
    public abstract InetSocketAddress remoteAddress();

    /** Returns the conversation of a registered session. */
    public abstract Kcp kcp();

    /** Returns {@code true} while the session sends and its timers run. */
    public abstract boolean isServed();

    /** Returns {@code true} while the session delivers messages to its pipeline. */
    public abstract boolean isReading();

    /** Delivers messages, hands queued writes to the conversation and sends due segments, at the end of a read batch. */
    public abstract void onBatch();

    /** Continues to send after the socket became writable. */
    public abstract void onUnblocked(long nowMs);

    /** Sends due segments and checks the peer's liveness at the deadline of the session. */
    public abstract void onDeadline(long nowMs);

    /** Checks keepalive and idle timeout; called about once a second while they may be due. */
    public abstract void onSweep(long nowMs);

    /** Fires an out-of-band message through the pipeline if the session is active, <b>takes</b> the payload. */
    public abstract void readOob(ByteBuf payload);

    /** Flushes the datagrams that the session has written to its datagram channel. */
    public abstract void flushWritten();

    /** Resumes the session after it was paused because of a memory shortage. */
    public abstract void resume();

    /** Closes the session because of a local failure, such as a shortage of memory. Other sessions of the event loop continue. */
    public abstract void failWith(Throwable failure);

    /** Closes the session because it has held scarce memory for too long without progress. */
    public abstract void closeForMemory(Throwable cause);

    /** Returns the time of the deadline that was set last, in milliseconds of the loop's clock. */
    public final long deadlineMs() {
        return deadlineMs;
    }
}
