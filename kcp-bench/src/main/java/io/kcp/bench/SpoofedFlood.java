package io.kcp.bench;

import io.kcp.bench.AttackSources.Source;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** Sends datagrams from forged addresses. Each datagram is sent from the next address. */
final class SpoofedFlood implements AttackTraffic {

    /** Maximum size of random datagrams that represent arbitrary traffic. */
    private static final int MAX_GARBAGE_BYTES = 220;
    private static final int MIN_GARBAGE_BYTES = 24;
    /** Offset of the connection id, after the flags, the version and the length of the id. */
    private static final int QUIC_CONNECTION_ID_OFFSET = 6;

    private final AttackSources sources;
    private final AttackDatagram datagram;
    private final List<Source> spoofed;
    private final Consumer<AttackDatagram> content;
    private final boolean sealed;
    private int next;

    private SpoofedFlood(AttackSetup setup, List<Source> spoofed, boolean sealed, Consumer<AttackDatagram> content) {
        sources = setup.sources();
        datagram = setup.datagram();
        this.spoofed = spoofed;
        this.sealed = sealed;
        this.content = content;
    }

    /** Sends random bytes. */
    static SpoofedFlood garbage(AttackSetup setup, List<Source> spoofed) {
        return new SpoofedFlood(setup, spoofed, false,
            datagram -> datagram.garbage(datagram.random.nextInt(MIN_GARBAGE_BYTES, MAX_GARBAGE_BYTES)));
    }

    /** Sends random bytes in datagrams of full size, which a server with a cipher must authenticate before it can drop them. */
    static SpoofedFlood badMac(AttackSetup setup, List<Source> spoofed) {
        return new SpoofedFlood(setup, spoofed, false, datagram -> datagram.garbage(AttackDatagram.LARGE_BYTES));
    }

    /** Sends valid first datagrams of sessions, each with another conversation id. If the server has a cipher, the attacker has the key. */
    static SpoofedFlood openers(AttackSetup setup, List<Source> spoofed, int payloadBytes) {
        return new SpoofedFlood(setup, spoofed, true, datagram -> datagram.clear().opener(datagram.newConv(), payloadBytes));
    }

    /** Sends a recorded first datagram of a QUIC connection, either unchanged or with a new random connection id each time. */
    static SpoofedFlood quicInitials(AttackSetup setup, List<Source> spoofed, byte[] initial, boolean randomIds) {
        return new SpoofedFlood(setup, spoofed, false, datagram -> {
            datagram.bytes(initial);
            if (randomIds) {
                datagram.setLong(QUIC_CONNECTION_ID_OFFSET, datagram.random.nextLong());
            }
        });
    }

    @Override
    public void send() throws IOException {
        content.accept(datagram);
        Source source = spoofed.get(next++ % spoofed.size());
        if (sealed) {
            datagram.send(sources, source);
        } else {
            datagram.sendAsIs(sources, source);
        }
    }

    @Override
    public List<Source> spoofed() {
        return spoofed;
    }
}
