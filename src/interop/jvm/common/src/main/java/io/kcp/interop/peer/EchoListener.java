package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Returns what arrives, and closes sessions whose client said goodbye where only that tells. */
final class EchoListener extends SessionListener {

    /** Begins the only message of a session that ends with it. */
    static final long GOODBYE = 0x676f6f646279650aL;
    /** The last acknowledgement has to find the session. */
    private static final long GRACE_MS = 250;

    private final Meter meter;
    private final ScheduledExecutorService closer;
    private boolean first = true;
    private boolean unflushed;

    EchoListener(Meter meter, ScheduledExecutorService closer) {
        this.meter = meter;
        this.closer = closer;
    }

    @Override
    public void received(Session session, ByteBuf message) {
        int bytes = message.readableBytes();
        meter.received(bytes);
        if (first) {
            first = false;
            if (closer != null && bytes >= Long.BYTES && message.getLong(message.readerIndex()) == GOODBYE) {
                closer.schedule(session::close, GRACE_MS, TimeUnit.MILLISECONDS);
            }
        }
        session.write(message.retain());
        meter.sent(bytes);
        unflushed = true;
    }

    @Override
    public void receivedAll(Session session) {
        if (unflushed) {
            unflushed = false;
            session.flush();
        }
    }

    @Override
    public void failed(Throwable cause) {
        // a client that leaves
    }
}
