package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** A session of a client or a server. Any thread may call any method. */
public interface Session {

    ByteBufAllocator alloc();

    /** Returns the event loop on which writes are cheapest, or null if all threads are equal. */
    default ScheduledExecutorService loop() {
        return null;
    }

    /** Writes a message and takes ownership of the buffer. The message may be queued until {@link #flush()}. */
    void write(ByteBuf message);

    void flush();

    /**
     * Writes buffers from {@code source} whenever the session is writable, on a thread of the session. After the source has returned
     * null, it is called again after {@link #resume()}.
     */
    void feed(Supplier<ByteBuf> source);

    void resume();

    void close();
}
