package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Returns each message to its sender. */
final class EchoListener extends ServerListener {

    /** First eight bytes of a message that is the only message of its session. */
    static final long GOODBYE = 0x676f6f646279650aL;

    /** Time by which the close of a session is delayed, so that the session still exists when the client's last acknowledgement arrives. */
    private static final long GRACE_MS = 250;
    private static final int GREETING_MESSAGE_BYTES = 1_024;

    /**
     * What the echo server does besides returning messages.
     *
     * @param greetBytes bytes that it sends to each new session
     * @param workNs     CPU time that it uses for each message
     * @param closer     closes the sessions whose first message is {@link #GOODBYE}, or null if the protocol notifies of a close
     */
    record Behavior(int greetBytes, long workNs, @Nullable ScheduledExecutorService closer) {
    }

    private final Behavior behavior;
    private boolean hasMessage;

    EchoListener(LoadMeter meter, Behavior behavior) {
        super(meter);
        this.behavior = behavior;
    }

    @Override
    public void opened(Session session) {
        if (behavior.greetBytes > 0) {
            for (int left = behavior.greetBytes; left > 0; left -= GREETING_MESSAGE_BYTES) {
                int size = Math.min(left, GREETING_MESSAGE_BYTES);
                session.write(session.alloc().directBuffer(size).writeZero(size));
            }
            session.flush();
        }
    }

    @Override
    void handle(Session session, ByteBuf message) {
        if (!hasMessage) {
            hasMessage = true;
            ScheduledExecutorService closer = behavior.closer;
            if (closer != null && message.readableBytes() >= Long.BYTES && message.getLong(message.readerIndex()) == GOODBYE) {
                closer.schedule(session::close, GRACE_MS, TimeUnit.MILLISECONDS);
            }
        }
        if (behavior.workNs > 0) {
            simulateWork();
        }
        session.write(message);
    }

    private void simulateWork() {
        long endNs = System.nanoTime() + behavior.workNs;
        while (System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    void handled(Session session, LoadMeter counters, int receivedBytes, int receivedMessages) {
        counters.sent(receivedBytes, receivedMessages);
        session.flush();
    }
}
