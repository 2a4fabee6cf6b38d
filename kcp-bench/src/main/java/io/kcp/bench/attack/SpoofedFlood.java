package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import java.io.IOException;
import java.util.List;
import java.util.function.ObjIntConsumer;

/** Sends datagrams from forged addresses. One or more datagrams are sent from each address before the next address is used. */
final class SpoofedFlood implements AttackTraffic {

    /** Maximum size of random datagrams that represent arbitrary traffic. */
    private static final int MAX_GARBAGE_BYTES = 220;
    private static final int MIN_GARBAGE_BYTES = 24;
    /** Offset of the connection id, after the flags, the version and the length of the id. */
    private static final int QUIC_CONNECTION_ID_OFFSET = 6;

    private final AttackSources sources;
    private final AttackDatagram datagram;
    private final List<Source> spoofed;
    private final ObjIntConsumer<AttackDatagram> content;
    private final boolean sealed;
    private final int copies;
    private int next;
    private int copy;
    private int conv;

    private SpoofedFlood(AttackSetup setup, List<Source> spoofed, boolean sealed, int copies, ObjIntConsumer<AttackDatagram> content) {
        this.copies = copies;
        sources = setup.sources();
        datagram = setup.datagram();
        this.spoofed = spoofed;
        this.sealed = sealed;
        this.content = content;
    }

    /** Sends random bytes. */
    static SpoofedFlood garbage(AttackSetup setup, List<Source> spoofed) {
        return new SpoofedFlood(setup, spoofed, false, 1,
            (datagram, conv) -> datagram.garbage(datagram.random.nextInt(MIN_GARBAGE_BYTES, MAX_GARBAGE_BYTES)));
    }

    /** Sends random bytes in datagrams of full size, which a server with a cipher must authenticate before it can drop them. */
    static SpoofedFlood badMac(AttackSetup setup, List<Source> spoofed) {
        return new SpoofedFlood(setup, spoofed, false, 1, (datagram, conv) -> datagram.garbage(AttackDatagram.LARGE_BYTES));
    }

    /**
     * Sends valid first datagrams of sessions, each with another conversation id. If the server has a cipher, the attacker has the key.
     *
     * @param copies number of first datagrams that are sent in a row for each session
     */
    static SpoofedFlood openers(AttackSetup setup, List<Source> spoofed, int payloadBytes, int copies) {
        return new SpoofedFlood(setup, spoofed, true, copies, (datagram, conv) -> datagram.clear().opener(conv, payloadBytes));
    }

    /** Sends a recorded first datagram of a QUIC connection, either unchanged or with a new random connection id each time. */
    static SpoofedFlood quicInitials(AttackSetup setup, List<Source> spoofed, byte[] initial, boolean randomIds) {
        return new SpoofedFlood(setup, spoofed, false, 1, (datagram, conv) -> {
            datagram.bytes(initial);
            if (randomIds) {
                datagram.setLong(QUIC_CONNECTION_ID_OFFSET, datagram.random.nextLong());
            }
        });
    }

    @Override
    public void send() throws IOException {
        if (copy == 0) {
            conv = datagram.newConv();
        }
        content.accept(datagram, conv);
        Source source = spoofed.get(next % spoofed.size());
        if (sealed) {
            datagram.send(sources, source);
        } else {
            datagram.sendAsIs(sources, source);
        }
        copy = (copy + 1) % copies;
        if (copy == 0) {
            next++;
        }
    }

    @Override
    public List<Source> spoofed() {
        return spoofed;
    }
}
