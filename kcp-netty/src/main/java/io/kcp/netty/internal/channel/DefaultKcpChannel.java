package io.kcp.netty.internal.channel;

import io.kcp.core.MessageTooLargeException;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.loop.Registration;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.MessageDelivery;
import io.kcp.netty.internal.session.QueuedWrites;
import io.kcp.netty.internal.session.SessionState;
import io.kcp.netty.internal.session.WriteLedger;
import io.kcp.netty.internal.stats.SessionDetails;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A KCP session as a Netty channel, which connects a {@link Kcp} conversation with its pipeline, its {@link SessionHost} and the timers of
 * its event loop. It delegates sending to {@link SessionFlusher}, delivery to {@link MessageDelivery}, writing to {@link QueuedWrites} and
 * closing to {@link SessionClose}.
 */
public final class DefaultKcpChannel extends AbstractSession implements KcpChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final InetSocketAddress NOT_CONNECTED = InetSocketAddress.createUnresolved("not-connected", 0);

    /** Records how the server counts this session; null if this side opened the session. */
    public SessionCounts.@Nullable Place place;
    public UnvalidatedSessions.@Nullable Entry<DefaultKcpChannel> unvalidated;
    /** Set by {@code PathRouter}. */
    public boolean probed;
    private final SessionHost<DefaultKcpChannel> host;
    private final SessionFlusher service;
    private volatile InetSocketAddress remote = NOT_CONNECTED;
    private final DefaultKcpChannelConfig config;
    private final WriteLedger ledger = new WriteLedger();
    private final QueuedWrites writes = new QueuedWrites(ledger);
    private final SessionClose closing;
    private @Nullable Kcp kcp;

    public DefaultKcpChannel(@Nullable Channel parent, SessionHost<DefaultKcpChannel> host, SessionFlusher service, int conv,
        boolean accepted) {
        super(parent, conv, accepted);
        this.host = host;
        this.service = service;
        config = new DefaultKcpChannelConfig(this);
        closing = new SessionClose(this, host);
    }

    // ---- public API

    @Override
    public Channel datagramChannel() {
        return host.channel();
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

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ChannelFuture acknowledged() {
        ChannelPromise promise = newPromise();
        boolean running = run(() -> {
            if (state() == SessionState.CLOSED) {
                promise.setFailure(closedException());
            } else {
                ledger.awaitAll(promise);
                ledger.complete(acknowledgedBytes());
            }
        });
        return running ? promise : failedFuture(closedException());
    }

    @Override
    public int maxOobBytes() {
        DatagramChannelWriter writer = host.writer();
        return writer.sendsOob() ? config.kcp().mtuBytes() - writer.overheadBytes() - SessionFlusher.OOB_CONV_BYTES : 0;
    }

    @Override
    public ChannelFuture sendOob(ByteBuf payload) {
        ChannelPromise promise = newPromise();
        return sendOob(payload, promise) ? promise : failedFuture(closedException());
    }

    @Override
    public boolean sendOob(ByteBuf payload, ChannelPromise promise) {
        return service.sendOob(this, payload, promise);
    }

    @Override
    public Future<KcpSessionStats> collectStats() {
        Promise<KcpSessionStats> promise = eventLoop().newPromise();
        KcpSessionStats last = closing.lastStats();
        if (last != null) {
            promise.trySuccess(last);
        } else if (!run(() -> promise.trySuccess(stats()))) {
            return GlobalEventExecutor.INSTANCE.newFailedFuture(closedException());
        }
        return promise;
    }

    @Override
    public String toString() {
        return "KcpChannel(" + description() + ", " + state() + ')';
    }

    // ---- calls from the handler and the event loop

    public SessionHost<DefaultKcpChannel> host() {
        return host;
    }

    public SessionClose closing() {
        return closing;
    }

    /** Sets the address of the peer. A registered session must not be in the {@code PeerTable} during this call. */
    public void setRemoteAddress(InetSocketAddress address) {
        remote = address;
    }

    @Override
    public boolean isClosedByPeer() {
        return closing.isClosedByPeer();
    }

    @Override
    public int overheadBytes() {
        return host.writer().overheadBytes();
    }

    @Override
    public void onTooLarge() {
        kcp().onDatagramTooLarge();
    }

    @Override
    public boolean isServingTimeOver() {
        return host.servingQueue().isSliceOver();
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
            service.flushDue(this, host.loop().nowMs());
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
        if (isServed() && (!delivery.isCut() || !host.servingQueue().addInterrupted(this, nowMs))) {
            service.flushDue(this, nowMs);
        }
        if (isServed()) {
            SessionFlusher.check(this, nowMs);
        }
    }

    @Override
    public void onUnblocked(long nowMs) {
        service.onUnblocked(this, nowMs);
    }

    @Override
    public void onSweep(long nowMs) {
        if (isServed()) {
            service.sweep(this, nowMs);
        }
    }

    /**
     * Closes the session immediately with the given reason. Does nothing if the session is closed or its handlers are being notified of a
     * failure.
     */
    public void closeWith(KcpCloseReason reason) {
        closing.closeWith(reason, null);
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
        host.resume(this);
    }

    @Override
    public void flushWritten() {
        host.writer().flush();
    }

    @Override
    public void failWith(Throwable failure) {
        host.owner().failed(this, failure);
    }

    @Override
    public void onConfigChanged() {
        if (isServed()) {
            run(() -> service.reconfigure(this));
        }
    }

    @Override
    public void onAutoReadCleared() {
        if (isRegistered()) {
            run(delivery::onAutoReadCleared);
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
        return kcp == null && loop == host.channel().eventLoop();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (host.channel().isOpen()) {
            Registration.complete(promise, this::begin);
        } else {
            promise.setFailure(new ClosedChannelException());
        }
    }

    private void begin() {
        LoopContext loop = host.loop();
        long nowMs = loop.nowMs();
        int random = loop.random().nextInt();
        kcp = new Kcp(conv(), config.kcp(), new SessionOutput(this, host), loop.segments(host.channel().alloc()),
            isAccepted() ? host.owner().timestampBase(this, random, nowMs) : random, (int) nowMs);
        kcp.closeNotice().setToken(loop.random().nextInt());
        SessionFlusher.applyOptions(this);
        setState(SessionState.ACTIVE);
        host.reducedMtus().applyTo(kcp, remote, nowMs);
        host.open(this);
        service.watch(this, nowMs, 0);
    }

    @Override
    protected SocketAddress localAddress0() {
        return host.channel().localAddress();
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
                closing.leaveHost(conversation);
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
        if (host.servingQueue().isReading()) {
            host.servingQueue().addReader(this);
            return;
        }
        host.servingQueue().deliverNow(this);
        flushSoon();
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        ByteBuf buffer = QueuedWrites.checkType(message);
        if (state() != SessionState.ACTIVE) {
            throw state() == SessionState.NEW ? new NotYetConnectedException()
                : state() == SessionState.ENDING ? closedException() : new ClosedChannelException();
        }
        return writes.enqueue(this, host.loop().pressure(), buffer);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer queue) {
        Kcp conversation = kcp();
        int nowMs = (int) (host.servingQueue().isReading() ? host.loop().recentNowMs() : host.loop().nowMs());
        boolean accepted = writes.accept(conversation, queue, nowMs);
        if (accepted) {
            service.flushSoon(this);
        }
        ledger.complete(acknowledgedBytes());
        Throwable failure = writes.fatalFailure();
        if (failure != null && isActive()) {
            // Closes the session in a separate task, because Netty is still iterating over the outbound queue of the session.
            eventLoop().execute(() -> failWith(failure));
        }
    }

    // ---- reading and writing

    /** Sends due segments soon, as described at {@link SessionFlusher#flushSoon}. */
    void flushSoon() {
        service.flushSoon(this);
    }

    /** Passes queued writes to the conversation until its send window is full. */
    void resumeWrites() {
        if (isServed() && (kcp().canSend() || writes.awaitsWindow())) {
            kcpUnsafe().resume();
            MessageTooLargeException tooLarge = kcp().initialWindowMessages().failure();
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

    long unacknowledgedBytes() {
        return ledger.unacknowledgedBytes(acknowledgedBytes());
    }

    /** Returns the current statistics, or the final statistics of a closed session. Must be called on the event loop. */
    public KcpSessionStats stats() {
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
