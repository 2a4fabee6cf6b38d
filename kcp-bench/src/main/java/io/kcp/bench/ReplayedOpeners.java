package io.kcp.bench;

import io.kcp.bench.AttackSources.Source;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Replays first datagrams of sessions, which an attacker without the key has recorded. Each datagram first reaches the server from the
 * address of its owner, and is then replayed from forged addresses.
 */
final class ReplayedOpeners implements AttackTraffic {

    private static final int RECORDED = 256;
    private static final int PAYLOAD_BYTES = 64;

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
    public void send() throws IOException {
        ByteBuf opener = recorded.get(next % RECORDED);
        Source source = next < RECORDED ? owners.get(next % owners.size()) : spoofed.get(next % spoofed.size());
        next++;
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
