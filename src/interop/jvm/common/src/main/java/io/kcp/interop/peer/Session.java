package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** One session at either end. All methods may be called from any thread. */
public interface Session {

    ByteBufAllocator alloc();

    /** Returns the thread on which writes cost least, null if they cost the same on any. */
    default ScheduledExecutorService loop() {
        return null;
    }

    /** Writes a message, taking the buffer. It need not leave before {@link #flush()}. */
    void write(ByteBuf message);

    void flush();

    /**
     * Writes what the source returns whenever there is room, from a thread of the session. Where the source returns null it is asked
     * again after {@link #resume()}.
     */
    void feed(Supplier<ByteBuf> source);

    void resume();

    void close();
}
