package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Manages the streams of one parent channel. Passes received frames to their streams, accepts and opens streams, and stops reading from
 * the parent channel while the bytes that its streams have queued reach the limit {@code receiveBufferBytes}. Except for
 * {@link #closeCause()}, it is called only on the event loop of the parent channel.
 */
final class SmuxSession implements FrameListener {

    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(SmuxSession.class);
    private static final long MAX_STREAM_ID = 0xffff_ffffL;
    /** Maximum number of streams accepted in one event-loop iteration, so that other channels are not delayed for long. */
    static final int MAX_ACCEPTED_PER_ITERATION = 32;
    private static final int FIRST_CLIENT_ID = 3;
    private static final int FIRST_SERVER_ID = 2;

    private final ChannelHandlerContext context;
    private final Channel parent;
    private final SmuxSettings settings;
    private final SmuxCounters counters;
    private final StreamTable streams = new StreamTable();
    private final OutboundLimit outboundLimit;
    private final FrameParser parser;
    private final FrameScheduler scheduler = new FrameScheduler(this);
    private final FrameContent frameContent = new FrameContent();
    private final ReadSuppression reading;
    private final KeepAlive keepAlive;
    private final StreamQueue batch = new StreamQueue.Reading();
    private final Deque<ByteBuf> unparsed = new ArrayDeque<>();
    private final ChannelFutureListener controlWrite = written -> {
        if (!written.isSuccess()) {
            onWriteFailed(written.cause());
        }
    };
    private @Nullable FrameWrite freeWrites;
    private long nextId;
    /** Number of streams opened by the peer that are open, or closed but have not sent their FIN yet. */
    private int peerStreams;
    private long queuedBytes;
    private int acceptsLeft = MAX_ACCEPTED_PER_ITERATION;
    private final Runnable resume = this::resume;
    private boolean parsing;
    private boolean resumeScheduled;
    private boolean closed;
    /** Whether the bytes that were received before the session closed are being parsed. */
    private boolean draining;
    private volatile @Nullable SmuxException closeCause;

    SmuxSession(ChannelHandlerContext context, SmuxSettings settings) {
        this.context = context;
        this.settings = settings;
        parent = context.channel();
        counters = new SmuxCounters(settings.totals());
        outboundLimit = new OutboundLimit(streams, settings.writeBufferWaterMark());
        parser = new FrameParser(settings.version(), this);
        reading = new ReadSuppression(context);
        keepAlive = new KeepAlive(this);
        nextId = settings.isClient() ? FIRST_CLIENT_ID : FIRST_SERVER_ID;
    }

    // ---- access for the parts of the session

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

    FrameContent frameContent() {
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

    boolean isClosed() {
        return closed;
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

    FrameWrite frameWrite(DefaultSmuxStreamChannel stream, int bytes) {
        FrameWrite write = freeWrites;
        if (write == null) {
            write = new FrameWrite(this);
        } else {
            freeWrites = write.nextFree;
        }
        write.begin(stream, bytes);
        return write;
    }

    void recycle(FrameWrite write) {
        write.nextFree = freeWrites;
        freeWrites = write;
    }

    ChannelFutureListener controlWrite() {
        return controlWrite;
    }

    // ---- events of the parent channel

    void onActive() {
        keepAlive.start();
    }

    /** Parses a received buffer, which is <b>taken</b>. */
    void onRead(ByteBuf bytes) {
        if (closed) {
            bytes.release();
            return;
        }
        unparsed.add(bytes);
        parse();
    }

    /** Closes the parent channel after its peer has ended the output, because no further frames can arrive. */
    void onInputShutdown() {
        close(new SmuxException(SmuxError.PARENT_CLOSED, parent.toString()));
        context.close();
    }

    void onReadComplete() {
        if (parsing) {
            return;
        }
        if (!resumeScheduled) {
            acceptsLeft = MAX_ACCEPTED_PER_ITERATION;
        }
        endBatch();
        scheduler.runNow();
    }

    void onWritabilityChanged() {
        scheduler.schedule();
    }

    /** Returns {@code true} if a read of the parent channel may proceed now. */
    boolean mayRead() {
        return reading.mayRead();
    }

    private void endBatch() {
        for (DefaultSmuxStreamChannel stream = batch.poll(); stream != null; stream = batch.poll()) {
            stream.input().endBatch();
        }
    }

    void addToBatch(DefaultSmuxStreamChannel stream) {
        batch.add(stream);
    }

    private void parse() {
        if (parsing) {
            return;
        }
        parsing = true;
        try {
            for (ByteBuf next = unparsed.peek(); next != null && !isPaused(); next = unparsed.peek()) {
                parser.parse(next);
                if (!next.isReadable()) {
                    unparsed.remove().release();
                }
            }
        } catch (SmuxException invalid) {
            fail(invalid);
        } catch (RuntimeException | OutOfMemoryError failure) {
            fail(new SmuxException(SmuxError.FAILED, parent.toString(), failure));
        } finally {
            parsing = false;
        }
        if (closed) {
            releaseUnparsed();
        } else {
            reading.suppress(isPaused() || !unparsed.isEmpty());
            if (acceptsLeft == 0) {
                scheduleResume();
            }
        }
    }

    private void releaseUnparsed() {
        for (ByteBuf next = unparsed.poll(); next != null; next = unparsed.poll()) {
            next.release();
        }
    }

    // ---- receive buffer

    void takeFromBucket(int bytes) {
        queuedBytes += bytes;
    }

    void returnToBucket(int bytes) {
        queuedBytes -= bytes;
        if (reading.isSuppressed() && !isPaused()) {
            scheduleResume();
        }
    }

    /** Continues in a task or, if this iteration has accepted its streams, after the event loop has polled its sockets. */
    private void scheduleResume() {
        if (resumeScheduled) {
            return;
        }
        try {
            if (acceptsLeft == 0) {
                parent.eventLoop().schedule(resume, 1, TimeUnit.NANOSECONDS);
            } else {
                parent.eventLoop().execute(resume);
            }
            resumeScheduled = true;
        } catch (RejectedExecutionException terminated) {
            // The event loop has terminated, and the parent channel is closed.
        }
    }

    private void resume() {
        resumeScheduled = false;
        acceptsLeft = MAX_ACCEPTED_PER_ITERATION;
        if (!closed) {
            parse();
            endBatch();
            scheduler.runNow();
        }
    }

    /** Returns {@code true} if the receive buffer is full. */
    boolean isReceiveBufferFull() {
        return queuedBytes >= settings.receiveBufferBytes();
    }

    // ---- received frames

    @Override
    public boolean isPaused() {
        return !draining && (closed || !parent.isOpen() || acceptsLeft == 0 || isReceiveBufferFull());
    }

    @Override
    public void onFrame() {
        counters.framesReceived++;
        keepAlive.onActivity();
    }

    @Override
    public void onSyn(int streamId) throws SmuxException {
        if (closed) {
            // Ignores the frame, because a closed session cannot send the data of a new stream.
            return;
        }
        if (isOwnId(streamId)) {
            throw new SmuxException(SmuxError.INVALID_STREAM_ID, "stream " + Integer.toUnsignedString(streamId));
        }
        if (streams.get(streamId) != null) {
            counters.ignored++;
            return;
        }
        ChannelHandler handler = settings.childHandler();
        if (handler == null || peerStreams >= settings.maxStreams()) {
            counters.onRefused();
            if (!scheduler.addRefusal(streamId)) {
                throw new SmuxException(SmuxError.TOO_MANY_REFUSALS, "stream " + Integer.toUnsignedString(streamId)
                    + " (streams of the peer: " + peerStreams + ", limit: " + settings.maxStreams() + ")");
            }
            return;
        }
        DefaultSmuxStreamChannel stream = new DefaultSmuxStreamChannel(this, streamId, false);
        counters.onAccepted();
        acceptsLeft--;
        peerStreams++;
        streams.put(streamId, stream);
        start(stream, handler, settings.childOptions(), settings.childAttributes());
    }

    private boolean isOwnId(int streamId) {
        return (streamId & 1) == (settings.isClient() ? 1 : 0);
    }

    /** Configures and registers a stream, and returns the failure that prevented it or null. */
    private @Nullable Throwable start(DefaultSmuxStreamChannel stream, ChannelHandler handler, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes) {
        try {
            SmuxStreamConfig.configure(stream, options, attributes);
            stream.pipeline().addLast(handler);
            return parent.eventLoop().register(stream).cause();
        } catch (RuntimeException failure) {
            LOG.debug("{}: cannot start {}", parent, stream, failure);
            stream.unsafe().closeForcibly();
            return failure;
        }
    }

    @Override
    public void onFin(int streamId) {
        DefaultSmuxStreamChannel stream = streams.get(streamId);
        if (stream == null) {
            counters.dropped++;
        } else {
            stream.input().onFin();
        }
    }

    @Override
    public void onPayload(int streamId, ByteBuf input, int bytes) throws SmuxException {
        counters.bytesReceived += bytes;
        keepAlive.onActivity();
        DefaultSmuxStreamChannel stream = streams.get(streamId);
        if (stream == null) {
            counters.dropped++;
        } else {
            stream.input().onPayload(input, bytes);
        }
    }

    @Override
    public void onEmptyPayload() {
        counters.ignored++;
    }

    @Override
    public void onUpdate(int streamId, int consumed, int window) {
        DefaultSmuxStreamChannel stream = streams.get(streamId);
        if (stream == null) {
            counters.dropped++;
            return;
        }
        SmuxException invalid = stream.output().onUpdate(consumed, window);
        if (invalid != null) {
            stream.fail(invalid, true);
        }
    }

    // ---- opening and closing of streams

    /** Opens a stream and completes the promise when it is registered. */
    void open(ChannelHandler handler, Map<ChannelOption<?>, Object> options, Map<AttributeKey<?>, Object> attributes,
        Promise<SmuxStreamChannel> promise) {
        if (closed || !parent.isActive()) {
            promise.tryFailure(closed || !parent.isOpen() ? closedException(null) : new NotYetConnectedException());
            return;
        }
        if (nextId > MAX_STREAM_ID) {
            promise.tryFailure(new SmuxException(SmuxError.STREAM_IDS_EXHAUSTED, parent.toString()));
            return;
        }
        if (!promise.setUncancellable()) {
            return;
        }
        DefaultSmuxStreamChannel stream = new DefaultSmuxStreamChannel(this, (int) nextId, true);
        nextId += 2;
        counters.onOpened();
        streams.put(stream.id32(), stream);
        scheduler.addControl(stream);
        Throwable failure = start(stream, handler, options, attributes);
        if (failure == null && stream.isOpen()) {
            promise.trySuccess(stream);
        } else {
            promise.tryFailure(failure == null ? closedException(null) : failure);
        }
    }

    /** Sets the id of the next stream that this side opens. */
    void setNextId(long id) {
        nextId = id;
    }

    /** Removes a stream that has closed, and sends a FIN frame if the peer needs one. */
    void onStreamClosed(DefaultSmuxStreamChannel stream, boolean owesFin) {
        streams.remove(stream.id32(), stream);
        if (owesFin && !closed) {
            scheduler.addControl(stream);
        } else {
            onStreamEnded(stream);
        }
    }

    /** Stops counting a closed stream towards {@code maxStreams} after its FIN frame was sent or became unnecessary. */
    void onStreamEnded(DefaultSmuxStreamChannel stream) {
        scheduler.onStreamEnded(stream);
        if (!stream.isOpenedHere()) {
            peerStreams--;
        }
    }

    void onWriteFailed(@Nullable Throwable cause) {
        if (parent.isOpen()) {
            fail(new SmuxException(SmuxError.WRITE_FAILED, parent.toString(), cause));
        } else {
            // A channel fails its queued writes before it notifies the pipeline that it was closed.
            close(new SmuxException(SmuxError.PARENT_CLOSED, parent.toString(), cause));
        }
    }

    /**
     * Closes all streams and the parent channel because of an error. Only a failure on this side is fired through the pipeline of the
     * parent channel, because errors of many peers would fill the log.
     */
    void fail(SmuxException cause) {
        if (!closed) {
            LOG.debug("{}: closing, {}", parent, cause.getMessage());
            close(cause);
            if (cause.error() == SmuxError.FAILED) {
                context.fireExceptionCaught(cause);
            }
            context.close();
        }
    }

    /** Returns why the session was closed, or null while it is open. Any thread may call it. */
    @Nullable SmuxException closeCause() {
        return closeCause;
    }

    /** Closes all streams with the given cause, after delivering the data that has already been received. */
    void close(SmuxException cause) {
        if (closed) {
            return;
        }
        closed = true;
        closeCause = cause;
        keepAlive.stop();
        drain();
        for (DefaultSmuxStreamChannel stream : streams.snapshot()) {
            stream.fail(cause, stream.output().hasFlushed());
        }
        reading.suppress(false);
    }

    /**
     * Parses the bytes that were stored while the receive buffer was full, and fires all queued data through the pipelines of the
     * streams, even if no read is pending. The data would otherwise be lost, although the peer has sent it before the end of the
     * connection.
     */
    private void drain() {
        if (!parsing) {
            draining = true;
            parse();
            draining = false;
        }
        for (DefaultSmuxStreamChannel stream : streams.snapshot()) {
            stream.input().endBatch();
            stream.input().deliver();
        }
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
