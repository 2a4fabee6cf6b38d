package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** A session of a client or a server. Any thread may call any method. */
public interface Session {

    ByteBufAllocator alloc();

    /** Returns the event loop on which writes cost least, or null if writes cost the same on every thread. */
    default ScheduledExecutorService loop() {
        return null;
    }

    /** Writes a message and takes ownership of the buffer. The message may be queued until {@link #flush()}. */
    void write(ByteBuf message);

    void flush();

    /**
     * Writes buffers from {@code source} on a thread of the session whenever the session is writable. If the source returns null, it is not
     * called again until {@link #resume()} is called.
     */
    void feed(Supplier<ByteBuf> source);

    void resume();

    void close();
}
