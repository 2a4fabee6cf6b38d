package io.kcp.netty.internal.session;

import io.kcp.core.KcpTransferMode;
import io.kcp.core.MessageTooLargeException;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SessionMemory;
import io.kcp.core.internal.send.InitialWindowMessages;
import io.kcp.netty.internal.base.BufferMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.internal.StringUtil;
import org.jspecify.annotations.Nullable;

/** Checks writes before they are queued, and passes flushed writes to the conversation as long as its send window has room. */
public final class QueuedWrites {

    private final WriteLedger ledger;
    private boolean awaitsWindow;
    private @Nullable Throwable fatalFailure;

    /** Creates an instance that counts queued bytes with the given ledger. */
    public QueuedWrites(WriteLedger ledger) {
        this.ledger = ledger;
    }

    /** Returns the message as a {@link ByteBuf}, or throws an exception if it has another type. */
    public static ByteBuf checkType(Object message) {
        if (message instanceof ByteBuf buffer) {
            return buffer;
        }
        throw new UnsupportedOperationException(
            "unsupported message type: " + StringUtil.simpleClassName(message) + " (expected: ByteBuf)");
    }

    /**
     * Checks a write and returns the buffer that is added to the outbound queue.
     *
     * @param message the message, <b>taken</b> unless this method throws an exception
     * @return the message or a copy of it, <b>returned owned</b>
     * @throws MessageTooLargeException if the conversation could never send the message
     * @throws IllegalStateException    if the session was closed because it holds far more than its share of scarce memory
     */
    public ByteBuf enqueue(AbstractSession session, MemoryPressure pressure, ByteBuf message) {
        Kcp conversation = session.kcp();
        int bytes = message.readableBytes();
        if (bytes > conversation.maxMessageBytes()) {
            throw conversation.tooLarge(bytes);
        }
        SessionMemory memory = conversation.memory();
        memory.setBacklogBytes(ledger.queuedBytes() + bytes);
        if (!memory.mayWrite()) {
            pressure.onActivity(session);
            if (ledger.queuedBytes() > session.config().getWriteBufferHighWaterMark() && memory.isOverdrawn()) {
                IllegalStateException failure = overdrawn(session, pressure.memoryLimit());
                session.failWith(failure);
                throw failure;
            }
        }
        ByteBuf queued = message;
        if (message == Unpooled.EMPTY_BUFFER) {
            // EMPTY_BUFFER marks a cancelled write in Netty's outbound queue, so an empty message needs a different buffer.
            queued = Unpooled.buffer(0);
        } else if (conversation.remoteWindow() == 0 && isSmallSlice(message)) {
            // Copies the message, because it stays queued while the peer does not read and, as a slice, would keep a whole read buffer
            // allocated.
            queued = session.alloc().buffer(Math.max(1, bytes)).writeBytes(message, message.readerIndex(), bytes);
            message.release();
        }
        ledger.onQueued(bytes);
        return queued;
    }

    /** Returns {@code true} if a message fills less than half of the buffer that it keeps allocated, for example because it is a slice. */
    static boolean isSmallSlice(ByteBuf message) {
        return BufferMemory.rootCapacity(message) >> 1 > message.readableBytes();
    }

    private IllegalStateException overdrawn(AbstractSession session, MemoryLimit memoryLimit) {
        return new IllegalStateException(session + " holds " + ledger.queuedBytes() + " queued bytes and "
            + session.kcp().unacknowledgedBytes() + " unacknowledged bytes, while all sessions of its event loop hold "
            + memoryLimit.heldBytes() + " (limit: " + memoryLimit.maxHeldBytes() + "). Write only while isWritable() is true.");
    }

    /**
     * Passes flushed writes to the conversation, and returns {@code true} if any write was accepted. Never throws an exception, because
     * Netty would close the channel.
     */
    public boolean accept(Kcp conversation, ChannelOutboundBuffer queue, int nowMs) {
        if (fatalFailure != null || awaitsWindow && !completeFirst(conversation.initialWindowMessages(), queue)) {
            return false;
        }
        boolean accepted = false;
        while (conversation.canSend() && !awaitsWindow && fatalFailure == null) {
            ByteBuf message = (ByteBuf) queue.current();
            if (message == null) {
                break;
            }
            accepted |= acceptOrFail(conversation, queue, message, nowMs);
        }
        conversation.memory().setBacklogBytes(ledger.queuedBytes());
        return accepted;
    }

    /** Returns {@code true} if the first write waits for the peer to advertise a window that can hold the message. */
    public boolean awaitsWindow() {
        return awaitsWindow;
    }

    /**
     * Returns the failure that must close the session, or null if there is none. After a stream write that failed partway, the conversation
     * accepts no more data, because the peer would read later data after a gap.
     */
    public @Nullable Throwable fatalFailure() {
        return fatalFailure;
    }

    /** Completes the first write if it no longer waits for the peer's window, and returns {@code true} if the write succeeded. */
    private boolean completeFirst(InitialWindowMessages message, ChannelOutboundBuffer queue) {
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
            // The write was cancelled.
            ledger.onDequeued();
            queue.remove();
            return false;
        }
        try {
            accept(conversation, queue, message, nowMs);
            return true;
        } catch (RuntimeException | OutOfMemoryError failure) {
            if (queue.currentProgress() > 0) {
                fatalFailure = failure;
            }
            ledger.onDequeued();
            queue.remove(failure);
            return false;
        }
    }

    private void accept(Kcp conversation, ChannelOutboundBuffer queue, ByteBuf message, int nowMs) {
        int bytes = message.readableBytes();
        if (conversation.config().mode() == KcpTransferMode.STREAM && bytes > conversation.sendableBytes()) {
            int part = conversation.sendableBytes();
            conversation.send(message.readRetainedSlice(part), nowMs);
            ledger.onAccepted(part);
            queue.progress(part);
            return;
        }
        conversation.send(message.retain(), nowMs);
        ledger.onAccepted(bytes);
        if (conversation.initialWindowMessages().isPending()) {
            awaitsWindow = true;
            return;
        }
        ledger.onDequeued();
        queue.remove();
    }
}
