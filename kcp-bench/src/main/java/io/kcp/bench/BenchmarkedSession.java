package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpOutput;
import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * One side of a session, without the layers below it. Outbound datagrams are discarded and reuse one buffer. Nothing is allocated after
 * construction.
 */
abstract class BenchmarkedSession implements KcpOutput, AutoCloseable {

    static final int CONV = 1;
    private static final int OUTBOUND_BYTES = 2_048;

    final Kcp kcp;
    /** Next inbound datagram. Subclasses write segments to it and then call {@link #input}. */
    final ByteBuf inbound;
    private final ByteBuf outbound = ByteBufAllocator.DEFAULT.directBuffer(OUTBOUND_BYTES);

    BenchmarkedSession(KcpConfig config, int inboundBytes) {
        kcp = new Kcp(CONV, config, this, ByteBufAllocator.DEFAULT, 0, 0);
        inbound = ByteBufAllocator.DEFAULT.directBuffer(inboundBytes);
    }

    /** Returns the settings of all benchmarks of the protocol core, with the given send and receive window. */
    static KcpConfigBuilder config(int windowSegments) {
        return KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(windowSegments);
    }

    /** Passes the inbound datagram to the session and clears its buffer. */
    final void input(int nowMs) {
        InputResult result = kcp.input(inbound, false, nowMs);
        inbound.clear();
        if (result != InputResult.ACCEPTED) {
            throw new IllegalStateException("a datagram was not accepted: " + result);
        }
    }

    @Override
    public int overheadBytes() {
        return 0;
    }

    @Override
    public ByteBuf allocate(int datagramBytes) {
        return outbound.retain().clear();
    }

    @Override
    public void write(ByteBuf written) {
        written.release();
    }

    @Override
    public void close() {
        kcp.release();
        inbound.release();
        outbound.release();
    }
}
