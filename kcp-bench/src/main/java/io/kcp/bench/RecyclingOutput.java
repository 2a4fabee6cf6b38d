package io.kcp.bench;

import io.kcp.core.KcpOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Writes every datagram into the same buffer and counts them: what a flush costs without the layers below. */
final class RecyclingOutput implements KcpOutput, AutoCloseable {

    private static final int CAPACITY_BYTES = 2_048;

    private final ByteBuf datagram = ByteBufAllocator.DEFAULT.directBuffer(CAPACITY_BYTES);
    private long datagrams;

    long datagrams() {
        return datagrams;
    }

    @Override
    public int overheadBytes() {
        return 0;
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return datagram.retain().clear();
    }

    @Override
    public void write(ByteBuf written) {
        datagrams++;
        written.release();
    }

    @Override
    public void close() {
        datagram.release();
    }
}
