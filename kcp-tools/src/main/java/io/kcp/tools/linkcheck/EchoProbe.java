package io.kcp.tools.linkcheck;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends small messages at a constant rate to a server that echoes them, and later as much data as the session accepts. The echo is read as
 * a stream of bytes, because the server may split or combine messages. Except for the futures, all members belong to the event loop.
 */
final class EchoProbe extends SimpleChannelInboundHandler<ByteBuf> {

    static final int MESSAGE_BYTES = 64;
    private static final int BULK_WRITE_BYTES = 16_384;
    private static final int DIGITS = 3;

    private final CompletableFuture<Void> firstEcho = new CompletableFuture<>();
    private final CompletableFuture<Void> allEchoed = new CompletableFuture<>();
    private final Histogram echoMicros = new Histogram(DIGITS);
    private final long[] sentNanos;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ScheduledFuture<?> timer;
    private int messagesSent;
    private int messagesEchoed;
    private long receivedBytes;
    private boolean stopped;
    private boolean measuring = true;
    private boolean bulk;

    /** Creates a probe that sends one message to find the server, and later at most the given number of messages. */
    EchoProbe(int maxMessages) {
        sentNanos = new long[maxMessages + 1];
    }

    /** Returns a future that succeeds when the first message has been echoed. It fails if the session fails earlier. */
    CompletableFuture<Void> firstEcho() {
        return firstEcho;
    }

    /**
     * Returns a future that succeeds when all messages have been echoed after {@link #stopMessages}. It fails if the session fails, even
     * later.
     */
    CompletableFuture<Void> allEchoed() {
        return allEchoed;
    }

    @Override
    public void channelActive(ChannelHandlerContext activeContext) {
        context = activeContext;
        sendMessage();
    }

    /** Sends one message per interval. Messages that a busy computer has delayed are skipped, because they would be sent together. */
    void startMessages(long intervalMicros) {
        timer = context().executor().scheduleWithFixedDelay(this::sendMessage, 0, intervalMicros, TimeUnit.MICROSECONDS);
    }

    /** Sends no more messages. */
    void stopMessages() {
        stopped = true;
        Objects.requireNonNull(timer).cancel(false);
        completeIfAllEchoed();
    }

    /** Ends the measurement of echo times. A message that has not been echoed yet counts with the time that it has waited so far. */
    void endMessages() {
        long nanos = System.nanoTime();
        for (int i = Math.max(messagesEchoed, 1); i < messagesSent; i++) {
            echoMicros.recordValue((nanos - sentNanos[i]) / 1_000);
        }
        measuring = false;
    }

    /** Sends data as fast as the session accepts it. */
    void startBulk() {
        bulk = true;
        fill(context());
    }

    private void sendMessage() {
        if (messagesSent == sentNanos.length) {
            return;
        }
        ByteBuf message = context().alloc().directBuffer(MESSAGE_BYTES);
        for (long position = (long) messagesSent * MESSAGE_BYTES; message.readableBytes() < MESSAGE_BYTES; position++) {
            message.writeByte(content(position));
        }
        sentNanos[messagesSent++] = System.nanoTime();
        context().writeAndFlush(message);
    }

    private void fill(ChannelHandlerContext writable) {
        while (bulk && writable.channel().isWritable()) {
            writable.writeAndFlush(writable.alloc().directBuffer(BULK_WRITE_BYTES).writeZero(BULK_WRITE_BYTES));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        fill(changed);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext reader, ByteBuf echo) {
        long messageBytes = bulk ? (long) messagesSent * MESSAGE_BYTES : Long.MAX_VALUE;
        for (int i = echo.readerIndex(); i < echo.writerIndex() && receivedBytes + i - echo.readerIndex() < messageBytes; i++) {
            long position = receivedBytes + i - echo.readerIndex();
            if (position >= (long) messagesSent * MESSAGE_BYTES || echo.getByte(i) != content(position)) {
                fail(new IOException("the server sent data that this program has not sent, so it is not an echo server"));
                return;
            }
        }
        receivedBytes += echo.readableBytes();
        long nanos = System.nanoTime();
        while (messagesEchoed < messagesSent && receivedBytes >= (messagesEchoed + 1L) * MESSAGE_BYTES) {
            onEchoed(nanos);
        }
    }

    private void onEchoed(long nanos) {
        if (messagesEchoed == 0) {
            firstEcho.complete(null);
        } else if (measuring) {
            echoMicros.recordValue((nanos - sentNanos[messagesEchoed]) / 1_000);
        }
        messagesEchoed++;
        completeIfAllEchoed();
    }

    private void completeIfAllEchoed() {
        if (stopped && messagesEchoed == messagesSent) {
            allEchoed.complete(null);
        }
    }

    /** Returns the byte at a position of the stream of all messages. */
    private static byte content(long position) {
        return (byte) (position * 31 + (position >>> Byte.SIZE) * 7);
    }

    /** Returns the number of bytes that the server has returned. */
    long receivedBytes() {
        return receivedBytes;
    }

    /** Returns the time until the echo of a message was delivered at a percentile, in milliseconds. */
    double echoMs(double percentile) {
        return echoMicros.getValueAtPercentile(percentile) / 1e3;
    }

    @Override
    public void channelInactive(ChannelHandlerContext closed) {
        fail(new IOException("the session was closed"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        fail(cause);
    }

    private void fail(Throwable cause) {
        bulk = false;
        firstEcho.completeExceptionally(cause);
        if (!allEchoed.completeExceptionally(cause)) {
            allEchoed.obtrudeException(cause);
        }
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the session is active");
    }
}
