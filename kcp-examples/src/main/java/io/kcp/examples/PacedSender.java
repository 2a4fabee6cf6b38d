package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Writes a file to its channel in chunks, at an even rate, and no more than the channel takes. Reads the file on the event
 * loop: good enough for a demo whose file is in memory anyway, {@link FileSendHandler} does better.
 */
final class PacedSender extends ChannelInboundHandlerAdapter {

    private static final long TICK_NANOS = 1_000_000;

    private final FileChannel file;
    private final int chunkBytes;
    private final double bytesPerSecond;
    private final DelayRecorder recorder;
    private final CompletableFuture<byte[]> done;
    private final MessageDigest digest = Sha256.newDigest();
    private long startNanos;
    private long sent;
    private int chunk;
    private volatile byte[] sha256 = {};

    /** Fails {@code done} when something goes wrong. */
    PacedSender(FileChannel file, int chunkBytes, double bytesPerSecond, DelayRecorder recorder,
        CompletableFuture<byte[]> done) {
        this.file = file;
        this.chunkBytes = chunkBytes;
        this.bytesPerSecond = bytesPerSecond;
        this.recorder = recorder;
        this.done = done;
    }

    /** Hash of what was sent; when all was. */
    byte[] sha256() {
        return sha256.clone();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        startNanos = System.nanoTime();
        tick(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        done.completeExceptionally(cause);
    }

    private void tick(ChannelHandlerContext context) {
        if (!context.channel().isActive()) {
            return;
        }
        try {
            double allowed = (System.nanoTime() - startNanos) / 1e9 * bytesPerSecond;
            while (sent < recorder.totalBytes() && sent <= allowed && context.channel().isWritable()) {
                write(context);
            }
            context.flush();
            if (sent < recorder.totalBytes()) {
                context.executor().schedule(() -> tick(context), TICK_NANOS, TimeUnit.NANOSECONDS);
            } else {
                sha256 = digest.digest();
            }
        } catch (IOException unreadable) {
            done.completeExceptionally(unreadable);
        }
    }

    private void write(ChannelHandlerContext context) throws IOException {
        int length = (int) Math.min(chunkBytes, recorder.totalBytes() - sent);
        ByteBuf bytes = context.alloc().directBuffer(length);
        while (bytes.readableBytes() < length) {
            int missing = length - bytes.readableBytes();
            if (bytes.writeBytes(file, sent + bytes.readableBytes(), missing) < 0) {
                bytes.release();
                throw new EOFException("the file became shorter while it was read");
            }
        }
        digest.update(bytes.nioBuffer());
        sent += length;
        int index = chunk++;
        context.write(bytes).addListener(accepted -> {
            if (accepted.isSuccess()) {
                recorder.onAccepted(index);
            } else {
                done.completeExceptionally(accepted.cause());
            }
        });
    }
}
