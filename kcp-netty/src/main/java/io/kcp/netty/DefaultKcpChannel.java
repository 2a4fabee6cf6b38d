package io.kcp.netty;

import io.kcp.core.Kcp;
import io.kcp.core.MessageTooLargeException;
import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.UnvalidatedSessions;
import io.kcp.netty.loop.LoopContext;
import io.kcp.netty.loop.Registration;
import io.kcp.netty.session.AbstractSession;
import io.kcp.netty.session.MessageDelivery;
import io.kcp.netty.session.QueuedWrites;
import io.kcp.netty.session.SessionState;
import io.kcp.netty.session.WriteLedger;
import io.kcp.netty.stats.SessionDetails;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A KCP session as a Netty channel, which connects a {@link Kcp} conversation with its pipeline, its {@link KcpHandler} and the timers of
 * its event loop. It delegates sending to {@link SessionFlush}, delivery to {@link MessageDelivery}, writing to {@link QueuedWrites} and
 * closing to {@link SessionClose}.
 */
final class DefaultKcpChannel extends AbstractSession implements KcpChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final int WRITABLE_NOT_CLOSING = 2;
    private static final InetSocketAddress NOT_CONNECTED = InetSocketAddress.createUnresolved("not-connected", 0);

    /** Set by {@link KcpHandler}. */
    long openedMs;
    /** Records how the server counts this session; null if this side opened the session. */
    SessionCounts.@Nullable Place place;
    UnvalidatedSessions.@Nullable Entry<DefaultKcpChannel> unvalidated;
    volatile @Nullable PathMigration migration;
    boolean probed;
    private final KcpHandler handler;
    private volatile InetSocketAddress remote = NOT_CONNECTED;
    private @Nullable EventLoop homeLoop;
    private final DefaultKcpChannelConfig config;
    private final WriteLedger ledger = new WriteLedger();
    private final QueuedWrites writes = new QueuedWrites(ledger);
    private final SessionClose closing;
    private @Nullable Kcp kcp;

    DefaultKcpChannel(@Nullable Channel parent, KcpHandler handler, int conv) {
        super(parent, conv);
        this.handler = handler;
        config = new DefaultKcpChannelConfig(this);
        closing = new SessionClose(this, handler);
    }

    // ---- public API

    @Override
    public Channel datagramChannel() {
        return handler.datagramChannel();
    }

    @Override
    public KcpChannelConfig config() {
        return config;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public @Nullable Throwable closeCause() {
        return closing.cause();
    }

    @Override
    public ChannelFuture closeBecause(Throwable failure) {
        closing.onApplicationFailure(Objects.requireNonNull(failure, "failure"));
        return close();
    }

    /**
     * Returns the event loop on which the session is, or will be, registered. Callers may need it before registration, because
     * {@code connect} returns the channel immediately.
     */
    @Override
    public EventLoop eventLoop() {
        EventLoop home = homeLoop;
        return home != null ? home : super.eventLoop();
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ChannelFuture acknowledged() {
        return SessionTasks.call(this, promise -> {
            if (state() == SessionState.CLOSED) {
                promise.setFailure(closedException());
            } else {
                ledger.awaitAll(promise);
                ledger.complete(acknowledgedBytes());
            }
        });
    }

    @Override
    public int maxOobBytes() {
        return handler.sendsOob() ? config.kcp().mtuBytes() - handler.overheadBytes() - OobWriteHandler.CONV_BYTES : 0;
    }

    @Override
    public ChannelFuture sendOob(ByteBuf payload) {
        ChannelPromise promise = newPromise();
        return OobWriteHandler.send(this, payload, promise) ? promise : SessionTasks.failed(this);
    }

    @Override
    public Future<KcpSessionStats> collectStats() {
        return SessionTasks.collectStats(this);
    }

    @Override
    public String toString() {
        return "KcpChannel(" + description() + ", " + state() + ')';
    }

    // ---- calls from the handler and the event loop

    KcpHandler handler() {
        return handler;
    }

    SessionClose closing() {
        return closing;
    }

    /** Sets the address of the peer. A registered session must not be in the {@code PeerTable} during this call. */
    void setRemoteAddress(InetSocketAddress address) {
        remote = address;
    }

    void setHomeLoop(EventLoop loop) {
        homeLoop = loop;
    }

    @Override
    public void onTooLarge() {
        kcp().onDatagramTooLarge();
    }

    @Override
    public boolean isServingTimeOver() {
        return handler.batch().isSliceOver();
    }

    @Override
    public void onBatch() {
        if (isServed()) {
            delivery.deliver(kcp());
            ledger.complete(acknowledgedBytes());
            resumeWrites();
        }
    }

    @Override
    public void onBatchDelivered() {
        if (isServed()) {
            // Reads the clock again, because the handlers of the session may have run for a long time.
            handler.flusher().flushDue(this, handler.loop().nowMs());
        }
    }

    @Override
    public void readOob(ByteBuf payload) {
        if (state() == SessionState.ACTIVE) {
            pipeline().fireUserEventTriggered(new KcpOobMessage(payload));
        } else {
            payload.release();
        }
    }

    @Override
    public void onDeadline(long nowMs) {
        if (!isServed()) {
            return;
        }
        if (!delivery.isCut() || !handler.batch().addInterrupted(this, nowMs)) {
            handler.flusher().flushDue(this, nowMs);
        }
        if (isServed()) {
            SessionLiveness.check(this, nowMs);
        }
    }

    @Override
    public void onUnblocked(long nowMs) {
        handler.flusher().onUnblocked(this, nowMs);
    }

    @Override
    public void onSweep(long nowMs) {
        if (isServed()) {
            SessionLiveness.sweep(this, nowMs);
        }
    }

    /**
     * Closes the session immediately with the given reason. Does nothing if the session is closed or its handlers are being notified of a
     * failure.
     */
    void closeWith(KcpCloseReason reason) {
        closing.closeWith(reason, null);
    }

    void closeWith(KcpCloseReason reason, @Nullable Throwable failure) {
        closing.closeWith(reason, failure);
    }

    @Override
    public void evict() {
        closeWith(KcpCloseReason.EVICTED);
    }

    @Override
    public void closeForMemory(Throwable cause) {
        closing.closeWith(KcpCloseReason.MEMORY_LIMIT, cause);
    }

    @Override
    public void resume() {
        handler.resume(this);
    }

    @Override
    public void flushWritten() {
        handler.flushWritten();
    }

    @Override
    public void failWith(Throwable failure) {
        handler.onFailed(this, failure);
    }

    void onConfigChanged() {
        if (isServed()) {
            SessionTasks.applyConfig(this);
        }
    }

    void clearReadPending() {
        if (isRegistered()) {
            SessionTasks.run(this, delivery::onAutoReadCleared);
        } else {
            delivery.onAutoReadCleared();
        }
    }

    // ---- callbacks of Netty

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new KcpUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        // A session can be registered only once, because a second registration would start a second conversation.
        return kcp == null && loop == handler.datagramChannel().eventLoop();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (handler.datagramChannel().isOpen()) {
            Registration.complete(promise, this::begin);
        } else {
            promise.setFailure(new ClosedChannelException());
        }
    }

    private void begin() {
        LoopContext loop = handler.loop();
        long nowMs = loop.nowMs();
        int random = loop.random().nextInt();
        kcp = new Kcp(conv(), config.kcp(), new SessionOutput(this), loop.segments(handler.datagramChannel().alloc()),
            place == null ? random : handler.acceptor().timestampBase(this, random, nowMs), (int) nowMs);
        kcp.closeNotice().setToken(loop.random().nextInt());
        SessionTasks.applyOptions(this);
        setState(SessionState.ACTIVE);
        handler.reducedMtus().applyTo(kcp, remote, nowMs);
        handler.onRegistered(this);
        SessionLiveness.watch(this, nowMs, 0);
    }

    @Override
    protected SocketAddress localAddress0() {
        return handler.datagramChannel().localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw new UnsupportedOperationException("Cannot bind a KCP session, because it uses the local address of its datagram channel");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        if (state() == SessionState.CLOSED) {
            return;
        }
        Kcp conversation = kcp;
        try {
            if (conversation != null) {
                closing.leaveHandler(conversation);
            }
        } finally {
            setState(SessionState.CLOSED);
            release(conversation);
        }
    }

    private void release(@Nullable Kcp conversation) {
        try {
            if (conversation != null) {
                conversation.release();
                fec.release();
            }
        } finally {
            ledger.fail(this::closedException);
        }
    }

    @Override
    protected void doBeginRead() {
        // An interrupted delivery continues in a later iteration.
        boolean continues = delivery.isCut();
        delivery.onRead();
        Kcp conversation = kcp;
        if (continues || state() != SessionState.ACTIVE || delivery.isDelivering() || conversation == null
            || !conversation.hasReceivable()) {
            return;
        }
        if (handler.batch().isReading()) {
            handler.batch().addReader(this);
            return;
        }
        handler.batch().deliverNow(this);
        handler.flusher().flushSoon(this);
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        ByteBuf buffer = QueuedWrites.checkType(message);
        if (state() != SessionState.ACTIVE) {
            throw state() == SessionState.NEW ? new NotYetConnectedException()
                : state() == SessionState.ENDING ? closedException() : new ClosedChannelException();
        }
        return writes.enqueue(this, handler.loop().pressure(), buffer);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer queue) {
        Kcp conversation = kcp();
        int nowMs = (int) (handler.batch().isReading() ? handler.loop().recentNowMs() : handler.loop().nowMs());
        boolean accepted = writes.accept(conversation, queue, nowMs);
        if (accepted) {
            handler.flusher().flushSoon(this);
        }
        ledger.complete(acknowledgedBytes());
        Throwable failure = writes.fatalFailure();
        if (failure != null && isActive()) {
            // Closes the session in a separate task, because Netty is still iterating over the outbound queue of the session.
            eventLoop().execute(() -> failWith(failure));
        }
    }

    // ---- reading and writing

    /** Passes queued writes to the conversation until its send window is full. */
    void resumeWrites() {
        if (isServed() && (kcp().canSend() || writes.awaitsWindow())) {
            kcpUnsafe().resume();
            MessageTooLargeException tooLarge = kcp().firstMessage().failure();
            if (tooLarge != null) {
                failWith(tooLarge);
            }
        }
    }

    // ---- closing and statistics

    private long acknowledgedBytes() {
        Kcp conversation = kcp;
        return conversation == null ? 0 : conversation.acknowledgedBytes();
    }

    boolean hasUndelivered() {
        ChannelOutboundBuffer queue = unsafe().outboundBuffer();
        return !kcp().isIdle() || queue != null && queue.current() != null;
    }

    long unacknowledgedBytes() {
        return ledger.unacknowledgedBytes(acknowledgedBytes());
    }

    /** Starts the linger time of a closing session, during which flushed data is still sent but new writes are refused. */
    void onLinger() {
        // Marks the channel as not writable, so that an application that checks isWritable() stops writing.
        SessionFlush.setWritability(this, WRITABLE_NOT_CLOSING, false);
        resumeWrites();
        handler.flusher().flushSoon(this);
    }

    /** Returns the current statistics, or the final statistics of a closed session. Must be called on the event loop. */
    KcpSessionStats stats() {
        KcpSessionStats last = closing.lastStats();
        return last != null ? last : KcpSessionStats.of(kcp, unacknowledgedBytes(), fec.stats());
    }

    @Override
    public SessionDetails details() {
        return closing.details(stats());
    }

    ClosedChannelException closedException() {
        return closing.closedException();
    }

    String description() {
        return "conv " + Integer.toUnsignedString(conv()) + " with " + remote;
    }

    @Override
    public Kcp kcp() {
        Kcp conversation = kcp;
        assert conversation != null : "not registered";
        return conversation;
    }

    KcpUnsafe kcpUnsafe() {
        return (KcpUnsafe) unsafe();
    }

    final class KcpUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            safeSetFailure(promise, new AlreadyConnectedException());
        }

        @Override
        public void close(ChannelPromise promise) {
            closing.closeForApplication(promise);
        }

        /** Closes the channel immediately, without waiting for acknowledgements. */
        void closeNow(ChannelPromise promise) {
            super.close(promise);
        }

        /** Closes the channel immediately and fails all queued writes with the cause. */
        void closeNow(KcpCloseException cause) {
            if (config.isAutoClose()) {
                // Calls handleWriteError() instead of close(), so that later writes fail with the same cause.
                handleWriteError(cause);
            } else {
                close(voidPromise(), cause, closedException());
            }
        }

        void resume() {
            super.flush0();
        }
    }
}
