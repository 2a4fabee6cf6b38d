package io.kcp.testkit;

import io.netty.buffer.ByteBuf;

/** A scheduled task that passes a datagram in flight to its receiver. */
record Delivery(ByteBuf datagram, LinkReceiver receiver) implements Runnable {

    @Override
    public void run() {
        receiver.receive(datagram);
    }
}
