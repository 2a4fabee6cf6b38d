package io.kcp.netty;

import io.kcp.core.Kcp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Hands received messages to the pipeline of a session as long as it asks for them. A {@code read()} from within only sets
 * the flag that the loop looks at, so that the stack does not grow.
 */
final class MessageDelivery {

    private final DefaultKcpChannel session;
    private boolean readPending;
    private boolean delivering;

    MessageDelivery(DefaultKcpChannel session) {
        this.session = session;
    }

    boolean isDelivering() {
        return delivering;
    }

    void setReadPending(boolean readPending) {
        this.readPending = readPending;
    }

    /**
     * Delivers while there is something, it was asked for, and the session is reading. Pauses while the session's own
     * writes use up more than its share of scarce memory; the acknowledgements that free it call this method again, and so does
     * {@link MemoryPressure} when other sessions have freed memory.
     */
    void deliver(Kcp kcp) {
        if (delivering || !readPending || !kcp.hasReceivable()) {
            return;
        }
        delivering = true;
        try {
            RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) session.unsafe().recvBufAllocHandle();
            while (session.isReading() && readPending && kcp.hasReceivable() && kcp.held().hasRoomForAnswers()) {
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

    private boolean deliverSome(Kcp kcp, RecvByteBufAllocator.ExtendedHandle handle) {
        boolean any = false;
        do {
            ByteBuf message = kcp.receive();
            if (message == null) {
                break;
            }
            any = true;
            readPending = false;
            handle.incMessagesRead(1);
            // An empty message is no end of data.
            handle.lastBytesRead(Math.max(1, message.readableBytes()));
            session.pipeline().fireChannelRead(message);
        } while (session.isReading() && kcp.hasReceivable() && kcp.held().hasRoomForAnswers()
            && handle.continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER));
        return any;
    }
}
