package io.kcp.netty;

import io.kcp.core.FirstMessage;
import io.kcp.core.HeldBytes;
import io.kcp.core.HeldMemory;
import io.kcp.core.Kcp;
import io.kcp.core.KcpMode;
import io.kcp.core.MessageTooLargeException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/** Admits writes to the outbound queue, and hands flushed ones over to the conversation as far as its window has room. */
final class QueuedWrites {

    private final WriteLedger ledger;
    private boolean awaitsWindow;
    private @Nullable Throwable brokenBy;

    QueuedWrites(WriteLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * Admits a write to the outbound queue.
     *
     * @param message the message, <b>taken</b> unless this throws
     * @return what to queue, <b>returned owned</b>
     * @throws IllegalStateException if the session was closed because it holds far more than its share of scarce memory
     */
    ByteBuf enqueue(DefaultKcpChannel session, Kcp conversation, ByteBuf message) {
        int bytes = message.readableBytes();
        HeldBytes held = conversation.held();
        held.setBacklogBytes(ledger.queuedBytes() + bytes);
        if (!held.mayWrite()) {
            session.handler().loop().pressure().onActivity(session);
            if (ledger.queuedBytes() > session.config().getWriteBufferHighWaterMark() && held.isOverdrawn()) {
                IllegalStateException failure = overdrawn(session, conversation);
                session.failWith(failure);
                throw failure;
            }
        }
        ByteBuf queued = message;
        if (message == Unpooled.EMPTY_BUFFER) {
            // The queue puts that one in the place of a cancelled write.
            queued = Unpooled.buffer(0);
        } else if (conversation.remoteWindow() == 0 && HeldMemoryLimit.isSmallPart(message)) {
            // The peer does not read, so the message stays: copied, it does not keep the read buffer of many datagrams.
            queued = session.alloc().buffer(Math.max(1, bytes)).writeBytes(message, message.readerIndex(), bytes);
            message.release();
        }
        ledger.onQueued(bytes);
        return queued;
    }

    private IllegalStateException overdrawn(DefaultKcpChannel session, Kcp conversation) {
        HeldMemory held = session.handler().loop().held();
        return new IllegalStateException(session + " holds " + ledger.queuedBytes() + " bytes in its queue of writes and "
            + conversation.unacknowledgedBytes() + " unacknowledged, while all sessions of its event loop hold "
            + held.heldBytes() + " (limit: " + held.maxHeldBytes() + "). Write only while isWritable() is true.");
    }

    /** Returns whether the conversation got anything. Throws nothing: Netty would take it for the end of the socket. */
    boolean accept(Kcp conversation, ChannelOutboundBuffer queue, int nowMs) {
        if (brokenBy != null || awaitsWindow && !takeDecision(conversation.firstMessage(), queue)) {
            return false;
        }
        boolean accepted = false;
        while (conversation.canSend() && !awaitsWindow && brokenBy == null) {
            ByteBuf message = (ByteBuf) queue.current();
            if (message == null) {
                break;
            }
            accepted |= acceptOrFail(conversation, queue, message, nowMs);
        }
        conversation.held().setBacklogBytes(ledger.queuedBytes());
        return accepted;
    }

    /** Returns whether the first write waits for the peer to show that it can hold it. */
    boolean awaitsWindow() {
        return awaitsWindow;
    }

    /**
     * Returns why the session must be closed: part of a stream write was sent and the rest failed, so whatever followed would be
     * read after a hole. Nothing more is accepted then.
     */
    @Nullable Throwable brokenBy() {
        return brokenBy;
    }

    /** Completes the write whose first segments asked for the peer's window; returns whether the next ones may follow. */
    private boolean takeDecision(FirstMessage message, ChannelOutboundBuffer queue) {
        MessageTooLargeException failure = message.failure();
        if (failure == null && message.isPending()) {
            return false;
        }
        awaitsWindow = false;
        ledger.onDequeued();
        if (failure != null) {
            queue.remove(failure);
            return false;
        }
        queue.remove();
        return true;
    }

    private boolean acceptOrFail(Kcp conversation, ChannelOutboundBuffer queue, ByteBuf message, int nowMs) {
        if (message == Unpooled.EMPTY_BUFFER) {
            // It stands where a write was that has been cancelled.
            ledger.onDequeued();
            queue.remove();
            return false;
        }
        try {
            accept(conversation, queue, message, nowMs);
            return true;
        } catch (RuntimeException | OutOfMemoryError failure) {
            if (queue.currentProgress() > 0) {
                brokenBy = failure;
            }
            ledger.onDequeued();
            queue.remove(failure);
            return false;
        }
    }

    private void accept(Kcp conversation, ChannelOutboundBuffer queue, ByteBuf message, int nowMs) {
        int bytes = message.readableBytes();
        if (conversation.config().mode() == KcpMode.STREAM && bytes > conversation.sendableBytes()) {
            int part = conversation.sendableBytes();
            conversation.send(message.readRetainedSlice(part), nowMs);
            ledger.onAccepted(part);
            queue.progress(part);
            return;
        }
        conversation.send(message.retain(), nowMs);
        ledger.onAccepted(bytes);
        if (conversation.firstMessage().isPending()) {
            awaitsWindow = true;
            return;
        }
        ledger.onDequeued();
        queue.remove();
    }
}
