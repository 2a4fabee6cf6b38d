package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Base class of streams, with what the queues, the {@link FrameScheduler} and the halves of a stream need to know of it. There is only one
 * subclass, so that the JIT compiler can inline calls of the abstract methods.
 */
abstract class AbstractSmuxStream extends AbstractChannel implements SmuxStreamChannel {

    private static final long UNSIGNED = 0xffff_ffffL;
    /** The user-defined writability index of the {@link OutboundLimit}. */
    private static final int WRITABLE_SESSION = 29;

    /** The next stream in each kind of {@link StreamQueue}, or null. */
    @Nullable AbstractSmuxStream nextControl;
    @Nullable AbstractSmuxStream nextReady;
    @Nullable AbstractSmuxStream nextReading;
    private final int id;
    private final boolean openedHere;
    /** The number of bytes in the outbound buffer when they were last reported to the {@link OutboundLimit}. */
    private long pendingBytes;
    /** {@code true} if the {@link OutboundLimit} has made the stream unwritable. */
    private boolean suspended;

    /**
     * Creates a stream that is not registered.
     *
     * @param openedHere {@code true} if this side opens the stream
     */
    AbstractSmuxStream(Channel parent, int id, boolean openedHere) {
        super(parent);
        this.id = id;
        this.openedHere = openedHere;
    }

    @Override
    public final long streamId() {
        return id & UNSIGNED;
    }

    @Override
    public final EventLoop eventLoop() {
        return parent().eventLoop();
    }

    @Override
    public final String toString() {
        return "SmuxStreamChannel(" + streamId() + " of " + parent() + ')';
    }

    final int id32() {
        return id;
    }

    final boolean isOpenedHere() {
        return openedHere;
    }

    /** Returns {@code true} if received data may be fired through the pipeline, that is, if the stream is active and not closing. */
    abstract boolean isReading();

    /** Returns {@code true} if the stream is closed and the peer needs no FIN frame any more. */
    abstract boolean isEnded();

    /** Appends all due control frames to a <b>borrowed</b> buffer, and returns their number. */
    abstract int writeControl(ByteBuf out);

    /** Writes the next data frame to the parent channel, without a flush, and returns its size, or 0 if there is none. */
    abstract int writeData(ChannelHandlerContext parent);

    /** Handles the end of the input, which the peer has announced with a FIN frame. */
    abstract void onInputEnd();

    /** Continues a pending half-close or close after the parent channel has written data of this stream. */
    abstract void onWritten();

    /** Completes the writes whose bytes the parent channel has written. */
    abstract void onFrameWritten(int bytes);

    /** Fires {@code channelReadComplete} if it is due. */
    abstract void endBatch();

    /** Forgets pending reads, because auto-read was disabled. Any thread may call it. */
    abstract void clearReadPending();

    // ---- limit of the session on outbound bytes

    final long pendingBytes() {
        return pendingBytes;
    }

    final void setPendingBytes(long bytes) {
        pendingBytes = bytes;
    }

    final boolean isSuspended() {
        return suspended;
    }

    final void setSuspended(boolean unwritable) {
        suspended = unwritable;
        ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
        if (buffer != null) {
            // Fires channelWritabilityChanged in a later task.
            buffer.setUserDefinedWritability(WRITABLE_SESSION, !unwritable);
        }
    }
}
