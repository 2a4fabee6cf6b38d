package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Records the delay of each {@link DelayWork} message, from the planned sending time that the message contains to its arrival. */
final class DelayListener extends SessionListener {

    private static final double US_PER_MS = 1000;

    private final Meter meter;
    private final Delays delays;

    DelayListener(Meter meter, Delays delays) {
        this.meter = meter;
        this.delays = delays;
    }

    @Override
    public void received(Session session, ByteBuf message) {
        long due = message.getLong(message.readerIndex());
        meter.received(message.readableBytes());
        if (due != DelayWork.NOT_MEASURED) {
            delays.record(System.nanoTime() - due);
        }
    }

    @Override
    public void failed(Throwable cause) {
        // Ignores the failure, because a client may close its session at any time.
    }

    static JsonLine report(Delays delays) {
        return JsonLine.event("delay").put("received", delays.count()).put("p50_ms", delays.us(50) / US_PER_MS)
            .put("p90_ms", delays.us(90) / US_PER_MS).put("p99_ms", delays.us(99) / US_PER_MS)
            .put("p999_ms", delays.us(99.9) / US_PER_MS).put("max_ms", delays.maxUs() / US_PER_MS);
    }
}
