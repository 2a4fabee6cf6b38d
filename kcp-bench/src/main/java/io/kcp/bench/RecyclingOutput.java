package io.kcp.bench;

import io.kcp.core.KcpOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Output that reuses one buffer for all datagrams, so that a benchmark measures a flush without the lower layers. */
final class RecyclingOutput implements KcpOutput, AutoCloseable {

    private static final int CAPACITY_BYTES = 2_048;

    private final ByteBuf datagram = ByteBufAllocator.DEFAULT.directBuffer(CAPACITY_BYTES);

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
        written.release();
    }

    @Override
    public void close() {
        datagram.release();
    }
}
