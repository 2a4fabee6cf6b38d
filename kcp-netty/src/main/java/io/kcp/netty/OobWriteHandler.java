package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.io.IOException;

/** Intercepts out-of-band messages among the writes of a session and sends them immediately, ahead of queued reliable data. */
@ChannelHandler.Sharable
final class OobWriteHandler extends ChannelOutboundHandlerAdapter {

    static final OobWriteHandler INSTANCE = new OobWriteHandler();
    /** Length in bytes of the {@code conv} field between the FEC header and the payload. */
    static final int CONV_BYTES = 4;

    private OobWriteHandler() {
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof KcpOobMessage oob) {
            send((DefaultKcpChannel) context.channel(), oob.content(), promise.unvoid());
        } else {
            context.write(message, promise);
        }
    }

    /**
     * Sends an out-of-band message and <b>takes</b> its payload. Any thread may call this method. Returns {@code false}, without completing
     * the promise, if the event loop of the session has terminated.
     */
    static boolean send(DefaultKcpChannel session, ByteBuf payload, ChannelPromise promise) {
        boolean running;
        try {
            running = SessionTasks.run(session, () -> {
                try {
                    sendOnLoop(session, payload, promise);
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

    private static void sendOnLoop(DefaultKcpChannel session, ByteBuf payload, ChannelPromise promise) {
        KcpHandler handler = session.handler();
        int bytes = payload.readableBytes();
        int datagramBytes = CONV_BYTES + bytes;
        if (!session.isServed()) {
            promise.tryFailure(session.closedException());
        } else if (!handler.sendsOob()) {
            promise.tryFailure(new IllegalStateException("Cannot send an out-of-band message without FEC. Set fec on the bootstrap."));
        } else if (bytes > session.maxOobBytes()) {
            promise.tryFailure(new IllegalArgumentException(
                "payload: " + bytes + " bytes (expected: at most " + session.maxOobBytes() + ")"));
        } else if (!handler.canWrite()) {
            promise.tryFailure(new IOException("Dropped an out-of-band message, because the socket is not writable"));
        } else if (!session.kcp().amplificationLimit().trySpend(datagramBytes + handler.overheadBytes())) {
            session.kcp().amplificationLimit().requestValidation();
            handler.flusher().flushSoon(session);
            promise.tryFailure(new IOException("Dropped an out-of-band message of " + bytes + " bytes, because the peer has not proved its"
                + " address yet and the message exceeds the amplification limit (AbstractKcpServerBuilder.amplificationLimit)"));
        } else {
            ByteBuf datagram = handler.allocate(datagramBytes);
            datagram.writeIntLE(session.conv());
            payload.getBytes(payload.readerIndex(), datagram, bytes);
            handler.write(new KcpPacket(datagram, session.remoteAddress(), session, true));
            if (!handler.batch().isReading()) {
                handler.flushWritten();
            }
            promise.trySuccess();
        }
    }
}
