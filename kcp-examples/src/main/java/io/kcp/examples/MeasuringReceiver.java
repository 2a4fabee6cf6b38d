package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;

/** Hashes what arrives and notes when. */
final class MeasuringReceiver extends SimpleChannelInboundHandler<ByteBuf> {

    private final DelayRecorder recorder;
    private final CompletableFuture<byte[]> done;
    private final MessageDigest digest = Sha256.newDigest();

    /** Completes {@code done} with the hash when all arrived. */
    MeasuringReceiver(DelayRecorder recorder, CompletableFuture<byte[]> done) {
        this.recorder = recorder;
        this.done = done;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        recorder.onDelivered(bytes.readableBytes());
        digest.update(bytes.nioBuffer());
        if (recorder.deliveredBytes() >= recorder.totalBytes()) {
            done.complete(digest.digest());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        done.completeExceptionally(cause);
    }
}
