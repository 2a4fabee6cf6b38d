package io.kcp.netty.internal.session;

import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Fires received messages through the pipeline of a session as long as reads are pending. A {@code read()} from within a handler only
 * sets a flag that the delivery loop checks, so that the stack does not grow. In one event-loop iteration, a session delivers by default at
 * most {@value #MAX_MESSAGES} messages and stops after {@value #MAX_BYTES} bytes, so that the messages of one peer do not delay other
 * sessions. After each {@value #MESSAGES_PER_TIME_CHECK} messages, it also stops if the time for serving sessions is over.
 */
public final class MessageDelivery {

    /** Default limit on the messages that a session delivers in one event-loop iteration. */
    public static final int MAX_MESSAGES = 1_024;
    /** Default number of bytes after which a session delivers no further messages in one event-loop iteration. */
    public static final int MAX_BYTES = 2_097_152;

    /** Number of messages after which the delivery checks again whether the time for serving sessions is over. */
    public static final int MESSAGES_PER_TIME_CHECK = 32;

    private final AbstractSession session;
    private boolean readPending;
    private boolean delivering;
    private boolean delivered;
    private boolean withheld;
    private int messages;
    private boolean timeOver;
    private long bytes;
    private boolean cut;
    private int maxMessages = MAX_MESSAGES;
    private int maxBytes = MAX_BYTES;

    /** Creates the message delivery of one session. */
    public MessageDelivery(AbstractSession session) {
        this.session = session;
    }

    /** Returns {@code true} while messages are being fired through the pipeline. */
    public boolean isDelivering() {
        return delivering;
    }

    /** Returns {@code true} if a message has ever been fired through the pipeline. */
    public boolean hasDelivered() {
        return delivered;
    }

    /**
     * Returns {@code true} if the limits of one event-loop iteration, or the end of the time for serving sessions, interrupted the latest
     * delivery. It continues in the next iteration, or after the sessions that are already waiting.
     */
    public boolean isCut() {
        return cut && readPending;
    }

    /** Limits the messages and bytes that are delivered in one event-loop iteration. 0 means no limit. */
    public void limit(int messagesPerIteration, int bytesPerIteration) {
        maxMessages = messagesPerIteration == 0 ? Integer.MAX_VALUE : messagesPerIteration;
        maxBytes = bytesPerIteration == 0 ? Integer.MAX_VALUE : bytesPerIteration;
    }

    /**
     * Makes the session deliver nothing before its peer is validated, if an {@code AmplificationLimit} is active. Forged
     * datagrams then cause no work in the handlers of the session.
     */
    public void withholdUntilValidated() {
        withheld = true;
    }

    /** Records a {@code read()} of the pipeline. */
    public void onRead() {
        readPending = true;
    }

    /** Cancels a pending {@code read()} after automatic reads were switched off. */
    public void onAutoReadCleared() {
        // Another thread may have disabled auto-read, and a handler may have enabled it again before this task runs.
        if (!session.config().isAutoRead()) {
            readPending = false;
        }
    }

    /**
     * Delivers received messages while a read is pending and the session is active. The delivery pauses while the unacknowledged writes of
     * the session exceed its share of scarce memory. This method is called again when acknowledgements free that memory, and by
     * {@link MemoryPressure} when other sessions have freed memory.
     */
    public void deliver(Kcp kcp) {
        if (delivering || !readPending || !kcp.hasReceivable() || isWithheld(kcp)) {
            return;
        }
        delivering = true;
        messages = 0;
        timeOver = false;
        bytes = 0;
        cut = false;
        try {
            RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) session.unsafe().recvBufAllocHandle();
            while (session.isReading() && readPending && kcp.hasReceivable() && kcp.memory().hasRoomForAnswers()) {
                if (isTurnOver()) {
                    cut = true;
                    break;
                }
                handle.reset(session.config());
                if (!deliverSome(kcp, handle)) {
                    break;
                }
                handle.readComplete();
                session.pipeline().fireChannelReadComplete();
            }
        } finally {
            delivering = false;
        }
    }

    private boolean isWithheld(Kcp kcp) {
        withheld &= kcp.amplificationLimit().isActive();
        return withheld;
    }

    private boolean isTurnOver() {
        return timeOver || messages >= maxMessages || bytes >= maxBytes;
    }

    private boolean deliverSome(Kcp kcp, RecvByteBufAllocator.ExtendedHandle handle) {
        boolean any = false;
        do {
            ByteBuf message = kcp.receive();
            if (message == null) {
                break;
            }
            any = true;
            delivered = true;
            messages++;
            bytes += message.readableBytes();
            readPending = false;
            handle.incMessagesRead(1);
            // Reports at least 1 byte even for an empty message, because Netty interprets 0 bytes as the end of the data.
            handle.lastBytesRead(Math.max(1, message.readableBytes()));
            session.pipeline().fireChannelRead(message);
            if (messages % MESSAGES_PER_TIME_CHECK == 0) {
                timeOver = session.isServingTimeOver();
            }
        } while (session.isReading() && kcp.hasReceivable() && kcp.memory().hasRoomForAnswers() && !isTurnOver()
            && handle.continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER));
        return any;
    }
}
