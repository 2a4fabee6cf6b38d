package io.kcp.testkit;

import io.netty.buffer.ByteBuf;

/** The arrival of a datagram that is in flight. Running it passes the datagram to the receiver. */
record Delivery(ByteBuf datagram, LinkReceiver receiver) implements Runnable {

    @Override
    public void run() {
        receiver.receive(datagram);
    }
}
