package io.kcp.netty;

import io.kcp.testkit.LinkFate;
import io.kcp.testkit.PcapFile;
import io.kcp.testkit.SeededRun;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the times, addresses, sizes and fates of all datagrams of a run, and writes the datagrams to the capture file of the run. The hash
 * does not contain the content of the datagrams, because nonces and timestamp bases are random.
 */
final class DatagramTrace {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final @Nullable PcapFile capture;
    private long hash;

    DatagramTrace(@Nullable SeededRun run) {
        capture = run == null ? null : run.newCapture();
    }

    long hash() {
        return hash;
    }

    void add(int host, ByteBuf sent, LinkFate fate, long nowUs) {
        AddressedDatagram datagram = AddressedDatagram.read(sent.duplicate());
        add(nowUs);
        add(((long) host * LinkFate.values().length + fate.ordinal() << Integer.SIZE) + datagram.content().readableBytes());
        add((long) datagram.from().getPort() << Integer.SIZE | datagram.to().getPort());
        if (capture != null) {
            capture.write(nowUs, datagram.from(), datagram.to(), datagram.content(), fate);
        }
    }

    private void add(long value) {
        hash = (hash ^ value) * GOLDEN;
        hash ^= hash >>> 29;
    }
}
