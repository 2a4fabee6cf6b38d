package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Records the age of the stamp with which each message begins. All processes of a Linux machine share the clock of
 * {@code System.nanoTime()}.
 */
final class DelayListener extends ServerListener {

    private final StampReader stamps;
    private final ConcurrentHistogram delaysNs;

    DelayListener(LoadMeter meter, int messageBytes, ConcurrentHistogram delaysNs) {
        super(meter);
        stamps = new StampReader(messageBytes);
        this.delaysNs = delaysNs;
    }

    @Override
    void handle(Session session, ByteBuf message) {
        while (stamps.next(message)) {
            if (stamps.stamp() != TimedSession.NOT_MEASURED) {
                delaysNs.recordValue(Math.max(0, System.nanoTime() - stamps.stamp()));
            }
        }
        message.release();
    }
}
