package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Counts received messages and discards them. */
final class SinkListener extends SessionListener {

    private final Meter meter;

    SinkListener(Meter meter) {
        this.meter = meter;
    }

    @Override
    public void received(Session session, ByteBuf message) {
        meter.received(message.readableBytes());
    }

    @Override
    public void failed(Throwable cause) {
        // Ignores the failure, because a client may close its session at any time.
    }
}
