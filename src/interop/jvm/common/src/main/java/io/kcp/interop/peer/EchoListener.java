package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Returns each message to its sender. If the protocol does not notify a server that a client has closed a session, this listener closes
 * each session whose first message begins with {@link #GOODBYE}.
 */
final class EchoListener extends SessionListener {

    /** First eight bytes of a message that is the only message of its session. */
    static final long GOODBYE = 0x676f6f646279650aL;
    /** Time by which the close of a session is delayed, so that the session still exists when the client's last acknowledgement arrives. */
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
        // Ignores the failure, because a client may close its session at any time.
    }
}
