package io.kcp.netty.smux;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What the streams of one parent channel share: the channel, the settings, the counters, the scheduler of frames, and the limits on the
 * bytes that they store. Except for {@link #closeCause()}, it is used only on the event loop of the parent channel.
 */
final class SmuxContext {

    /** Learns of what the streams and the scheduler report. */
    public interface Owner {

        /** Closes the session because of an error. */
        void failed(SmuxException cause);

        /** Removes a stream that has closed. */
        void closed(AbstractSmuxStream stream);

        /** Stops counting a closed stream after its FIN frame was sent or became unnecessary. */
        void ended(AbstractSmuxStream stream);

        /** Continues reading after streams have delivered stored bytes. */
        void received();
    }

    private final ChannelHandlerContext context;
    private final Channel parent;
    private final SmuxSettings settings;
    private final Owner owner;
    private final SmuxCounters counters;
    private final StreamTable<? extends AbstractSmuxStream> streams;
    private final OutboundLimit outboundLimit;
    private final FrameScheduler scheduler = new FrameScheduler(this);
    private final NextPayload frameContent = new NextPayload();
    private final StreamQueue batch = new StreamQueue.Reading();
    private final ChannelFutureListener controlWrite = written -> {
        if (!written.isSuccess()) {
            onWriteFailed(written.cause());
        }
    };
    private @Nullable FrameWriteListener freeWrites;
    private long queuedBytes;
    private volatile @Nullable SmuxException closeCause;

    SmuxContext(ChannelHandlerContext context, SmuxSettings settings, Owner owner, StreamTable<? extends AbstractSmuxStream> streams) {
        this.context = context;
        this.settings = settings;
        this.owner = owner;
        this.streams = streams;
        parent = context.channel();
        counters = new SmuxCounters(settings.totals());
        outboundLimit = new OutboundLimit(streams, settings.writeBufferWaterMark());
    }

    SmuxSettings settings() {
        return settings;
    }

    boolean isV2() {
        return settings.version() == SmuxVersion.V2;
    }

    SmuxCounters counters() {
        return counters;
    }

    FrameScheduler scheduler() {
        return scheduler;
    }

    NextPayload frameContent() {
        return frameContent;
    }

    OutboundLimit outboundLimit() {
        return outboundLimit;
    }

    ChannelHandlerContext context() {
        return context;
    }

    Channel parent() {
        return parent;
    }

    boolean isParentWritable() {
        return parent.isWritable();
    }

    SmuxStats stats() {
        return counters.snapshot(streams.size(), queuedBytes);
    }

    void execute(Runnable task) {
        try {
            parent.eventLoop().execute(task);
        } catch (RejectedExecutionException terminated) {
            // Ignores the task, because the event loop has terminated and the parent channel is closed.
        }
    }

    // ---- written frames

    FrameWriteListener frameWrite(AbstractSmuxStream stream, int bytes) {
        FrameWriteListener write = freeWrites;
        if (write == null) {
            write = new FrameWriteListener(this);
        } else {
            freeWrites = write.nextFree;
        }
        write.begin(stream, bytes);
        return write;
    }

    void recycle(FrameWriteListener write) {
        write.nextFree = freeWrites;
        freeWrites = write;
    }

    ChannelFutureListener controlWrite() {
        return controlWrite;
    }

    void onWriteFailed(@Nullable Throwable cause) {
        // A channel fails its queued writes before it notifies the pipeline that it was closed.
        fail(new SmuxException(parent.isOpen() ? SmuxError.WRITE_FAILED : SmuxError.PARENT_CLOSED, parent.toString(), cause));
    }

    // ---- the read batch and the receive buffer

    void addToBatch(AbstractSmuxStream stream) {
        batch.add(stream);
    }

    void endBatch() {
        for (AbstractSmuxStream stream = batch.poll(); stream != null; stream = batch.poll()) {
            stream.endBatch();
        }
    }

    void takeFromBucket(int bytes) {
        queuedBytes += bytes;
    }

    void returnToBucket(int bytes) {
        queuedBytes -= bytes;
        owner.received();
    }

    /** Returns {@code true} if the receive buffer is full. */
    boolean isReceiveBufferFull() {
        return queuedBytes >= settings.receiveBufferBytes();
    }

    // ---- closing

    /** Removes a stream that has closed, and sends a FIN frame if the peer needs one. */
    void onStreamClosed(AbstractSmuxStream stream, boolean owesFin) {
        owner.closed(stream);
        if (owesFin && !isClosed()) {
            scheduler.addControl(stream);
        } else {
            onStreamEnded(stream);
        }
    }

    void onStreamEnded(AbstractSmuxStream stream) {
        scheduler.onStreamEnded(stream);
        owner.ended(stream);
    }

    void fail(SmuxException cause) {
        owner.failed(cause);
    }

    /** Sets the reason why the session is closed. */
    void close(SmuxException cause) {
        closeCause = cause;
    }

    boolean isClosed() {
        return closeCause != null;
    }

    /** Returns why the session was closed, or null while it is open. Any thread may call it. */
    @Nullable SmuxException closeCause() {
        return closeCause;
    }

    ClosedChannelException closedException(@Nullable Throwable cause) {
        ClosedChannelException exception = new ClosedChannelException();
        Throwable reason = cause == null ? closeCause : cause;
        if (reason != null) {
            exception.initCause(reason);
        }
        return exception;
    }
}
