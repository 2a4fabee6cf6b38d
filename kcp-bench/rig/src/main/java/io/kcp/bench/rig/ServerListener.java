package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;

/** Counts the messages of a server session and discards them. Base class of the listeners that use them. */
class ServerListener implements SessionListener {

    private final LoadMeter meter;
    private int bytes;
    private int messages;

    ServerListener(LoadMeter meter) {
        this.meter = meter;
    }

    @Override
    public final void received(Session session, ByteBuf message) {
        bytes += message.readableBytes();
        messages++;
        handle(session, message);
    }

    /** Uses a message, and takes it. */
    void handle(Session session, ByteBuf message) {
        message.release();
    }

    /** Adds all messages that have arrived together to the counters, because adding each of them would cost CPU time. */
    @Override
    public final void receivedAll(Session session) {
        meter.received(bytes, messages);
        handled(session, meter, bytes, messages);
        bytes = 0;
        messages = 0;
    }

    /** Called after all messages that have arrived together. */
    void handled(Session session, LoadMeter counters, int receivedBytes, int receivedMessages) {
        // A sink sends nothing.
    }

    /** Ignores the failure. Failures are expected, because clients exit without closing their sessions. */
    @Override
    public void failed(Throwable cause) {
        // The session is closed.
    }
}
