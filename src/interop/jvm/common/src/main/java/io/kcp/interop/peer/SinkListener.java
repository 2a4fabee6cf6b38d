package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;

/** Counts what arrives. */
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
        // a client that leaves
    }
}
