package io.kcp.netty;

import io.kcp.core.InputResult;
import io.kcp.core.Kcp;
import io.kcp.core.KcpOutput;
import io.kcp.core.MessageTooLargeException;
import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.UnvalidatedSessions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.StringUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The channel over one {@link Kcp}. States: NEW until registered, ACTIVE, LINGERING between {@code close()} and the last
 * acknowledgement, ENDING while handlers are notified of a failure that closes the session, CLOSED; one method leads to each.
 */
final class DefaultKcpChannel extends AbstractChannel implements KcpChannel, KcpOutput {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    /** What a session sends in one turn of its loop; then others have theirs. */
    private static final int FLUSH_SEGMENTS = 256;
    private static final int WRITABLE_SOCKET = 1;
    private static final int WRITABLE_NOT_CLOSING = 2;
    static final int WRITABLE_MEMORY = 3;
    private static final InetSocketAddress NOT_CONNECTED = InetSocketAddress.createUnresolved("not-connected", 0);

    private enum State { NEW, ACTIVE, LINGERING, ENDING, CLOSED }

    // Links of the structures that hold this session; each belongs to the class named.
    int hash;
    @Nullable DefaultKcpChannel previousOfPeer; // PeerTable
    @Nullable DefaultKcpChannel nextOfPeer;     // PeerTable
    long openedMs;                              // KcpHandler
    boolean inBatch;
    @Nullable DefaultKcpChannel nextInBatch;    // SessionBatch
    boolean blocked;
    @Nullable DefaultKcpChannel nextBlocked;    // BlockedSessions
    int heapIndex = -1;
    long deadlineMs;                            // DeadlineHeap
    @Nullable DefaultKcpChannel nextDue;        // LoopContext
    int wheelBucket = -1;
    @Nullable DefaultKcpChannel wheelPrevious;  // LivenessWheel
    @Nullable DefaultKcpChannel wheelNext;      // LivenessWheel
    final SessionKey key = new SessionKey();    // CryptoCodec
    final SessionRuns runs = new SessionRuns(); // DatagramCoalescer
    final SessionFec fec;                       // FecCodec
    final SpareMemory.Entry spare = new SpareMemory.Entry(this); // SpareMemory
    SessionCounts.@Nullable Place place;        // SessionAcceptor
    UnvalidatedSessions.@Nullable Entry<DefaultKcpChannel> unvalidated; // SessionAcceptor

    private final KcpHandler handler;
    private final int conv;
    private volatile InetSocketAddress remote = NOT_CONNECTED;
    private @Nullable EventLoop homeLoop;
    private final DefaultKcpChannelConfig config;
    private final MessageDelivery delivery = new MessageDelivery(this);
    private final WriteLedger ledger = new WriteLedger();
    private final QueuedWrites writes = new QueuedWrites(ledger);
    private final SessionLiveness liveness = new SessionLiveness(this);
    private @Nullable Kcp kcp;
    private volatile State state = State.NEW;
    private final SessionEnd end = new SessionEnd(this);
    private volatile @Nullable KcpSessionStats lastStats;
    private @Nullable Linger linger;

    DefaultKcpChannel(@Nullable Channel parent, KcpHandler handler, int conv) {
        super(parent);
        this.handler = handler;
        this.conv = conv;
        fec = new SessionFec(conv);
        config = new DefaultKcpChannelConfig(this);
    }

    // ---- what users see

    @Override
    public int conv() {
        return conv;
    }

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
        return end.cause();
    }

    @Override
    public ChannelFuture closeBecause(Throwable failure) {
        end.onApplicationFailure(Objects.requireNonNull(failure, "failure"));
        return close();
    }

    /** Known before the session is registered with it: who connects has the channel at once. */
    @Override
    public EventLoop eventLoop() {
        EventLoop home = homeLoop;
        return home != null ? home : super.eventLoop();
    }

    @Override
    public boolean isOpen() {
        return state != State.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state == State.ENDING || isServed();
    }

    /** Returns {@code true} while the session sends and its timers run. */
    boolean isServed() {
        return state == State.ACTIVE || state == State.LINGERING;
    }

    @Override
    public boolean isClosing() {
        return state == State.LINGERING || state == State.ENDING || state == State.CLOSED;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ChannelFuture acknowledged() {
        ChannelPromise promise = newPromise();
        boolean running = runOnLoop(() -> {
            if (state == State.CLOSED) {
                promise.setFailure(closedException());
                return;
            }
            ledger.awaitAll(promise);
            ledger.complete(acknowledgedBytes());
        });
        return running ? promise : failedAfterLoop();
    }

    @Override
    public int maxOobBytes() {
        return handler.sendsOob() ? config.kcp().mtuBytes() - handler.overheadBytes() - OobWriteHandler.CONV_BYTES : 0;
    }

    @Override
    public ChannelFuture sendOob(ByteBuf payload) {
        ChannelPromise promise = newPromise();
        return OobWriteHandler.send(this, payload, promise) ? promise : failedAfterLoop();
    }

    @Override
    public Future<KcpSessionStats> collectStats() {
        Promise<KcpSessionStats> promise = eventLoop().newPromise();
        KcpSessionStats last = lastStats;
        if (last != null) {
            promise.trySuccess(last);
        } else if (!runOnLoop(() -> promise.trySuccess(stats()))) {
            return GlobalEventExecutor.INSTANCE.newFailedFuture(closedException());
        }
        return promise;
    }

    /** Returns a future that notifies its listeners although the event loop of the session has ended. */
    private ChannelFuture failedAfterLoop() {
        return new DefaultChannelPromise(this, GlobalEventExecutor.INSTANCE).setFailure(closedException());
    }

    @Override
    public String toString() {
        return "KcpChannel(" + description() + ", " + state + ')';
    }

    // ---- what the handler and the loop call

    KcpHandler handler() {
        return handler;
    }

    /** To be called once, before registration. */
    void setRemoteAddress(InetSocketAddress address) {
        remote = address;
    }

    /** A promise for a caller who has the channel before its event loop does. */
    OpeningPromise<KcpChannel> newRegistrationPromise(EventLoop loop) {
        setHomeLoop(loop);
        return new OpeningPromise<KcpChannel>(this, loop).failWithSession(this);
    }

    void setHomeLoop(EventLoop loop) {
        homeLoop = loop;
    }

    InputResult input(ByteBuf datagram, boolean recovered, long nowMs) {
        return kcp().input(datagram, recovered, (int) nowMs);
    }

    /** The datagrams of a batch are in: deliver, go on writing, and send what is due. */
    void onBatch() {
        inBatch = false; // Before the listeners below: one that reads adds the session to the batch again.
        if (isServed()) {
            deliver();
            ledger.complete(acknowledgedBytes());
            resumeWrites();
        }
        if (isServed()) {
            // The handlers may have taken their time.
            flushDue(handler.loop().nowMs());
        }
    }

    /** Hands an out-of-band message on, <b>takes</b> the payload. */
    void readOob(ByteBuf payload) {
        if (state == State.ACTIVE) {
            pipeline().fireUserEventTriggered(new KcpOobMessage(payload));
        } else {
            payload.release();
        }
    }

    void onDeadline(long nowMs) {
        if (!isServed()) {
            return;
        }
        flushDue(nowMs);
        if (isServed()) {
            liveness.check(kcp(), nowMs);
        }
    }

    void onUnblocked(long nowMs) {
        setWritability(WRITABLE_SOCKET, true);
        if (isServed()) {
            flushDue(nowMs);
        }
    }

    /** Keepalive and idle timeout, to the second. */
    void onSweep(long nowMs) {
        if (isServed()) {
            liveness.sweep(kcp(), nowMs);
        }
    }

    /** Ends the session for a reason of its own; not lingering. Does nothing while it is already ending. */
    void closeWith(KcpCloseReason reason) {
        closeWith(reason, null);
    }

    void closeWith(KcpCloseReason reason, @Nullable Throwable failure) {
        if (state == State.CLOSED || state == State.ENDING) {
            return;
        }
        KcpCloseException cause = end.because(reason, failure);
        boolean notify = !end.hasApplicationFailed() && reason.isFailure(hasUndelivered(), place != null && !kcp().isPeerValidated());
        // Handlers that write or read now must not fail the session again.
        state = State.ENDING;
        try {
            if (notify) {
                pipeline().fireExceptionCaught(cause);
            }
        } finally {
            closeNow(cause);
        }
    }

    /** Ends the session because something went wrong with it here, memory ran out say; the others of its loop go on. */
    void failWith(Throwable failure) {
        handler.onFailed(this, failure);
    }

    void onConfigChanged() {
        if (isServed()) {
            runOnLoop(() -> {
                if (isServed()) {
                    long nowMs = handler.loop().nowMs();
                    Kcp conversation = kcp();
                    conversation.reconfigure(config.kcp());
                    liveness.watch(nowMs, conversation.inactiveMs((int) nowMs));
                    resumeWrites();
                    flushSoon();
                }
            });
        }
    }

    void clearReadPending() {
        if (isRegistered()) {
            runOnLoop(() -> delivery.setReadPending(false));
        } else {
            delivery.setReadPending(false);
        }
    }

    // ---- datagrams out: KcpOutput

    @Override
    public int overheadBytes() {
        return handler.overheadBytes();
    }

    @Override
    public boolean sendsParity() {
        return handler.sendsOob();
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return handler.allocate(datagramBytes);
    }

    @Override
    public void write(ByteBuf datagram) {
        if (isServed()) {
            handler.write(datagram, this);
        } else {
            datagram.release();
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new KcpUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        // Once only: a second registration would begin a second conversation.
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
        kcp = new Kcp(conv, config.kcp(), this, loop.segments(handler.datagramChannel().alloc()), loop.random().nextInt(), (int) nowMs);
        state = State.ACTIVE;
        handler.onRegistered(this);
        liveness.watch(nowMs, 0);
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
        throw new UnsupportedOperationException("a KCP session has the address of its datagram channel");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        if (state == State.CLOSED) {
            return;
        }
        Kcp conversation = kcp;
        if (conversation != null) {
            try {
                sendLastAcknowledgement(conversation);
                lastStats = stats();
            } catch (RuntimeException | OutOfMemoryError lost) {
                // As if the datagram was lost. The session must not stay open because of it.
            }
            state = State.CLOSED;
            try {
                handler.onClosed(this, conversation);
            } finally {
                conversation.release();
                fec.release();
            }
        }
        state = State.CLOSED;
        ledger.fail(this::closedException);
    }

    /** What was read is still to be acknowledged: otherwise the peer repeats it, and its own close waits in vain. */
    private void sendLastAcknowledgement(Kcp conversation) {
        if (end.isByApplication() && isServed() && handler.datagramChannel().isActive()
            && conversation.owesAcknowledgement() && handler.canWrite()) {
            conversation.flush((int) handler.loop().nowMs());
            if (!handler.isBatching()) {
                handler.flushWritten();
            }
        }
    }

    @Override
    protected void doBeginRead() {
        delivery.setReadPending(true);
        Kcp conversation = kcp;
        if (state != State.ACTIVE || delivery.isDelivering() || conversation == null || !conversation.hasReceivable()) {
            return;
        }
        if (handler.isBatching()) {
            handler.addToBatch(this);
            return;
        }
        try {
            deliver();
        } catch (RuntimeException | OutOfMemoryError failure) {
            failWith(failure);
        }
        flushSoon();
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (!(message instanceof ByteBuf buffer)) {
            throw new UnsupportedOperationException(
                "unsupported message type: " + StringUtil.simpleClassName(message) + " (expected: ByteBuf)");
        }
        if (state != State.ACTIVE) {
            throw state == State.NEW ? new NotYetConnectedException()
                : state == State.ENDING ? closedException() : new ClosedChannelException();
        }
        int bytes = buffer.readableBytes();
        Kcp conversation = kcp();
        if (bytes > conversation.maxMessageBytes()) {
            throw conversation.tooLarge(bytes);
        }
        return writes.enqueue(this, conversation, buffer);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer queue) {
        Kcp conversation = kcp();
        int nowMs = (int) handler.loop().nowMs();
        boolean accepted = writes.accept(conversation, queue, nowMs);
        if (accepted) {
            flushSoon();
        }
        ledger.complete(acknowledgedBytes());
        Throwable broken = writes.brokenBy();
        if (broken != null && isActive()) {
            // Not within a write of the outbound queue.
            eventLoop().execute(() -> failWith(broken));
        }
    }

    // ---- reading and writing

    boolean isReading() {
        return state == State.ACTIVE;
    }

    private void deliver() {
        delivery.deliver(kcp());
    }

    private void resumeWrites() {
        if (isServed() && (kcp().canSend() || writes.awaitsWindow())) {
            ((KcpUnsafe) unsafe()).resume();
            MessageTooLargeException tooLarge = kcp().firstMessage().failure();
            if (tooLarge != null) {
                failWith(tooLarge);
            }
        }
    }

    /** Sends what is due when the batch ends, or now if there is none. A failure closes the session. */
    private void flushSoon() {
        if (handler.isBatching()) {
            handler.addToBatch(this);
        } else if (isServed()) {
            try {
                flushDue(handler.loop().nowMs());
            } catch (RuntimeException | OutOfMemoryError failure) {
                failWith(failure);
            }
            handler.flushWritten();
        }
    }

    void flushDue(long nowMs) {
        Kcp conversation = kcp();
        boolean due = conversation.nextDeadline((int) nowMs) == 0;
        boolean held = due && !handler.canWrite();
        boolean cut = false;
        if (held) {
            setWritability(WRITABLE_SOCKET, false);
            handler.block(this);
        } else if (due) {
            cut = conversation.flush((int) nowMs, FLUSH_SEGMENTS);
        }
        if (conversation.hasReceivable()) {
            conversation.detachReceived();
        }
        handler.loop().spareMemory().onActivity(spare);
        handler.loop().pressure().onActivity(this);
        Linger waiting = linger;
        if (waiting != null && (!hasUndelivered() || waiting.isOver(conversation, nowMs))) {
            linger = null;
            endByApplication(waiting.promise);
            return;
        }
        if (cut && isServed()) {
            handler.loop().scheduleNextTurn(this, nowMs);
        } else if (isServed()) {
            int waitMs = held ? Kcp.NO_DEADLINE : conversation.nextDeadline((int) nowMs);
            handler.loop().schedule(this, waiting == null ? waitMs : waiting.limit(waitMs, nowMs), nowMs);
        }
    }

    private void setWritability(int index, boolean writable) {
        ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
        if (buffer != null) {
            buffer.setUserDefinedWritability(index, writable);
        }
    }

    // ---- the end

    private long acknowledgedBytes() {
        Kcp conversation = kcp;
        return conversation == null ? 0 : conversation.acknowledgedBytes();
    }

    private boolean hasUndelivered() {
        ChannelOutboundBuffer queue = unsafe().outboundBuffer();
        return !kcp().isIdle() || queue != null && queue.current() != null;
    }

    long unacknowledgedBytes() {
        return ledger.unacknowledgedBytes(acknowledgedBytes());
    }

    /** Ends the session by the will of its application, which is told whether all was delivered. */
    private void endByApplication(@Nullable ChannelPromise promise) {
        closeNow(end.byApplication(!hasUndelivered()));
        if (promise != null) {
            end.complete(promise);
        }
    }

    private void closeNow(@Nullable KcpCloseException cause) {
        KcpUnsafe unsafe = (KcpUnsafe) unsafe();
        try {
            unsafe.closeNow(cause);
        } catch (OutOfMemoryError shortage) {
            // Releases the memory of the session, so that the second attempt has some.
            doClose();
            unsafe.closeNow(cause);
        }
    }

    /** On the event loop; of a closed session, its last. */
    KcpSessionStats stats() {
        KcpSessionStats last = lastStats;
        return last != null ? last : KcpSessionStats.of(kcp, unacknowledgedBytes(), fec.stats());
    }

    ClosedChannelException closedException() {
        return end.closedException();
    }

    String description() {
        return "conv " + Integer.toUnsignedString(conv) + " with " + remote;
    }

    Kcp kcp() {
        Kcp conversation = kcp;
        assert conversation != null : "not registered";
        return conversation;
    }

    /** Returns {@code false} if the event loop has ended, and the session with it; the task is not run then. */
    boolean runOnLoop(Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
            return true;
        }
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException ended) {
            return false;
        }
    }

    private final class KcpUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            safeSetFailure(promise, new AlreadyConnectedException());
        }

        /** Waits for the acknowledgement of what was flushed, if that can still come. */
        @Override
        public void close(ChannelPromise promise) {
            if (state == State.LINGERING) {
                if (!promise.isVoid()) {
                    closeFuture().addListener(closed -> end.complete(promise));
                }
            } else if (state == State.ACTIVE && canLinger()) {
                if (promise.setUncancellable()) {
                    startLinger(promise.isVoid() ? null : promise);
                }
            } else if (state == State.ACTIVE) {
                if (promise.setUncancellable()) {
                    endByApplication(promise.isVoid() ? null : promise);
                }
            } else {
                if (state == State.NEW && end.hasApplicationFailed()) {
                    end.because(KcpCloseReason.APPLICATION_FAILED, null);
                } else if (end.cause() instanceof KcpCloseException cause) {
                    // Called from exceptionCaught, which has just been told.
                    closeNow(cause);
                }
                super.close(promise);
            }
        }

        private boolean canLinger() {
            return config.lingerMs() > 0 && handler.datagramChannel().isActive()
                && !eventLoop().isShuttingDown() && hasUndelivered();
        }

        private void startLinger(@Nullable ChannelPromise promise) {
            state = State.LINGERING;
            linger = new Linger(promise, config.lingerMs(), handler.loop().nowMs());
            // Writers that go on while they may must find that they may not.
            setWritability(WRITABLE_NOT_CLOSING, false);
            resumeWrites();
            flushSoon();
        }

        void closeNow(@Nullable KcpCloseException cause) {
            Linger waiting = linger;
            linger = null;
            if (cause == null) {
                super.close(voidPromise());
            } else {
                if (config.isAutoClose()) {
                    // The one way to have writes that come later fail with the cause too.
                    handleWriteError(cause);
                } else {
                    close(voidPromise(), cause, closedException());
                }
                if (waiting != null && waiting.promise != null) {
                    waiting.promise.tryFailure(cause);
                }
            }
        }

        void resume() {
            super.flush0();
        }
    }
}
