package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Writes each message of a player to its channel at the scheduled time, after {@link #begin} has been called. */
final class MessageSender extends ChannelInboundHandlerAdapter {

    private final DelayRecorder recorder;
    private final DemoTraffic traffic;
    private final Consumer<Throwable> onFailure;
    private long startNanos;
    private int next;
    private volatile long longestStallNanos;

    MessageSender(DelayRecorder recorder, Consumer<Throwable> onFailure) {
        this.recorder = recorder;
        this.traffic = recorder.traffic();
        this.onFailure = onFailure;
    }

    /**
     * Starts sending messages when {@link System#nanoTime} reaches {@code atNanos}. The channel must be active. May be called from any
     * thread.
     */
    void begin(Channel channel, long atNanos) {
        recorder.begin(atNanos);
        channel.eventLoop().execute(() -> {
            startNanos = atNanos;
            sendWhatIsDue(channel.pipeline().context(this));
        });
    }

    /** Returns the longest time, in milliseconds, from the scheduled time of a message to its write. May be called from any thread. */
    long longestStallMs() {
        return TimeUnit.NANOSECONDS.toMillis(longestStallNanos);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        onFailure.accept(cause);
    }

    private void sendWhatIsDue(ChannelHandlerContext context) {
        if (!context.channel().isActive()) {
            return;
        }
        longestStallNanos = Math.max(longestStallNanos, -nanosUntilNext());
        while (next < traffic.messages() && nanosUntilNext() <= 0) {
            context.write(message(context)).addListener(this::onWritten);
            next++;
        }
        context.flush();
        if (next < traffic.messages()) {
            context.executor().schedule(() -> sendWhatIsDue(context), nanosUntilNext(), TimeUnit.NANOSECONDS);
        }
    }

    private long nanosUntilNext() {
        return startNanos + traffic.plannedNanos(next) - System.nanoTime();
    }

    private ByteBuf message(ChannelHandlerContext context) {
        ByteBuf bytes = context.alloc().directBuffer(traffic.messageBytes());
        long position = (long) next * traffic.messageBytes();
        for (int i = 0; i < traffic.messageBytes(); i++) {
            bytes.writeByte(DemoTraffic.byteAt(position + i));
        }
        return bytes;
    }

    private void onWritten(Future<? super Void> written) {
        if (!written.isSuccess()) {
            onFailure.accept(written.cause());
        }
    }
}
