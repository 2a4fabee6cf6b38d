package io.kcp.netty;

import io.kcp.core.Kcp;
import io.kcp.netty.loop.LoopContext;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Sends the due segments of a session as far as the socket accepts them, and schedules the next deadline. If the socket is full, the
 * session becomes unwritable and waits in the queue of its {@link KcpHandler}. All sessions of the handler share one instance.
 */
final class SessionFlush {

    /** Maximum number of segments that a session sends in one event-loop iteration, so that other sessions can send as well. */
    private static final int MAX_SEGMENTS = 256;
    private static final int WRITABLE_SOCKET = 1;

    private final KcpHandler handler;

    SessionFlush(KcpHandler handler) {
        this.handler = handler;
    }

    /**
     * Sends due segments at the end of the current read batch, or immediately if no read batch is in progress. A failure closes the
     * session.
     */
    void flushSoon(DefaultKcpChannel session) {
        if (handler.batch().isReading()) {
            handler.batch().add(session);
        } else if (session.isServed()) {
            try {
                flushDue(session, handler.loop().nowMs());
            } catch (RuntimeException | OutOfMemoryError failure) {
                session.failWith(failure);
            }
            handler.flushWritten();
        }
    }

    /**
     * Sends due segments without flushing the socket, closes the session if its linger time is over, and schedules the next deadline. If
     * the peer has closed the session, nothing is sent, and the session closes once its application has read all messages.
     */
    void flushDue(DefaultKcpChannel session, long nowMs) {
        Kcp conversation = session.kcp();
        LoopContext loop = handler.loop();
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
        boolean blocked = due && !handler.canWrite();
        boolean incomplete = false;
        if (blocked) {
            setWritability(session, WRITABLE_SOCKET, false);
            handler.block(session);
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
        return session.delivery.isCut() && !handler.batch().contains(session);
    }

    /**
     * Schedules the next deadline of a session, or a task for the next event-loop iteration if the session has more data to send or to
     * deliver now.
     */
    private void schedule(DefaultKcpChannel session, boolean continues, int waitMs, long nowMs) {
        if (continues) {
            handler.loop().timers().scheduleNextIteration(session, nowMs);
        } else {
            handler.loop().timers().schedule(session, waitMs, nowMs);
        }
    }

    /** Makes the session writable again after its socket became writable, and sends due segments. */
    void onUnblocked(DefaultKcpChannel session, long nowMs) {
        setWritability(session, WRITABLE_SOCKET, true);
        if (session.isServed()) {
            flushDue(session, nowMs);
        }
    }

    /** Sets one of the writability flags that {@link KcpChannel#isWritable} combines. */
    static void setWritability(DefaultKcpChannel session, int index, boolean writable) {
        ChannelOutboundBuffer buffer = session.unsafe().outboundBuffer();
        if (buffer != null) {
            buffer.setUserDefinedWritability(index, writable);
        }
    }
}
