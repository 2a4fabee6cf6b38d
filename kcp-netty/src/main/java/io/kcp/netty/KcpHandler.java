package io.kcp.netty;

import io.kcp.core.CloseNotice;
import io.kcp.core.InputResult;
import io.kcp.core.Kcp;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.loop.LoopContext;
import io.kcp.netty.session.PeerTable;
import io.kcp.netty.session.ReducedMtus;
import io.kcp.netty.socket.ReservedReads;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@link KcpChannel}s over one datagram channel and passes inbound datagrams to them. It is the last handler of that channel, after
 * {@link CryptoCodec} and {@link FecCodec}. {@link KcpHandlerBuilder#buildPipeline()} adds all of these handlers.
 *
 * <h2>Batches</h2> Datagrams are passed to their sessions as they arrive. When the read batch ends ({@code channelReadComplete}), each
 * session that received a datagram delivers its messages and sends all data that is due, including acknowledgements. Then the datagram
 * channel is flushed once. If the handlers take more than 2 ms, the event loop reads its sockets before it serves the remaining sessions
 * and messages, so that an overloaded server still reads and acknowledges datagrams. The limit applies to each datagram channel of an event
 * loop, and a single session may exceed it by 32 messages.
 *
 * <h2>Sessions</h2> A session is identified by a remote address and a conversation id. The application opens sessions with
 * {@link #connect}. If there is a child handler, a peer opens a session with a well-formed datagram of PUSH segments that have {@code una}
 * 0 and are inside the receive window. One of these segments must have {@code sn} 0. This handler never closes the channel, throws an
 * exception or logs a message because of a datagram. Dropped datagrams are counted by {@link DropReason}.
 *
 * <h2>Threads</h2>
 * An instance belongs to one channel and runs on its event loop. Any thread may call {@link #connect} and {@link #collectStats}.
 */
public final class KcpHandler extends ChannelInboundHandlerAdapter {

    private final KcpHandlerBuilder settings;
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable LoopContext loop;
    private @Nullable PeerTable<DefaultKcpChannel> sessions;
    private @Nullable ListenerCounters counters;
    private final UserHooks hooks;
    private final SessionFlush flusher = new SessionFlush(this);
    private final HandlerFailures failures = new HandlerFailures(this);
    private final SessionGate gate;
    private final SessionAcceptor acceptor;
    private final ReadBatch batch = new ReadBatch(this);
    private final SessionOpener opener;
    private final @Nullable PathRouter router;
    private boolean discarding;
    private @Nullable PacketWriter writer;
    /** Runs actions on all open sessions, such as collecting statistics or closing the sessions of a server. */
    final SessionVisits visits = new SessionVisits(this);

    KcpHandler(KcpHandlerBuilder settings) {
        this.settings = settings;
        hooks = new UserHooks(settings.acceptFilter, settings.foreignHandler);
        OpeningLimits openings = new OpeningLimits(this, settings);
        gate = new SessionGate(this, settings, openings);
        acceptor = new SessionAcceptor(this, settings, hooks, openings);
        opener = new SessionOpener(this, gate, acceptor, batch);
        router = settings.conversations == null ? null : new PathRouter(this, settings.conversations);
    }

    /**
     * Returns a builder for a handler that accepts sessions and can also open sessions.
     *
     * @param childHandler added to the pipeline of each accepted session; usually a {@code ChannelInitializer}, must be sharable
     * @return a builder
     * @throws IllegalArgumentException if the handler is not sharable
     */
    public static KcpHandlerBuilder server(ChannelHandler childHandler) {
        SessionSetup.checkSharable(Objects.requireNonNull(childHandler, "childHandler"));
        return new KcpHandlerBuilder(childHandler);
    }

    /**
     * Returns a builder for a handler that opens sessions but accepts none. The application opens sessions with {@link #connect}.
     *
     * @return a builder
     */
    public static KcpHandlerBuilder client() {
        return new KcpHandlerBuilder((ChannelHandler) null);
    }

    /**
     * Opens a session to a remote address. KCP has no handshake, so the peer learns of the session with the first write.
     *
     * @param remote  the peer
     * @param conv    the conversation id; must not be in use with that address
     * @param handler added to the pipeline of the session
     * @return a future with the session; succeeds when the session is registered, fails if the event loop has terminated
     */
    public KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler) {
        return connect(remote, conv, handler, Map.of(), Map.of());
    }

    /**
     * Opens a session to a remote address with options and attributes, which are set before {@code handlerAdded} of the session's handler
     * is called.
     *
     * @param remote     the peer
     * @param conv       the conversation id; must not be in use with that address
     * @param handler    added to the pipeline of the session
     * @param options    options of the session, see {@link KcpChannelOption}; copied
     * @param attributes attributes of the session; copied
     * @return a future with the session; succeeds when the session is registered, fails if the event loop has terminated or an option is
     *         out of range
     */
    public KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler, Map<ChannelOption<?>, ?> options,
        Map<AttributeKey<?>, ?> attributes) {
        return new SessionConnector(this, context()).connect(remote, conv, handler, options, attributes);
    }

    /** Opens a session on a channel that has already been created. Must be called on the event loop. */
    void open(DefaultKcpChannel session, ChannelHandler handler, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes, ChannelPromise promise) {
        new SessionConnector(this, context()).open(session, handler, options, attributes, promise);
    }

    boolean hasSession(InetSocketAddress remote, int conv) {
        return sessions().find(remote, conv) != null;
    }

    /**
     * Collects the statistics of this handler on its event loop. With many sessions this takes several event-loop iterations, so that
     * sessions are not delayed.
     *
     * @return a future with the statistics; fails if the event loop has terminated
     */
    public Future<KcpListenerStats> collectStats() {
        return visits.collectStats();
    }

    // ---- pipeline lifecycle

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (ctx != null) {
            throw new IllegalStateException("Cannot add a KcpHandler to a second pipeline, because each channel needs its own instance");
        }
        ctx = context;
        LoopContext loopContext = LoopContext.of(context.channel().eventLoop());
        writer = new PacketWriter(context, loopContext);
        if (context.channel().config().getRecvByteBufAllocator() instanceof ReservedReads reads) {
            reads.useReserve(loopContext.reserve());
        }
        PeerTable<DefaultKcpChannel> table = new PeerTable<>(loopContext.random());
        table.attachTo(context.channel());
        counters = new ListenerCounters(DropCounters.of(context.channel()), settings.replayFilter);
        // Adds the channel to the loop context as the final step, because the context must be unchanged if handlerAdded() throws an
        // exception and Netty removes the handler.
        loopContext.enter(context.channel());
        loop = loopContext;
        sessions = table;
    }

    /**
     * Closes all sessions and removes the datagram channel from the context of the event loop. Netty also calls this method after
     * {@link #handlerAdded} threw an exception. The channel was then not added to the context, or the handler belongs to another pipeline.
     */
    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (context.channel().config().getRecvByteBufAllocator() instanceof ReservedReads reads) {
            reads.releaseReserve();
        }
        LoopContext entered = loop;
        if (entered != null && context == ctx) {
            closeSessions();
            batch.stop();
            entered.leave(context.channel());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closeSessions();
        context.fireChannelInactive();
    }

    private void closeSessions() {
        stopAccepting();
        sessions().forEach(session -> session.closeWith(KcpCloseReason.PARENT_CLOSED));
    }

    /** Sets whether all inbound datagrams are dropped. */
    void discard(boolean everything) {
        discarding = everything;
    }

    /** Refuses all new sessions from now on. */
    void stopAccepting() {
        gate.close();
        opener.close();
    }

    // ---- inbound datagrams

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket packet)) {
            context.fireChannelRead(message);
            return;
        }
        if (discarding) {
            drop(DropReason.NO_SESSION);
            ReferenceCountUtil.release(packet);
            return;
        }
        try {
            if (batch.begin()) {
                opener.onBatchBegin();
            }
            read(context, packet);
        } catch (OutOfMemoryError shortage) {
            failures.onOutOfMemory(context.channel(), shortage);
        } finally {
            ReferenceCountUtil.release(packet);
        }
    }

    private void read(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        if (!SessionGate.startsWithSegment(datagram)) {
            if (CloseNotice.isNotice(datagram)) {
                CloseNotices.read(this, gate, packet);
            } else if (!hooks.isConsumed(context, packet)) {
                drop(DropReason.NOT_KCP);
            }
            return;
        }
        int conv = SegmentHeader.conv(datagram, datagram.readerIndex());
        // recentNowMs() is accurate enough, because the clock was read at the start of this batch or later.
        long nowMs = loop().recentNowMs();
        boolean recovered = packet instanceof KcpPacket kcpPacket && kcpPacket.isRecovered();
        DefaultKcpChannel session = sessions().find(packet.sender(), conv);
        if (session == null) {
            if (recovered) {
                // A datagram recovered by the decoder of one session must not open another session.
                drop(DropReason.STRAY_RECOVERED);
                return;
            }
            session = opener.open(context, packet, conv, nowMs);
            if (session == null) {
                return;
            }
        } else {
            gate.onKnownSession(datagram, nowMs);
        }
        read(session, datagram, recovered, nowMs);
        if (session.kcp().pollUnflushedQuarter() && !session.kcp().amplificationLimit().isActive()) {
            batch.endSoon();
        }
    }

    /** Passes a datagram to its session. Borrows the datagram. */
    void read(DefaultKcpChannel session, ByteBuf datagram, boolean recovered, long nowMs) {
        if (session.closing().isClosedByPeer()) {
            // Such a datagram must not count as activity, because the session of the peer is closed. If the notice has overtaken data, the
            // peer has reported that the data may be lost.
            drop(DropReason.CLOSED_SESSION);
            return;
        }
        InputResult result = session.kcp().input(datagram, recovered, (int) nowMs, loop().recentNowMicros());
        if (result == InputResult.ACCEPTED) {
            if (recovered) {
                acceptor.onInput(session, true);
                batch.addReceiver(session, nowMs);
            } else {
                onAccepted(session);
            }
        } else {
            drop(result == InputResult.FORGED_ACKNOWLEDGEMENT ? DropReason.FORGED_ACKNOWLEDGEMENT : DropReason.MALFORMED);
        }
    }

    /** Updates a session after its conversation has accepted a received datagram. */
    void onAccepted(DefaultKcpChannel session) {
        acceptor.onInput(session, false);
        batch.addReceiver(session, loop().recentNowMs());
        session.key.onAccepted(sessions().keyIndex());
        if (router != null) {
            router.onAccepted(session);
        }
    }

    void drop(DropReason reason) {
        counters().onDrop(reason);
    }

    /** Counts a datagram that must not open a session. */
    void onRefused(ChannelHandlerContext context, InetSocketAddress sender, DropReason reason) {
        drop(reason);
        long nowNanos = loop().nowNanos();
        loop().decryptionBudget().onUseless(nowNanos);
        settings.floodLog().onDrop(reason, context.channel(), sender, nowNanos);
    }

    // ---- batches

    ReadBatch batch() {
        return batch;
    }

    /** Resumes a session that was paused because of a memory shortage. */
    void resume(DefaultKcpChannel session) {
        session.kcp().announceWindow();
        if (batch.isReading()) {
            batch.add(session);
            return;
        }
        batch.serveNow(session);
        flushWritten();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        loop().onRead(context.channel(), batch.hasDrained(context.channel()));
        try {
            batch.complete();
        } finally {
            loop().onServed();
            opener.onBatchEnd();
        }
        context.fireChannelReadComplete();
    }

    // ---- outbound datagrams

    int overheadBytes() {
        return writer().overheadBytes();
    }

    boolean limitsAmplification() {
        return settings.amplificationLimit;
    }

    boolean sendsOob() {
        return writer().sendsOob();
    }

    ByteBuf allocate(int datagramBytes) {
        return writer().allocate(datagramBytes);
    }

    void write(DatagramPacket packet) {
        writer().write(packet);
    }

    void flushWritten() {
        writer().flush();
    }

    boolean canWrite() {
        return writer().canWrite();
    }

    void block(DefaultKcpChannel session) {
        writer().block(session);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            writer().unblock();
        }
        context.fireChannelWritabilityChanged();
    }

    /** Returns the writer through which the sessions send datagrams. Throws an exception if this handler is not in a pipeline. */
    PacketWriter writer() {
        PacketWriter datagrams = writer;
        if (datagrams == null) {
            throw new IllegalStateException("KcpHandler is not in a pipeline");
        }
        return datagrams;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.onException(context, cause);
    }

    void onFailed(DefaultKcpChannel session, Throwable failure) {
        failures.onFailed(session, failure);
    }

    // ---- opening and closing sessions

    /** Returns the handler that finds the sessions of datagrams from unknown addresses, or null if sessions do not follow their peers. */
    @Nullable PathRouter router() {
        return router;
    }

    ReducedMtus reducedMtus() {
        return settings.reducedMtus;
    }

    SessionAcceptor acceptor() {
        return acceptor;
    }

    SessionGate gate() {
        return gate;
    }

    SessionOpener opener() {
        return opener;
    }

    SessionFlush flusher() {
        return flusher;
    }

    LoopContext loop() {
        LoopContext context = loop;
        assert context != null;
        return context;
    }

    Channel datagramChannel() {
        return context().channel();
    }

    void onRegistered(DefaultKcpChannel session) {
        sessions().add(session);
        session.openedMs = loop().recentNowMs();
        counters().onOpened(sessions().size());
        if (router != null && session.place != null) {
            router.onOpened(session);
        } else if (settings.repeatsAcknowledgements()) {
            session.kcp().path().repeatAcknowledgements();
        }
        LoopContext.EVENTS.opened(session);
    }

    /**
     * Removes a closing session from the tables and timers of this handler. Steps that need no memory come first, so that the session is
     * removed even if memory runs out.
     */
    void onClosed(DefaultKcpChannel session, Kcp conversation) {
        sessions().remove(session);
        loop().timers().remove(session);
        acceptor.onClosed(session);
        if (router != null) {
            router.onClosed(session);
        }
        try {
            counters().onClosed(session, conversation.stats());
            long nowMs = loop().nowMs();
            gate.onClosed(session, conversation, nowMs);
            LoopContext.EVENTS.closed(session, nowMs - session.openedMs);
        } catch (OutOfMemoryError shortage) {
            // Ignores the shortage. The closed session may be missing from the statistics, and one of its late datagrams may open another
            // session.
        }
    }

    /** Returns {@code true} if the datagram channel closes together with a session. */
    boolean closesWithSession() {
        return settings.closeWithSession;
    }

    ChannelHandlerContext context() {
        ChannelHandlerContext context = ctx;
        if (context == null) {
            throw new IllegalStateException("KcpHandler is not in a pipeline");
        }
        return context;
    }

    ListenerCounters counters() {
        ListenerCounters present = counters;
        assert present != null;
        return present;
    }

    PeerTable<DefaultKcpChannel> sessions() {
        PeerTable<DefaultKcpChannel> table = sessions;
        if (table == null) {
            throw new IllegalStateException("Cannot use a KcpHandler whose handlerAdded method threw an exception."
                + " Netty has logged the exception as a warning.");
        }
        return table;
    }
}
