package io.kcp.core;

import io.netty.buffer.ByteBuf;

/** A datagram under way; running it hands the datagram over. */
record Delivery(ByteBuf datagram, LinkReceiver receiver) implements Runnable {

    @Override
    public void run() {
        receiver.receive(datagram);
    }
}
