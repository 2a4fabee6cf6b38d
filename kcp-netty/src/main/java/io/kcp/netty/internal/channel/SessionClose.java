package io.kcp.netty.internal.channel;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpPeerRejectedException;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.KcpTlsException;
import io.kcp.netty.internal.admission.Tombstones;
import io.kcp.netty.internal.session.Linger;
import io.kcp.netty.internal.session.SessionState;
import io.kcp.netty.internal.stats.SessionDetails;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Closes one session, either immediately with a {@link KcpCloseReason} or, when the application calls {@code close()}, after at most the
 * linger time. Stores the cause of the close, the failure that the application reported, and whether the peer acknowledged all data.
 */
public final class SessionClose {

    /** Preallocated exceptions for sessions that are closed while memory is exhausted. */
    private static final Map<KcpCloseReason, KcpCloseException> UNDESCRIBED = new EnumMap<>(KcpCloseReason.class);

    static {
        for (KcpCloseReason reason : KcpCloseReason.values()) {
            UNDESCRIBED.put(reason, new KcpCloseException(reason, "a session whose description does not fit into memory", 0, null));
        }
    }

    /** Number of copies of a close notice. A lost notice cannot be repeated later if the socket closes as well. */
    private static final int NOTICE_COPIES = 3;
    private static final int WRITABLE_NOT_CLOSING = 30;

    private final DefaultKcpChannel session;
    private final SessionHost<DefaultKcpChannel> host;
    private volatile @Nullable Throwable cause;
    private volatile @Nullable Throwable applicationFailure;
    private volatile @Nullable KcpSessionStats lastStats;
    private boolean byApplication;
    private boolean delivered;
    private @Nullable Linger linger;
    private boolean closedByPeer;
    private boolean peerFailed;
    private @Nullable KcpCloseReason peerReason;

    SessionClose(DefaultKcpChannel session, SessionHost<DefaultKcpChannel> host) {
        this.session = session;
        this.host = host;
    }

    /** Returns the exception that describes why the session was closed, or null if there is none. */
    @Nullable Throwable cause() {
        return cause;
    }

    /** Returns the reason why the session was closed, or null if its application closed it and all data was acknowledged. */
    public @Nullable KcpCloseReason reason() {
        return cause instanceof KcpCloseException typed ? typed.reason() : null;
    }

    /** Returns the values of the session to record in Java Flight Recorder events. */
    SessionDetails details(KcpSessionStats stats) {
        KcpCloseReason reason = reason();
        String closeReason = reason != null ? reason.name() : SessionDetails.APPLICATION;
        return new SessionDetails(session.conv(), session.remoteAddress(), closeReason, stats.counters(), stats.unacknowledgedBytes(),
            stats.smoothedRttMs());
    }

    ClosedChannelException closedException() {
        return (ClosedChannelException) new ClosedChannelException().initCause(cause);
    }

    /** Returns the final statistics of a closed session, or null while the session is open. Any thread may call it. */
    @Nullable KcpSessionStats lastStats() {
        return lastStats;
    }

    /** Stores the failure for which the application closes the session, unless an earlier failure is stored. Any thread may call it. */
    void onApplicationFailure(Throwable failure) {
        if (applicationFailure == null) {
            applicationFailure = failure;
        }
    }

    // ---- closed by this library

    /**
     * Closes the session immediately, without waiting for acknowledgements. Does nothing if the session is closed or its handlers are being
     * notified.
     */
    public void closeWith(KcpCloseReason reason, @Nullable Throwable failure) {
        if (session.state() == SessionState.CLOSED || session.state() == SessionState.ENDING) {
            return;
        }
        KcpCloseException closeCause = setCause(reason, failure);
        boolean unvalidated = session.isAccepted() && !session.kcp().isPeerValidated();
        boolean notify = applicationFailure == null && isFailure(reason, hasUndelivered(), unvalidated);
        // Changes the state before firing the exception, so that a handler that writes or reads in exceptionCaught() does not make the
        // session fail again.
        session.setState(SessionState.ENDING);
        try {
            if (notify) {
                session.pipeline().fireExceptionCaught(closeCause);
            }
        } finally {
            closeNow(closeCause);
        }
    }

    /**
     * Returns {@code true} if {@code exceptionCaught} is called when a session is closed for a reason. It is not called if no data was
     * lost, for example because the peer is gone but had acknowledged everything. It is also not called if datagrams with a forged source
     * address could cause the close, because a flood of such datagrams would fill the log.
     *
     * @param undelivered {@code true} if some written data was not acknowledged
     * @param mayBeForged {@code true} if the session was accepted and its peer has not shown that it receives datagrams at its address
     */
    private static boolean isFailure(KcpCloseReason reason, boolean undelivered, boolean mayBeForged) {
        return switch (reason) {
            case PARENT_CLOSED, EVICTED -> false;
            case IDLE, PEER_TIMEOUT, PEER_CLOSED, FIRST_MESSAGE_TIMEOUT -> undelivered && !mayBeForged;
            case TRANSMISSIONS_EXHAUSTED, PEER_NOT_READING, PEER_TOO_SLOW, PROTOCOL_ERROR, MEMORY_LIMIT -> !mayBeForged;
            default -> true;
        };
    }

    /**
     * Sets and returns the exception that describes why the session is closed. A failure reported by the application takes precedence over
     * {@code reason}.
     */
    private KcpCloseException setCause(KcpCloseReason reason, @Nullable Throwable failure) {
        Throwable earlier = applicationFailure;
        KcpCloseReason counted = earlier == null ? reason : KcpCloseReason.APPLICATION_FAILED;
        Throwable reported = earlier == null ? failure : earlier;
        if (reported instanceof KcpPeerRejectedException) {
            counted = KcpCloseReason.REJECTED;
        } else if (reported instanceof KcpTlsException tls) {
            counted = tls.reason();
        }
        KcpCloseException exception = exception(counted, reported);
        cause = exception;
        return exception;
    }

    private KcpCloseException exception(KcpCloseReason reason, @Nullable Throwable failure) {
        try {
            return new KcpCloseException(reason, session.description(), session.unacknowledgedBytes(),
                reason == KcpCloseReason.PEER_FAILED || reason == KcpCloseReason.PEER_CLOSED ? peerReason : null, failure);
        } catch (OutOfMemoryError shortage) {
            // Closing the session frees memory and must therefore succeed even if there is no memory for a new exception.
            KcpCloseException undescribed = UNDESCRIBED.get(reason);
            assert undescribed != null;
            return undescribed;
        }
    }

    // ---- closed by the peer

    /**
     * Handles the close notice of the peer. The session sends nothing more, and closes as soon as its application has read the messages
     * that were received.
     *
     * @param code     the reason code of the notice
     * @param complete {@code true} if this side has received all data that the peer sent
     */
    public void onPeerClosed(int code, boolean complete) {
        closedByPeer = true;
        peerReason = NoticeCodes.reason(code);
        peerFailed = !complete || code != 0 && peerReason != KcpCloseReason.IDLE;
    }

    /** Returns {@code true} if the peer has sent a close notice. */
    boolean isClosedByPeer() {
        return closedByPeer;
    }

    /**
     * Closes the session if the peer has sent a close notice and the application has read all messages, or if the session is lingering.
     *
     * @return {@code true} if the session is closed
     */
    boolean closeIfReadToEnd(Kcp conversation) {
        if (!closedByPeer || session.isReading() && (conversation.hasReceivable() || session.delivery.isDelivering())) {
            return false;
        }
        closeForPeer();
        return true;
    }

    /** Closes the session because its peer has closed it. Unread messages are discarded. */
    void closeForPeer() {
        Linger waiting = linger;
        if (waiting != null) {
            linger = null;
            finish(waiting.promise);
        } else {
            closeWith(peerFailed ? KcpCloseReason.PEER_FAILED : KcpCloseReason.PEER_CLOSED, null);
        }
    }

    // ---- closed by the application

    /** Implements {@code close()}, which waits for the acknowledgement of flushed data if acknowledgements can still arrive. */
    void closeForApplication(ChannelPromise promise) {
        if (session.state() == SessionState.LINGERING) {
            if (!promise.isVoid()) {
                session.closeFuture().addListener(closed -> complete(promise));
            }
        } else if (session.state() == SessionState.ACTIVE) {
            if (promise.setUncancellable()) {
                ChannelPromise toComplete = promise.isVoid() ? null : promise;
                if (canLinger()) {
                    startLinger(toComplete);
                } else {
                    finish(toComplete);
                }
            }
        } else {
            if (session.state() == SessionState.NEW && applicationFailure != null) {
                setCause(KcpCloseReason.APPLICATION_FAILED, null);
            } else if (cause instanceof KcpCloseException failure) {
                // A handler has called close() in exceptionCaught(), after closeWith() has set the cause but before it closes the session.
                closeNow(failure);
            }
            session.kcpUnsafe().closeNow(promise);
        }
    }

    private boolean hasUndelivered() {
        ChannelOutboundBuffer queue = session.unsafe().outboundBuffer();
        return !session.kcp().isIdle() || queue != null && queue.current() != null;
    }

    private boolean canLinger() {
        return session.config().lingerMs() > 0 && host.channel().isActive()
            && !session.eventLoop().isShuttingDown() && hasUndelivered();
    }

    /** Starts to wait for acknowledgements. If there is no memory for that, the session closes without waiting. */
    private void startLinger(@Nullable ChannelPromise promise) {
        try {
            linger = new Linger(promise, session.config().lingerMs(), host.loop().nowMs());
            session.setState(SessionState.LINGERING);
            // Marks the channel as not writable, so that an application that checks isWritable() stops writing.
            session.setWritability(WRITABLE_NOT_CLOSING, false);
            session.resumeWrites();
            session.flushSoon();
        } catch (OutOfMemoryError shortage) {
            linger = null;
            finish(promise);
        }
    }

    /** Closes a lingering session if the peer has acknowledged all data or the linger time is over. */
    boolean closeIfLingerIsOver(Kcp conversation, long nowMs) {
        Linger waiting = linger;
        if (waiting == null || hasUndelivered() && !waiting.isOver(conversation, nowMs)) {
            return false;
        }
        linger = null;
        finish(waiting.promise);
        return true;
    }

    /** Returns {@code waitMs}, or the remaining linger time if that is shorter. */
    int limit(int waitMs, long nowMs) {
        Linger waiting = linger;
        return waiting == null ? waitMs : waiting.limit(waitMs, nowMs);
    }

    private void finish(@Nullable ChannelPromise promise) {
        KcpCloseException failure = endLinger();
        try {
            closeNow(failure);
        } finally {
            if (promise != null) {
                complete(promise);
            }
        }
    }

    /** Sets and returns the cause of a close by the application, which is null if all data was acknowledged. */
    private @Nullable KcpCloseException endLinger() {
        byApplication = true;
        delivered = !hasUndelivered();
        if (delivered && applicationFailure == null) {
            cause = null;
            return null;
        }
        return setCause(KcpCloseReason.LINGER_EXPIRED, null);
    }

    /** Completes the promise of a {@code close()} after the session has closed. */
    private void complete(ChannelPromise promise) {
        Throwable failure = cause;
        if (failure == null || delivered) {
            promise.trySuccess();
        } else {
            promise.tryFailure(failure);
        }
    }

    // ---- closing the channel

    private void closeNow(@Nullable KcpCloseException failure) {
        Linger waiting = linger;
        linger = null;
        try {
            tryClose(failure);
        } catch (OutOfMemoryError shortage) {
            // doClose() frees the memory of the session, so that the second call of tryClose() can allocate the objects that it needs.
            session.doClose();
            tryClose(failure);
        } finally {
            if (waiting != null && waiting.promise != null) {
                complete(waiting.promise);
            }
        }
    }

    private void tryClose(@Nullable KcpCloseException failure) {
        if (failure == null) {
            session.kcpUnsafe().closeNow(session.unsafe().voidPromise());
        } else {
            session.kcpUnsafe().closeNow(failure);
        }
    }

    /**
     * Sends a final acknowledgement, stores the final statistics, removes the session from its host and notifies the peer. This method
     * is called once per session.
     */
    void leaveHost(Kcp conversation) {
        // The linger time is still set only if Netty has closed the channel forcibly, without calling close().
        Linger interrupted = linger;
        linger = null;
        try {
            if (interrupted != null) {
                endLinger();
            }
            leave(conversation);
        } finally {
            if (interrupted != null && interrupted.promise != null) {
                complete(interrupted.promise);
            }
        }
    }

    private void leave(Kcp conversation) {
        try {
            sendLastAcknowledgement(conversation);
            lastStats = session.stats();
        } catch (RuntimeException | OutOfMemoryError lost) {
            // Continues closing the session in any case. To the peer, a missing final acknowledgement is no worse than a lost datagram.
        }
        session.setState(SessionState.CLOSED);
        host.close(session, conversation);
        if (host.closesWithSession()) {
            closeDatagramChannel();
        }
        try {
            sendNotice(conversation);
        } catch (RuntimeException | OutOfMemoryError lost) {
            // Ignores the failure, because the peer detects the close by its timeouts if it receives no notice.
        }
    }

    private void closeDatagramChannel() {
        Channel datagramChannel = host.channel();
        try {
            // Closes the datagram channel in a separate task, because the session has not finished closing yet.
            host.context().executor().execute(datagramChannel::close);
        } catch (OutOfMemoryError shortage) {
            datagramChannel.close();
        }
    }

    /**
     * Acknowledges received data before the session closes. Otherwise the peer would retransmit the data, and its own close would wait
     * until its linger time is over.
     */
    private void sendLastAcknowledgement(Kcp conversation) {
        boolean isByApplication = cause == null || byApplication;
        if (isByApplication && session.isServed() && host.channel().isActive()
            && conversation.owesAcknowledgement() && host.writer().canWrite()) {
            conversation.amplificationLimit().acknowledgeAll();
            conversation.flush((int) host.loop().nowMs());
            if (!host.servingQueue().isReading()) {
                host.writer().flush();
            }
        }
    }

    // ---- notifying the peer

    /** Notifies the peer that the session closes, if the peer has announced that it reads notices and has not sent a notice itself. */
    private void sendNotice(Kcp conversation) {
        KcpCloseReason reason = reason();
        if (!mayNotify(conversation) || reason == KcpCloseReason.PARENT_CLOSED || !host.writer().canWrite()) {
            return;
        }
        for (int i = 0; i < NOTICE_COPIES; i++) {
            ByteBuf notice = host.writer().allocate(SegmentHeader.LENGTH);
            conversation.closeNotice().write(notice, NoticeCodes.of(reason));
            host.writer().write(notice, session);
        }
        if (!host.servingQueue().isReading()) {
            host.writer().flush();
        }
    }

    /** Returns {@code true} if the peer reads notices, is validated, and has not sent a notice itself. */
    private boolean mayNotify(Kcp conversation) {
        return conversation.closeNotice().isPeerListening() && !closedByPeer
            && (!session.isAccepted() || conversation.isPeerValidated()) && host.channel().isActive();
    }

    /** Returns the notice to repeat after the session has closed, or null if the peer must not be notified. */
    public Tombstones.@Nullable Notice repeatedNotice(Kcp conversation) {
        return mayNotify(conversation)
            ? new Tombstones.Notice(conversation.closeNotice(), NoticeCodes.of(reason())) : null;
    }
}
