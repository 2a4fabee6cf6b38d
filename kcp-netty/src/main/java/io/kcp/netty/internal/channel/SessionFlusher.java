package io.kcp.netty.internal.channel;

import io.kcp.core.LinkState;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import java.io.IOException;

/**
 * Serves the sessions of one datagram channel: sends their due segments and keepalive probes as far as the socket accepts them, schedules
 * their deadlines, and closes a session whose peer is inactive or does not read. If the socket is full, a session becomes unwritable and
 * waits for it.
 */
public final class SessionFlusher {

    /** Maximum number of segments that a session sends in one event-loop iteration, so that other sessions can send as well. */
    private static final int MAX_SEGMENTS = 256;
    /** Netty's handlers for traffic shaping use the indexes 1 to 3, so sessions use the last three. */
    private static final int WRITABLE_SOCKET = 29;
    /** Length in bytes of the {@code conv} field between the FEC header and the payload of an out-of-band message. */
    static final int OOB_CONV_BYTES = 4;

    private final SessionHost<DefaultKcpChannel> host;

    public SessionFlusher(SessionHost<DefaultKcpChannel> host) {
        this.host = host;
    }

    // ---- sending

    /**
     * Sends due segments at the end of the current read batch, or immediately if no read batch is in progress. A failure closes the
     * session.
     */
    void flushSoon(DefaultKcpChannel session) {
        if (host.servingQueue().isReading()) {
            host.servingQueue().add(session);
        } else if (session.isServed()) {
            try {
                flushDue(session, host.loop().nowMs());
            } catch (RuntimeException | OutOfMemoryError failure) {
                session.failWith(failure);
            }
            host.writer().flush();
        }
    }

    /**
     * Sends due segments without flushing the socket, closes the session if its linger time is over, and schedules the next deadline. If
     * the peer has closed the session, nothing is sent, and the session closes once its application has read all messages.
     */
    void flushDue(DefaultKcpChannel session, long nowMs) {
        Kcp conversation = session.kcp();
        LoopContext loop = host.loop();
        SessionClose closing = session.closing();
        if (closing.isClosedByPeer()) {
            if (!closing.closeIfReadToEnd(conversation)) {
                conversation.detachReceived();
                schedule(session, continuesDelivery(session), Kcp.NO_DEADLINE, nowMs);
            }
            return;
        }
        conversation.suspendTimeouts(loop.isBehind(), (int) nowMs);
        boolean due = conversation.nextDeadline((int) nowMs) == 0;
        boolean blocked = due && !host.writer().canWrite();
        boolean incomplete = false;
        if (blocked) {
            session.setWritability(WRITABLE_SOCKET, false);
            host.writer().block(session);
        } else if (due) {
            incomplete = conversation.flush((int) nowMs, MAX_SEGMENTS, loop.recentNowMicros());
        }
        // If the delivery was interrupted, a later iteration continues it, usually the next one, so copying the messages out of their
        // datagrams would be wasted work. Fragments of an incomplete message are copied, because the message may never become complete, and
        // each fragment may keep a read buffer of 64 KiB or more alive.
        boolean continuesDelivery = continuesDelivery(session);
        if (!continuesDelivery) {
            conversation.detachReceived();
        }
        loop.spareMemory().onActivity(session.spare);
        loop.pressure().onActivity(session);
        if (closing.closeIfLingerIsOver(conversation, nowMs)) {
            return;
        }
        if (session.isServed()) {
            int waitMs = blocked ? Kcp.NO_DEADLINE : conversation.nextDeadline((int) nowMs);
            schedule(session, incomplete || continuesDelivery, closing.limit(waitMs, nowMs), nowMs);
        }
    }

    /** Returns {@code true} if the next event-loop iteration continues an interrupted delivery that is not in the read batch yet. */
    private boolean continuesDelivery(DefaultKcpChannel session) {
        return session.delivery.isCut() && !host.servingQueue().contains(session);
    }

    /**
     * Schedules the next deadline of a session, or a task for the next event-loop iteration if the session has more data to send or to
     * deliver now.
     */
    private void schedule(DefaultKcpChannel session, boolean continues, int waitMs, long nowMs) {
        if (continues) {
            host.loop().timers().scheduleNextIteration(session, nowMs);
        } else {
            host.loop().timers().schedule(session, waitMs, nowMs);
        }
    }

    /** Makes the session writable again after its socket became writable, and sends due segments. */
    void onUnblocked(DefaultKcpChannel session, long nowMs) {
        session.setWritability(WRITABLE_SOCKET, true);
        if (session.isServed()) {
            flushDue(session, nowMs);
        }
    }

    /** Sends an out-of-band message ahead of queued reliable data, as described at {@link AbstractSession#sendOob}. */
    boolean sendOob(DefaultKcpChannel session, ByteBuf payload, ChannelPromise promise) {
        boolean running;
        try {
            running = session.run(() -> {
                try {
                    sendOobNow(session, payload, promise);
                } finally {
                    payload.release();
                }
            });
        } catch (IllegalStateException withoutLoop) {
            payload.release();
            promise.tryFailure(withoutLoop);
            return true;
        }
        if (!running) {
            payload.release();
        }
        return running;
    }

    private void sendOobNow(DefaultKcpChannel session, ByteBuf payload, ChannelPromise promise) {
        if (!session.isServed()) {
            // The datagram channel of such a session may have no KcpHandler and therefore no writer.
            promise.tryFailure(session.closedException());
            return;
        }
        DatagramChannelWriter writer = host.writer();
        int bytes = payload.readableBytes();
        int datagramBytes = OOB_CONV_BYTES + bytes;
        if (!writer.sendsOob()) {
            promise.tryFailure(new IllegalStateException("Cannot send an out-of-band message without FEC. Set fec on the bootstrap."));
        } else if (bytes > session.maxOobBytes()) {
            promise.tryFailure(new IllegalArgumentException(
                "payload: " + bytes + " bytes (expected: at most " + session.maxOobBytes() + ")"));
        } else if (!writer.canWrite()) {
            promise.tryFailure(new IOException("Dropped an out-of-band message, because the socket is not writable"));
        } else if (!session.kcp().amplificationLimit().trySpend(datagramBytes + writer.overheadBytes())) {
            session.kcp().amplificationLimit().requestValidation();
            flushSoon(session);
            promise.tryFailure(new IOException("Dropped an out-of-band message of " + bytes + " bytes, because the peer has not proved its"
                + " address yet and the message exceeds the amplification limit (AbstractKcpServerBuilder.amplificationLimit)"));
        } else {
            ByteBuf datagram = writer.allocate(datagramBytes);
            datagram.writeIntLE(session.conv());
            payload.getBytes(payload.readerIndex(), datagram, bytes);
            writer.write(new KcpDatagram(datagram, session.remoteAddress(), session, true));
            if (!host.servingQueue().isReading()) {
                writer.flush();
            }
            promise.trySuccess();
        }
    }

    // ---- settings

    /** Applies changed settings to a session. Must be called on the event loop. */
    void reconfigure(DefaultKcpChannel session) {
        if (session.isServed()) {
            long nowMs = host.loop().nowMs();
            Kcp conversation = session.kcp();
            conversation.reconfigure(session.config().kcp());
            applyOptions(session);
            watch(session, nowMs, conversation.inactiveMs((int) nowMs));
            session.resumeWrites();
            flushSoon(session);
        }
    }

    /** Applies the options that are not settings of the conversation. */
    static void applyOptions(DefaultKcpChannel session) {
        KcpChannelConfig config = session.config();
        session.kcp().closeNotice().setEnabled(config.closeNotice());
        session.delivery.limit(config.maxMessagesPerIteration(), config.maxBytesPerIteration());
    }

    // ---- liveness

    /** Schedules {@link #sweep} for the time at which the next keepalive probe, the idle or the first-message timeout may be due. */
    void watch(DefaultKcpChannel session, long nowMs, int inactiveMs) {
        int idleTimeoutMs = session.config().idleTimeoutMs();
        int keepaliveMs = session.config().keepaliveMs();
        long dueMs = Long.MAX_VALUE;
        if (idleTimeoutMs > 0) {
            dueMs = nowMs + Math.max(0, idleTimeoutMs - inactiveMs);
        }
        if (keepaliveMs > 0) {
            dueMs = Math.min(dueMs, nowMs + (inactiveMs < keepaliveMs ? keepaliveMs - inactiveMs : keepaliveMs));
        }
        if (awaitsFirstMessage(session)) {
            dueMs = Math.min(dueMs, session.openedMs() + session.config().firstMessageTimeoutMs());
        }
        host.loop().timers().watch(session, dueMs == Long.MAX_VALUE ? -1 : dueMs, nowMs);
    }

    /**
     * Returns {@code true} if the peer opened the session, has not sent a complete message yet, and must send one within the first-message
     * timeout.
     */
    private static boolean awaitsFirstMessage(DefaultKcpChannel session) {
        return session.isAccepted() && session.config().firstMessageTimeoutMs() > 0 && session.isReading()
            && !session.delivery.hasDelivered() && !session.kcp().hasReceivable();
    }

    /** Sends a keepalive probe if one is due, and closes the session if the idle or the first-message timeout has expired. */
    void sweep(DefaultKcpChannel session, long nowMs) {
        Kcp conversation = session.kcp();
        int inactiveMs = conversation.inactiveMs((int) nowMs);
        int idleTimeoutMs = session.config().idleTimeoutMs();
        if (idleTimeoutMs > 0 && inactiveMs >= idleTimeoutMs) {
            if (session.isClosedByPeer()) {
                session.closing().closeForPeer();
            } else {
                session.closeWith(KcpCloseReason.IDLE);
            }
            return;
        }
        if (awaitsFirstMessage(session) && nowMs - session.openedMs() >= session.config().firstMessageTimeoutMs()) {
            session.closeWith(KcpCloseReason.FIRST_MESSAGE_TIMEOUT);
            return;
        }
        int keepaliveMs = session.config().keepaliveMs();
        if (keepaliveMs > 0 && inactiveMs >= keepaliveMs && !session.isClosedByPeer()) {
            conversation.ping((int) nowMs);
            flushDue(session, nowMs);
        }
        if (session.isServed()) {
            watch(session, nowMs, inactiveMs);
        }
    }

    /** Closes the session if the conversation reports that the peer does not respond or does not read. */
    static void check(DefaultKcpChannel session, long nowMs) {
        if (session.isClosedByPeer()) {
            // The peer has closed its session and no longer responds. This session stays open only until its application has read all
            // messages.
            return;
        }
        Kcp conversation = session.kcp();
        LinkState link = conversation.linkState((int) nowMs);
        switch (link) {
            case ALIVE -> {
            }
            case PEER_TIMEOUT -> session.closeWith(KcpCloseReason.PEER_TIMEOUT);
            case TRANSMISSIONS_EXHAUSTED -> session.closeWith(KcpCloseReason.TRANSMISSIONS_EXHAUSTED);
            case PROTOCOL_ERROR -> session.closeWith(KcpCloseReason.PROTOCOL_ERROR);
            case PEER_TOO_SLOW -> session.closeWith(KcpCloseReason.PEER_TOO_SLOW);
            case PEER_NOT_READING -> session.closing().closeWith(KcpCloseReason.PEER_NOT_READING,
                conversation.initialWindowMessages().failure());
        }
    }
}
