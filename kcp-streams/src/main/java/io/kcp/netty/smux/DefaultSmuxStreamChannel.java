package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
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
 * Implements a smux stream as a Netty channel. {@link StreamReceiver} is its receiving half and {@link StreamSender} its sending half. This
 * class implements registration, control frames, half-close and close.
 */
final class DefaultSmuxStreamChannel extends AbstractSmuxStream {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final int WRITABLE_NOT_CLOSING = 30;

    private enum State { NEW, ACTIVE, CLOSED }

    private final SmuxContext link;
    private final SmuxStreamConfig config;
    private final StreamReceiver input;
    private final StreamSender output;
    private final DueFrames control;
    private volatile State state = State.NEW;
    /** Whether this side has requested the end of its output, after which writes are refused. */
    private volatile boolean outputEnding;
    private volatile boolean outputShutdown;
    private @Nullable ChannelPromise outputPromise;
    private boolean lingering;
    private @Nullable Future<?> lingerTimeout;
    private volatile @Nullable SmuxException closeCause;

    DefaultSmuxStreamChannel(SmuxContext link, int id, boolean openedHere) {
        super(link.parent(), id, openedHere);
        this.link = link;
        config = new SmuxStreamConfig(this);
        config.setAllocator(link.parent().alloc());
        input = new StreamReceiver(this, link);
        output = new StreamSender(this, link);
        control = new DueFrames(this, input, output, link);
    }

    // ---- public API

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

    StreamReceiver input() {
        return input;
    }

    StreamSender output() {
        return output;
    }

    @Override
    boolean isEnded() {
        return control.isEnded();
    }

    @Override
    int writeControl(ByteBuf out) {
        return control.write(out);
    }

    @Override
    int writeData(ChannelHandlerContext parent) {
        return control.isSynDue() ? 0 : output.writeFrame(parent);
    }

    @Override
    void onFrameWritten(int bytes) {
        output.onFrameWritten(bytes);
    }

    @Override
    void endBatch() {
        input.endBatch();
    }

    @Override
    boolean isReading() {
        return state == State.ACTIVE && !lingering;
    }

    @Override
    void onInputEnd() {
        if (!isActive() || lingering) {
            return;
        }
        if (config.isAllowHalfClosure()) {
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
            closeIfShutdown();
        } else if (!link.isClosed() || !output.hasFlushed()) {
            unsafe().close(voidPromise());
        }
        // Otherwise the session fails the stream next, with the cause of the loss of the flushed data.
    }

    @Override
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

    @Override
    void clearReadPending() {
        if (eventLoop().inEventLoop()) {
            input.setReadPending(false);
        } else {
            link.execute(() -> {
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
            promise.tryFailure(link.closedException(closeCause));
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
        return state == State.ACTIVE && closeCause == null && link.settings().lingerMs() > 0 && output.hasFlushed()
            && !link.isClosed() && link.parent().isActive() && !eventLoop().isShuttingDown();
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
        }, link.settings().lingerMs(), TimeUnit.MILLISECONDS);
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
        return state == State.NEW && loop == link.parent().eventLoop();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (link.isClosed() || state != State.NEW) {
            promise.setFailure(new ClosedChannelException());
        } else {
            state = State.ACTIVE;
            promise.setSuccess();
        }
    }

    @Override
    protected SocketAddress localAddress0() {
        return link.parent().localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return link.parent().remoteAddress();
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
        link.counters().onClosed(closeCause);
        link.onStreamClosed(this, control.onClosed());
        if (shutdown != null) {
            shutdown.tryFailure(link.closedException(closeCause));
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
        if (lingering || closeCause != null || link.isClosed()) {
            throw link.closedException(closeCause);
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
        link.scheduler().addReady(this);
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
                close(voidPromise(), cause, link.closedException(cause));
            }
        }
    }
}
