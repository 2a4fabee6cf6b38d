package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.StringUtil;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Implements a smux stream as a Netty channel. {@link StreamInput} is its receiving half and {@link StreamOutput} its sending half. This
 * class implements registration, control frames, half-close and close.
 */
final class DefaultSmuxStreamChannel extends AbstractChannel implements SmuxStreamChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final int WRITABLE_NOT_CLOSING = 1;
    private static final long UNSIGNED = 0xffff_ffffL;

    private enum State { NEW, ACTIVE, CLOSED }

    /** The next stream in each kind of {@link StreamQueue}, or null. */
    @Nullable DefaultSmuxStreamChannel nextControl;
    @Nullable DefaultSmuxStreamChannel nextReady;
    @Nullable DefaultSmuxStreamChannel nextReading;
    private final SmuxSession session;
    private final int id;
    private final boolean openedHere;
    private final SmuxStreamConfig config;
    private final StreamInput input;
    private final StreamOutput output;
    private final StreamControl control;
    private volatile State state = State.NEW;
    /** Whether this side has requested the end of its output, after which writes are refused. */
    private volatile boolean outputEnding;
    private volatile boolean outputShutdown;
    private @Nullable ChannelPromise outputPromise;
    private boolean lingering;
    private @Nullable Future<?> lingerTimeout;
    private volatile @Nullable SmuxException closeCause;

    DefaultSmuxStreamChannel(SmuxSession session, int id, boolean openedHere) {
        super(session.parent());
        this.session = session;
        this.id = id;
        this.openedHere = openedHere;
        config = new SmuxStreamConfig(this);
        config.setAllocator(session.parent().alloc());
        input = new StreamInput(this, session);
        output = new StreamOutput(this, session);
        control = new StreamControl(this, session);
    }

    // ---- public API

    @Override
    public long streamId() {
        return id & UNSIGNED;
    }

    @Override
    public @Nullable Throwable closeCause() {
        return closeCause;
    }

    @Override
    public SmuxStreamConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return state != State.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state == State.ACTIVE;
    }

    @Override
    public EventLoop eventLoop() {
        return session.parent().eventLoop();
    }

    @Override
    public boolean isInputShutdown() {
        return input.isShutdown() || !isOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !isOpen();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return run(promise, () -> {
            if (!isActive()) {
                promise.tryFailure(new ClosedChannelException());
                return;
            }
            input.shutDown();
            promise.trySuccess();
            closeIfShutdown();
        });
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return run(promise, () -> endOutput(promise));
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownInput().addListener(ended -> {
            if (ended.isSuccess()) {
                shutdownOutput(promise);
            } else {
                promise.tryFailure(ended.cause());
            }
        });
        return promise;
    }

    @Override
    public String toString() {
        return "SmuxStreamChannel(" + streamId() + " of " + session.parent() + ')';
    }

    private ChannelFuture run(ChannelPromise promise, Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            try {
                loop.execute(task);
            } catch (RejectedExecutionException terminated) {
                promise.tryFailure(new ClosedChannelException());
            }
        }
        return promise;
    }

    // ---- calls from the session

    int id32() {
        return id;
    }

    boolean isOpenedHere() {
        return openedHere;
    }

    StreamInput input() {
        return input;
    }

    StreamOutput output() {
        return output;
    }

    StreamControl control() {
        return control;
    }

    /** Returns {@code true} if received data may be fired through the pipeline, that is, if the stream is active and not closing. */
    boolean isReading() {
        return state == State.ACTIVE && !lingering;
    }

    /** Handles the end of the input, which the peer has announced with a FIN frame. */
    void onInputEnd() {
        if (!isActive() || lingering) {
            return;
        }
        if (config.isAllowHalfClosure()) {
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
            closeIfShutdown();
        } else if (!session.isClosed() || !output.hasFlushed()) {
            unsafe().close(voidPromise());
        }
        // Otherwise the session fails the stream next, with the cause of the loss of the flushed data.
    }

    /** Continues a pending half-close or close after the parent channel has written data of this stream. */
    void onWritten() {
        if (!output.hasFlushed()) {
            if (outputPromise != null) {
                finishOutput();
            }
            if (lingering) {
                finishLinger();
            }
        }
    }

    /** Closes the stream because of an error, and fires the error through the pipeline if requested. */
    void fail(SmuxException cause, boolean notify) {
        if (state == State.CLOSED || closeCause != null) {
            return;
        }
        closeCause = cause;
        try {
            if (notify && state == State.ACTIVE) {
                pipeline().fireExceptionCaught(cause);
            }
        } finally {
            streamUnsafe().closeNow(cause);
        }
    }

    void clearReadPending() {
        if (eventLoop().inEventLoop()) {
            input.setReadPending(false);
        } else {
            session.execute(() -> {
                // Automatic reads may have been switched on again before this task.
                if (!config.isAutoRead()) {
                    input.setReadPending(false);
                }
            });
        }
    }

    // ---- half-close

    private void endOutput(ChannelPromise promise) {
        if (outputShutdown) {
            promise.trySuccess();
        } else if (!isActive() || lingering) {
            promise.tryFailure(session.closedException(closeCause));
        } else if (outputPromise != null) {
            ChannelPromise first = outputPromise;
            first.addListener(ended -> {
                if (ended.isSuccess()) {
                    promise.trySuccess();
                } else {
                    promise.tryFailure(ended.cause());
                }
            });
        } else if (promise.setUncancellable()) {
            outputEnding = true;
            outputPromise = promise;
            if (!output.hasFlushed()) {
                finishOutput();
            }
        }
    }

    private void finishOutput() {
        ChannelPromise promise = outputPromise;
        outputPromise = null;
        if (promise != null) {
            streamUnsafe().shutdownOutput(promise);
            closeIfShutdown();
        }
    }

    @Override
    protected void doShutdownOutput() {
        outputEnding = true;
        outputShutdown = true;
        output.release();
        control.sendFin();
    }

    private void closeIfShutdown() {
        if (isActive() && outputShutdown && input.isShutdown()) {
            unsafe().close(voidPromise());
        }
    }

    // ---- close

    private void closeForApplication(ChannelPromise promise) {
        if (lingering) {
            completeWhenClosed(promise);
        } else if (mayLinger()) {
            if (promise.setUncancellable()) {
                completeWhenClosed(promise);
                linger();
            }
        } else {
            SmuxException cause = closeCause;
            if (cause != null && isOpen()) {
                // fail() has set the cause, and a handler calls close() in exceptionCaught(). Fails the queued writes with that cause.
                streamUnsafe().closeNow(cause);
            }
            streamUnsafe().closeNow(promise);
        }
    }

    private boolean mayLinger() {
        return state == State.ACTIVE && closeCause == null && session.settings().lingerMs() > 0 && output.hasFlushed()
            && !session.isClosed() && session.parent().isActive() && !eventLoop().isShuttingDown();
    }

    private void completeWhenClosed(ChannelPromise promise) {
        if (!promise.isVoid()) {
            closeFuture().addListener(closed -> promise.trySuccess());
        }
    }

    private void linger() {
        lingering = true;
        outputEnding = true;
        lingerTimeout = eventLoop().schedule(() -> {
            if (lingering) {
                closeCause = new SmuxException(SmuxError.LINGER_EXPIRED, toString());
                finishLinger();
            }
        }, session.settings().lingerMs(), TimeUnit.MILLISECONDS);
        ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
        if (buffer != null) {
            buffer.setUserDefinedWritability(WRITABLE_NOT_CLOSING, false);
        }
        input.discard();
    }

    private void finishLinger() {
        SmuxException cause = closeCause;
        if (cause == null) {
            streamUnsafe().closeNow(voidPromise());
        } else {
            streamUnsafe().closeNow(cause);
        }
    }

    // ---- callbacks of Netty

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return state == State.NEW && loop == session.parent().eventLoop();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (session.isClosed() || state != State.NEW) {
            promise.setFailure(new ClosedChannelException());
        } else {
            state = State.ACTIVE;
            promise.setSuccess();
        }
    }

    @Override
    protected SocketAddress localAddress0() {
        return session.parent().localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return session.parent().remoteAddress();
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw new UnsupportedOperationException("Cannot bind a smux stream, which uses the local address of its parent channel");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        lingering = false;
        Future<?> timeout = lingerTimeout;
        if (timeout != null) {
            timeout.cancel(false);
        }
        ChannelPromise shutdown = outputPromise;
        outputPromise = null;
        input.release();
        output.release();
        session.counters().onClosed(closeCause);
        session.onStreamClosed(this, control.onClosed());
        if (shutdown != null) {
            shutdown.tryFailure(session.closedException(closeCause));
        }
    }

    @Override
    protected void doBeginRead() {
        input.setReadPending(true);
        input.deliver();
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (!(message instanceof ByteBuf buffer)) {
            throw new UnsupportedOperationException(
                "unsupported message type: " + StringUtil.simpleClassName(message) + " (expected: ByteBuf)");
        }
        if (state == State.NEW) {
            throw new NotYetConnectedException();
        }
        if (lingering || closeCause != null || session.isClosed()) {
            throw session.closedException(closeCause);
        }
        if (outputEnding) {
            throw new ChannelOutputShutdownException("The output of the stream was shut down");
        }
        output.reportPending(buffer.readableBytes());
        return buffer;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) {
        output.reportPending(0);
        session.scheduler().addReady(this);
    }

    private StreamUnsafe streamUnsafe() {
        return (StreamUnsafe) unsafe();
    }

    private final class StreamUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            safeSetFailure(promise, new AlreadyConnectedException());
        }

        @Override
        public void close(ChannelPromise promise) {
            closeForApplication(promise);
        }

        /** Closes the channel without waiting until flushed data has been sent. */
        void closeNow(ChannelPromise promise) {
            super.close(promise);
        }

        /** Closes the channel and fails all queued writes with the cause. */
        void closeNow(SmuxException cause) {
            if (config.isAutoClose()) {
                // Unlike close(), handleWriteError() also makes later writes fail with the cause.
                handleWriteError(cause);
            } else {
                close(voidPromise(), cause, session.closedException(cause));
            }
        }
    }
}
