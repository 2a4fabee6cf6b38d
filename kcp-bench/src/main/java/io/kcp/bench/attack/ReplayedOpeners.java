package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Replays first datagrams of sessions, which an attacker without the key has recorded. Before the attack, each datagram reaches the server
 * from the address of its owner. The attack then replays the datagrams from forged addresses.
 */
final class ReplayedOpeners implements AttackTraffic {

    private static final int RECORDED = 256;
    private static final int PAYLOAD_BYTES = 64;
    /** Number of first datagrams that are sent at once, so that they do not overflow the receive buffer of the server. */
    private static final int BURST = 16;
    private static final long PAUSE_NS = 1_000_000;

    private final AttackSources sources;
    private final List<Source> owners;
    private final List<Source> spoofed;
    private final List<ByteBuf> recorded = new ArrayList<>();
    private int next;

    ReplayedOpeners(AttackSetup setup, List<Source> owners, List<Source> spoofed) {
        sources = setup.sources();
        this.owners = owners;
        this.spoofed = spoofed;
        for (int i = 0; i < RECORDED; i++) {
            recorded.add(setup.datagram().clear().opener(setup.datagram().newConv(), PAYLOAD_BYTES).sealedCopy());
        }
    }

    @Override
    public void prepare() throws IOException {
        for (int i = 0; i < RECORDED; i++) {
            send(owners.get(i % owners.size()), recorded.get(i));
            if (i % BURST == BURST - 1) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    @Override
    public void send() throws IOException {
        send(spoofed.get(next % spoofed.size()), recorded.get(next % RECORDED));
        next++;
    }

    private void send(Source source, ByteBuf opener) throws IOException {
        sources.send(source, opener.internalNioBuffer(opener.readerIndex(), opener.readableBytes()));
    }

    @Override
    public List<Source> spoofed() {
        return spoofed;
    }

    @Override
    public void close() {
        recorded.forEach(ByteBuf::release);
    }
}
