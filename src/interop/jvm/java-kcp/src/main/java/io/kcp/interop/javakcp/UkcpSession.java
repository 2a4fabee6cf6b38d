package io.kcp.interop.javakcp;

import io.kcp.bench.rig.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.locks.LockSupport;
import kcp.Ukcp;

/** A session of java-Kcp. Because java-Kcp does not report writability, a separate thread per writing session polls every 0.1 ms. */
final class UkcpSession implements Session {

    private static final long LOOK_NS = 100_000;

    private final Ukcp ukcp;
    private volatile boolean closing;

    UkcpSession(Ukcp ukcp) {
        this.ukcp = ukcp;
    }

    @Override
    public ByteBufAllocator alloc() {
        return PooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void write(ByteBuf message) {
        boolean written = ukcp.write(message);
        message.release();
        if (!written) {
            throw new IllegalStateException("java-Kcp rejected a message because its send queue is full");
        }
    }

    @Override
    public void flush() {
        // Does nothing, because java-Kcp sends written messages without an explicit flush.
    }

    @Override
    public void feed(Source source) {
        Thread feeder = new Thread(() -> {
            while (!closing) {
                ByteBuf next = source.next();
                if (next == null) {
                    LockSupport.parkNanos(LOOK_NS);
                    continue;
                }
                while (!ukcp.write(next) && !closing) {
                    LockSupport.parkNanos(LOOK_NS);
                }
                next.release();
                source.flushed();
            }
        }, "feeder");
        feeder.setDaemon(true);
        feeder.start();
    }

    @Override
    public void resume() {
        // Does nothing, because the feeder thread keeps polling the source.
    }

    boolean closing() {
        return closing;
    }

    @Override
    public void close() {
        closing = true;
        ukcp.close();
    }
}
