package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
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
final class SmuxMultiplexer implements FrameListener, SmuxContext.Owner {

    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(SmuxMultiplexer.class);
    private static final long MAX_STREAM_ID = 0xffff_ffffL;
    /** Maximum number of streams accepted in one event-loop iteration, so that other channels are not delayed for long. */
    static final int MAX_ACCEPTED_PER_ITERATION = 32;
    private static final int FIRST_CLIENT_ID = 3;
    private static final int FIRST_SERVER_ID = 2;

    private final ChannelHandlerContext context;
    private final Channel parent;
    private final SmuxSettings settings;
    private final StreamTable<DefaultSmuxStreamChannel> streams = new StreamTable<>();
    private final SmuxContext link;
    private final SmuxCounters counters;
    private final FrameScheduler scheduler;
    private final FrameParser parser;
    private final ReadSuppression reading;
    private final KeepAlive keepAlive;
    private final Deque<ByteBuf> unparsed = new ArrayDeque<>();
    private long nextId;
    /** Number of streams opened by the peer that are open, or closed but have not sent their FIN yet. */
    private int peerStreams;
    private int acceptsLeft = MAX_ACCEPTED_PER_ITERATION;
    private final Runnable resume = this::resume;
    private boolean parsing;
    private boolean resumeScheduled;
    /** Whether the bytes that were received before the session closed are being parsed. */
    private boolean draining;

    SmuxMultiplexer(ChannelHandlerContext context, SmuxSettings settings) {
        this.context = context;
        this.settings = settings;
        parent = context.channel();
        link = new SmuxContext(context, settings, this, streams);
        counters = link.counters();
        scheduler = link.scheduler();
        parser = new FrameParser(settings.version(), this);
        reading = new ReadSuppression(context);
        keepAlive = new KeepAlive(link);
        nextId = settings.isClient() ? FIRST_CLIENT_ID : FIRST_SERVER_ID;
    }

    SmuxContext link() {
        return link;
    }

    Channel parent() {
        return parent;
    }

    SmuxStats stats() {
        return link.stats();
    }

    // ---- events of the parent channel

    void onActive() {
        keepAlive.start();
    }

    /** Parses a received buffer, which is <b>taken</b>. */
    void onRead(ByteBuf bytes) {
        if (link.isClosed()) {
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
        link.endBatch();
        scheduler.runNow();
    }

    void onWritabilityChanged() {
        scheduler.schedule();
    }

    /** Returns {@code true} if a read of the parent channel may proceed now. */
    boolean mayRead() {
        return reading.mayRead();
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
        if (link.isClosed()) {
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

    @Override
    public void received() {
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
        if (!link.isClosed()) {
            parse();
            link.endBatch();
            scheduler.runNow();
        }
    }

    // ---- received frames

    @Override
    public boolean isPaused() {
        return !draining && (link.isClosed() || !parent.isOpen() || acceptsLeft == 0 || link.isReceiveBufferFull());
    }

    @Override
    public void onFrame() {
        counters.framesReceived++;
        keepAlive.onActivity();
    }

    @Override
    public void onSyn(int streamId) throws SmuxException {
        if (link.isClosed()) {
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
        DefaultSmuxStreamChannel stream = new DefaultSmuxStreamChannel(link, streamId, false);
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
        if (link.isClosed() || !parent.isActive()) {
            promise.tryFailure(link.isClosed() || !parent.isOpen() ? link.closedException(null) : new NotYetConnectedException());
            return;
        }
        if (nextId > MAX_STREAM_ID) {
            promise.tryFailure(new SmuxException(SmuxError.STREAM_IDS_EXHAUSTED, parent.toString()));
            return;
        }
        if (!promise.setUncancellable()) {
            return;
        }
        DefaultSmuxStreamChannel stream = new DefaultSmuxStreamChannel(link, (int) nextId, true);
        nextId += 2;
        counters.onOpened();
        streams.put(stream.id32(), stream);
        scheduler.addControl(stream);
        Throwable failure = start(stream, handler, options, attributes);
        if (failure == null && stream.isOpen()) {
            promise.trySuccess(stream);
        } else {
            promise.tryFailure(failure == null ? link.closedException(null) : failure);
        }
    }

    /** Sets the id of the next stream that this side opens. */
    void setNextId(long id) {
        nextId = id;
    }

    @Override
    public void closed(AbstractSmuxStream stream) {
        streams.remove(stream.id32(), stream);
    }

    @Override
    public void ended(AbstractSmuxStream stream) {
        if (!stream.isOpenedHere()) {
            peerStreams--;
        }
    }

    @Override
    public void failed(SmuxException cause) {
        if (cause.error() == SmuxError.PARENT_CLOSED) {
            close(cause);
        } else {
            fail(cause);
        }
    }

    /**
     * Closes all streams and the parent channel because of an error. Only a failure on this side is fired through the pipeline of the
     * parent channel, because errors of many peers would fill the log.
     */
    void fail(SmuxException cause) {
        if (!link.isClosed()) {
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
        return link.closeCause();
    }

    /** Closes all streams with the given cause, after delivering the data that has already been received. */
    void close(SmuxException cause) {
        if (link.isClosed()) {
            return;
        }
        link.close(cause);
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
}
