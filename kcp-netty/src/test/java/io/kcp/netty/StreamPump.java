package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Writes a number of random bytes as fast as writability allows and reads as many. Computes a digest of each direction. */
final class StreamPump extends ChannelInboundHandlerAdapter {

    private static final int CHUNK_BYTES = 16 << 10;

    private final SplittableRandom random;
    private final MessageDigest sent = sha256();
    private final MessageDigest received = sha256();
    private final CompletableFuture<String> sentDigest = new CompletableFuture<>();
    private final CompletableFuture<String> receivedDigest = new CompletableFuture<>();
    private long leftToSend;
    private long leftToReceive;

    StreamPump(long seed, long bytes) {
        this(seed, bytes, bytes);
    }

    StreamPump(long seed, long bytesToSend, long bytesToReceive) {
        random = new SplittableRandom(seed);
        leftToSend = bytesToSend;
        leftToReceive = bytesToReceive;
    }

    CompletableFuture<String> sentDigest() {
        return sentDigest;
    }

    CompletableFuture<String> receivedDigest() {
        return receivedDigest;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        pump(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        pump(ctx);
    }

    private void pump(ChannelHandlerContext ctx) {
        while (leftToSend > 0 && ctx.channel().isWritable()) {
            byte[] chunk = new byte[(int) Math.min(leftToSend, CHUNK_BYTES)];
            random.nextBytes(chunk);
            sent.update(chunk);
            leftToSend -= chunk.length;
            ctx.writeAndFlush(ctx.alloc().buffer(chunk.length).writeBytes(chunk), ctx.voidPromise());
        }
        if (leftToSend == 0 && !sentDigest.isDone()) {
            sentDigest.complete(HexFormat.of().formatHex(sent.digest()));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        leftToReceive -= buffer.readableBytes();
        received.update(buffer.nioBuffer());
        buffer.release();
        if (leftToReceive <= 0) {
            receivedDigest.complete(leftToReceive == 0 ? HexFormat.of().formatHex(received.digest()) : "too much");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        sentDigest.completeExceptionally(cause);
        receivedDigest.completeExceptionally(cause);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException every) {
            throw new AssertionError(every);
        }
    }
}
