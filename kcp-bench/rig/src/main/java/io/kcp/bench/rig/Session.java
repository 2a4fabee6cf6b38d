package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A session of a client or a server. Any thread may call any method. */
public interface Session {

    /** Returns the allocator of buffers that are written to this session. */
    ByteBufAllocator alloc();

    /** Returns the event loop on which writes cost least, or null if writes cost the same on every thread. */
    default @Nullable ScheduledExecutorService loop() {
        return null;
    }

    /** Writes a message and takes the buffer. The message may be queued until {@link #flush()}. */
    void write(ByteBuf message);

    /** Sends the queued messages. */
    void flush();

    /**
     * Writes buffers of a source on a thread of the session whenever the session is writable. If the source returns null, it is not asked
     * again until {@link #resume()} is called.
     */
    void feed(Source source);

    /** Asks the source of {@link #feed} again. */
    void resume();

    /** Closes the session without reporting the close to the listener. */
    void close();

    /** Data that a session writes as fast as it can. Called on one thread at a time. */
    interface Source {

        /** Returns the next buffer, which the session takes, or null if there is none at present. */
        @Nullable ByteBuf next();

        /** Called after the session has flushed the buffers that it took. */
        void flushed();
    }
}
