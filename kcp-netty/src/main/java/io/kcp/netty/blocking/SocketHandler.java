package io.kcp.netty.blocking;

import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.StringUtil;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Transfers bytes between the pipeline of a channel and the buffers of its socket. This handler is the last one of the pipeline. All
 * callbacks run on the event loop.
 */
final class SocketHandler extends ChannelDuplexHandler implements ChannelFutureListener {

    /** Maximum time for which {@code close()} waits for written data, on channels that do not have a linger time. */
    private static final int CLOSE_TIMEOUT_MS = 5_000;

    private final Channel channel;
    private final LoopStaging batch = new LoopStaging();
    private final ReceiveHandoff received;
    private final SendHandoff sent;
    private @Nullable ChannelHandlerContext context;
    private Queue<ByteBuf> spare = new ArrayDeque<>();
    private boolean writing;
    private boolean drainsAgain;
    private int incompleteWrites;
    private @Nullable ChannelPromise closePromise;
    /** The failure of the first write that failed. */
    private volatile @Nullable Throwable writeFailure;
    private boolean endsOutput;
    private boolean wakesReader;
    private final Runnable wakeReader = this::wakeReader;

    SocketHandler(Channel channel) {
        this.channel = channel;
        Runnable resume = this::resume;
        Runnable drain = this::drain;
        Runnable releaseIdleMemory = batch::releaseIdleMemory;
        received = new ReceiveHandoff(() -> execute(resume), () -> execute(releaseIdleMemory));
        sent = new SendHandoff(channel.alloc(), () -> execute(drain));
        received.setChannel(channel);
        sent.setChannel(channel);
    }

    Channel channel() {
        return channel;
    }

    ReceiveHandoff received() {
        return received;
    }

    SendHandoff sent() {
        return sent;
    }

    /** Runs a task on the event loop. Any thread may call it. */
    private void execute(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException terminated) {
            fail(terminated);
        }
    }

    /** Shuts down the output after all written data. Any thread may call this method. */
    void shutdownOutput() {
        sent.end();
        execute(() -> {
            endsOutput = true;
            writeQueued();
            endOutputIfWritten();
        });
    }

    // ---- opening and closing

    /**
     * Closes the socket if the pipeline was destroyed before it called {@link #handlerAdded}. Netty then calls neither that method nor
     * {@link #handlerRemoved}. Must be called after the handler was passed to the pipeline; any thread may call this method.
     */
    void closeUnlessAdded() {
        execute(() -> {
            if (context == null) {
                onClosed();
            }
        });
    }

    @Override
    public boolean isSharable() {
        return false;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        if (channel instanceof KcpChannel) {
            // Selects stream mode, in which bytes of different writes may share a segment, because a stream has no message boundaries.
            channel.config().setOption(KcpChannelOption.MODE, KcpTransferMode.STREAM);
        } else if (channel instanceof DuplexChannel duplex) {
            channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            if (duplex.isInputShutdown() && channel.isOpen()) {
                received.end();
            }
        }
        if (!channel.isOpen()) {
            onClosed();
            return;
        }
        channel.config().setAutoRead(true);
        if (sent.isScheduled()) {
            drain();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        onClosed();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        onClosed();
        inactive.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        closeBecause(cause);
    }

    /** Closes the channel because of a failure. */
    void closeBecause(Throwable cause) {
        batch.moveTo(received);
        fail(cause);
        if (!(channel instanceof KcpChannel session)) {
            channel.close();
        } else if (!(cause instanceof KcpCloseException)) {
            session.closeBecause(cause);
        }
    }

    private void fail(Throwable cause) {
        // The send buffer goes first, so that a thread whose read has failed cannot write any more.
        sent.fail(cause);
        if (channel instanceof KcpChannel && cause instanceof KcpCloseException closed && closed.reason() == KcpCloseReason.PEER_CLOSED) {
            received.end();
        }
        received.fail(cause);
    }

    private void onClosed() {
        batch.moveTo(received);
        Throwable cause = closeCause(channel);
        fail(cause != null ? cause : new ClosedChannelException());
        closeIfWritten();
    }

    /** Returns the failure that closed a channel, or null if there is none or the channel does not report it. */
    static @Nullable Throwable closeCause(Channel channel) {
        if (channel instanceof KcpChannel session) {
            return session.closeCause();
        }
        return channel instanceof SmuxStreamChannel stream ? stream.closeCause() : null;
    }

    private boolean lingers() {
        return channel instanceof KcpChannel || channel instanceof SmuxStreamChannel;
    }

    @Override
    public void close(ChannelHandlerContext closing, ChannelPromise promise) {
        writeQueued();
        if (lingers() || incompleteWrites == 0 || closePromise != null) {
            closing.close(promise);
            return;
        }
        // Delays the close until all data is written, because closing a TCP channel would discard data that its kernel buffer has not
        // accepted yet.
        closePromise = promise;
        closing.executor().schedule(this::closeAfterTimeout, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private void closeAfterTimeout() {
        if (closePromise != null && incompleteWrites > 0) {
            // Netty completes the promise of the close before those of the writes that it cancels.
            onWriteFailed(new SocketTimeoutException("The data was not sent within " + CLOSE_TIMEOUT_MS + " ms"));
        }
        closeNow();
    }

    private void onWriteFailed(Throwable cause) {
        if (writeFailure == null) {
            writeFailure = cause;
        }
    }

    /** Returns the failure of the first write that failed, or null. Any thread may call this method. */
    @Nullable Throwable writeFailure() {
        return writeFailure;
    }

    private void closeIfWritten() {
        if (incompleteWrites == 0) {
            closeNow();
        }
    }

    private void closeNow() {
        ChannelPromise promise = closePromise;
        closePromise = null;
        ChannelHandlerContext closing = context;
        if (promise != null && closing != null) {
            closing.close(promise);
        }
    }

    // ---- reading

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        try {
            if (!(message instanceof ByteBuf bytes)) {
                closeBecause(new IllegalStateException(
                    "unsupported message type: " + StringUtil.simpleClassName(message) + " (expected: ByteBuf)"));
            } else if (batch.add(bytes, received)) {
                pauseIfFull();
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void pauseIfFull() {
        if (received.isPaused()) {
            channel.config().setAutoRead(false);
        }
    }

    private void resume() {
        // The rest of a read batch may have filled the buffer again before this task runs.
        if (!received.isPaused()) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        if (!wakesReader) {
            // Wakes the thread once per event-loop iteration, which may complete several reads.
            wakesReader = true;
            execute(wakeReader);
        }
        reading.fireChannelReadComplete();
    }

    private void wakeReader() {
        wakesReader = false;
        batch.moveTo(received);
        pauseIfFull();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        if (InputEnd.isEnd(event)) {
            batch.moveTo(received);
            received.end();
        }
        triggered.fireUserEventTriggered(event);
    }

    // ---- writing

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (sent.isScheduled()) {
            drain();
        }
        changed.fireChannelWritabilityChanged();
    }

    /** Writes and flushes all queued buffers if the channel is writable. Otherwise it is called again when the channel is writable. */
    private void drain() {
        if (writing) {
            drainsAgain = true;
        } else if (channel.isWritable()) {
            writeQueued();
        }
    }

    private void writeQueued() {
        ChannelHandlerContext target = context;
        if (writing || target == null || target.isRemoved()) {
            return;
        }
        Queue<ByteBuf> buffers = sent.take(spare);
        boolean any = false;
        writing = true;
        for (ByteBuf buffer = buffers.poll(); buffer != null; buffer = buffers.poll()) {
            incompleteWrites++;
            target.write(buffer).addListener(this);
            any = true;
        }
        writing = false;
        spare = buffers;
        if (any) {
            target.flush();
        }
        if (drainsAgain) {
            drainsAgain = false;
            drain();
        }
    }

    @Override
    public void operationComplete(ChannelFuture written) {
        incompleteWrites--;
        Throwable cause = written.cause();
        if (cause != null) {
            onWriteFailed(cause);
        }
        if (cause != null && channel.isActive() && closePromise == null) {
            closeBecause(cause);
        }
        endOutputIfWritten();
        closeIfWritten();
    }

    private void endOutputIfWritten() {
        if (endsOutput && incompleteWrites == 0 && channel instanceof DuplexChannel duplex && channel.isActive()) {
            endsOutput = false;
            duplex.shutdownOutput();
        }
    }
}
