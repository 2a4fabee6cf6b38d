package io.kcp.netty.internal.channel;

import io.kcp.core.InputResult;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.DropReason;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.PeerTable;
import io.kcp.netty.internal.session.ReducedMtus;
import io.kcp.netty.internal.socket.ReservedReads;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of one datagram channel share: the channel, its event loop, the writer of datagrams, the read batch, the table of the
 * sessions and the counts of dropped datagrams. A host exists before its channel has a pipeline, because {@code connect} returns a session
 * immediately.
 *
 * @param <S> the type of the sessions
 */
public final class SessionHost<S extends AbstractSession> {

    /** Learns of the steps in the life of each session. All methods are called on the event loop. */
    public interface Owner<S> {

        /** Records that a session was opened and is in the table. */
        void opened(S session);

        /** Records that a session has accepted a datagram, which FEC may have recovered. */
        void accepted(S session, boolean recovered);

        /** Records that a session has closed and is no longer in the table. */
        void closed(S session, Kcp conversation);

        /** Closes a session because of a failure on this side. */
        void failed(S session, Throwable failure);

        /** Returns the number that an accepted session adds to the clock in its {@code ts}. */
        int timestampBase(S session, int random, long nowMs);
    }

    private static final AttributeKey<SessionHost<?>> KEY = AttributeKey.valueOf(SessionHost.class, "HOST");

    private final Owner<S> owner;
    private final boolean closesWithSession;
    private final boolean limitsAmplification;
    private final ReducedMtus reducedMtus;
    private @Nullable ChannelHandlerContext context;
    private @Nullable LoopContext loop;
    private @Nullable DatagramChannelWriter writer;
    private @Nullable ServingQueue servingQueue;
    private @Nullable DropCounters drops;
    private @Nullable PeerTable<S> sessions;

    /**
     * Creates a host without a channel.
     *
     * @param closesWithSession   {@code true} if the datagram channel closes together with a session
     * @param limitsAmplification {@code true} if accepted sessions send little until their peers are validated
     * @param reducedMtus         the peers whose paths required a reduced MTU
     */
    public SessionHost(Owner<S> owner, boolean closesWithSession, boolean limitsAmplification, ReducedMtus reducedMtus) {
        this.owner = owner;
        this.closesWithSession = closesWithSession;
        this.limitsAmplification = limitsAmplification;
        this.reducedMtus = reducedMtus;
    }

    /** Returns the host of a datagram channel. Throws an exception if the channel has none, naming the handler that needs it. */
    public static SessionHost<?> of(Channel channel, String user) {
        SessionHost<?> host = channel.attr(KEY).get();
        if (host == null) {
            throw new IllegalStateException(user + " requires a KcpHandler in the pipeline of " + channel);
        }
        return host;
    }

    // ---- the datagram channel

    /**
     * Serves the sessions of a datagram channel from now on. Must be called once, on the event loop. If this method throws an exception,
     * the channel was not added to the context of the event loop.
     */
    public void attach(ChannelHandlerContext added) {
        if (context != null) {
            throw new IllegalStateException("Cannot add a KcpHandler to a second pipeline, because each channel needs its own instance");
        }
        context = added;
        Channel channel = added.channel();
        LoopContext loopContext = LoopContext.of(channel.eventLoop());
        DatagramChannelWriter datagrams = new DatagramChannelWriter(added, loopContext);
        writer = datagrams;
        servingQueue = new ServingQueue(channel, loopContext, datagrams);
        if (channel.config().getRecvByteBufAllocator() instanceof ReservedReads reads) {
            reads.useReserve(loopContext.reserve());
        }
        PeerTable<S> table = new PeerTable<>(loopContext.random());
        table.attachTo(channel);
        channel.attr(KEY).set(this);
        drops = DropCounters.of(channel);
        // The final step, because the context must be unchanged if this method throws an exception and Netty removes the handler.
        loopContext.enter(channel);
        loop = loopContext;
        sessions = table;
    }

    /** Returns {@code true} if a handler context is that of this host, and {@link #attach} has succeeded. */
    public boolean isAttached(ChannelHandlerContext removed) {
        return loop != null && removed == context;
    }

    /** Removes the datagram channel from the context of the event loop. Its sessions must be closed. */
    public void detach() {
        servingQueue().stop();
        loop().leave(channel());
    }

    /** Returns the context of the handler that serves the sessions. Throws an exception if the handler is not in a pipeline. */
    public ChannelHandlerContext context() {
        ChannelHandlerContext present = context;
        if (present == null) {
            throw new IllegalStateException("KcpHandler is not in a pipeline");
        }
        return present;
    }

    public Channel channel() {
        return context().channel();
    }

    public LoopContext loop() {
        LoopContext present = loop;
        assert present != null;
        return present;
    }

    /** Returns the writer of datagrams. Throws an exception if the handler is not in a pipeline. */
    public DatagramChannelWriter writer() {
        DatagramChannelWriter present = writer;
        if (present == null) {
            throw new IllegalStateException("KcpHandler is not in a pipeline");
        }
        return present;
    }

    public ServingQueue servingQueue() {
        ServingQueue present = servingQueue;
        assert present != null;
        return present;
    }

    /** Returns the table of the open sessions. Throws an exception if {@link #attach} has failed. */
    public PeerTable<S> sessions() {
        PeerTable<S> present = sessions;
        if (present == null) {
            throw new IllegalStateException("Cannot use a KcpHandler whose handlerAdded method threw an exception."
                + " Netty has logged the exception as a warning.");
        }
        return present;
    }

    /** Counts a dropped datagram. */
    public void drop(DropReason reason) {
        DropCounters counters = drops;
        assert counters != null;
        counters.count(reason);
    }

    // ---- settings

    boolean closesWithSession() {
        return closesWithSession;
    }

    boolean limitsAmplification() {
        return limitsAmplification;
    }

    ReducedMtus reducedMtus() {
        return reducedMtus;
    }

    // ---- sessions

    Owner<S> owner() {
        return owner;
    }

    /** Adds a session that has just been registered. */
    void open(S session) {
        sessions().add(session);
        session.setOpenedMs(loop().recentNowMs());
        owner.opened(session);
        LoopContext.EVENTS.opened(session);
    }

    /**
     * Removes a closing session from the tables and timers. These steps come first, because they need no memory, so that the session is
     * removed even if memory runs out.
     */
    void close(S session, Kcp conversation) {
        sessions().remove(session);
        loop().timers().remove(session);
        owner.closed(session, conversation);
    }

    /**
     * Passes a datagram to its session.
     *
     * @param datagram the datagram, borrowed
     * @return {@code false} if the session refused the datagram, which is counted
     */
    public boolean read(S session, ByteBuf datagram, boolean recovered) {
        if (session.isClosedByPeer()) {
            // Such a datagram must not count as activity, because the session of the peer is closed. If the notice has overtaken data, the
            // peer has reported that the data may be lost.
            drop(DropReason.CLOSED_SESSION);
            return false;
        }
        // The clock was read at the start of this batch or later, which is accurate enough.
        InputResult result = session.kcp().input(datagram, recovered, (int) loop().recentNowMs(), loop().recentNowMicros());
        if (result != InputResult.ACCEPTED) {
            drop(result == InputResult.FORGED_ACKNOWLEDGEMENT ? DropReason.FORGED_ACKNOWLEDGEMENT : DropReason.MALFORMED);
            return false;
        }
        servingQueue().addReceiver(session, loop().recentNowMs());
        owner.accepted(session, recovered);
        return true;
    }

    /** Resumes a session that was paused because of a memory shortage. */
    public void resume(S session) {
        session.kcp().announceWindow();
        if (servingQueue().isReading()) {
            servingQueue().add(session);
            return;
        }
        servingQueue().serveNow(session);
        writer().flush();
    }
}
