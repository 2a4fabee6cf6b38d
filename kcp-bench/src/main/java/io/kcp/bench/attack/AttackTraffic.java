package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;

/** Creates and sends the datagrams of one attack on the thread of the {@link AttackGenerator}. */
interface AttackTraffic extends AutoCloseable {

    /** Sends datagrams that must reach the server before the attack begins. Called on another thread than {@link #send}. */
    default void prepare() throws IOException {
    }

    /** Sends the next datagram. */
    void send() throws IOException;

    /** Processes a datagram of the server that has arrived at one of the sources of this attack. The datagram is borrowed. */
    default void received(Source source, ByteBuf datagram) throws IOException {
    }

    /** Returns the sources with forged addresses. Such a source must not receive more than three times the bytes that were sent from it. */
    default List<Source> spoofed() {
        return List.of();
    }

    /** Returns all sources whose datagrams {@link #received} processes. */
    default List<Source> sources() {
        return spoofed();
    }

    @Override
    default void close() {
    }
}
