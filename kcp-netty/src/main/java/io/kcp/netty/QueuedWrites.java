package io.kcp.netty;

import io.kcp.core.Kcp;
import io.kcp.core.KcpMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;

/** Hands flushed writes over to the conversation, as far as its window has room. */
final class QueuedWrites {

    private final WriteLedger ledger;

    QueuedWrites(WriteLedger ledger) {
        this.ledger = ledger;
    }

    /** Returns whether the conversation got anything. Throws nothing: Netty would take it for the end of the socket. */
    boolean accept(Kcp conversation, ChannelOutboundBuffer queue, int nowMs) {
        boolean accepted = false;
        while (conversation.canSend()) {
            ByteBuf message = (ByteBuf) queue.current();
            if (message == null) {
                break;
            }
            accepted |= acceptOrFail(conversation, queue, message, nowMs);
        }
        return accepted;
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
        ledger.onDequeued();
        queue.remove();
    }
}
