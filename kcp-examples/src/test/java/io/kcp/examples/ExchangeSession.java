package io.kcp.examples;

import io.kcp.netty.KcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** This library's side of an exchange. Sends bytes that are generated from a seed while it receives bytes of another seed. */
final class ExchangeSession extends ChannelInboundHandlerAdapter {

    private final long bytesToSend;
    private final long bytesToReceive;
    private final int writeBytes;
    private final int intervalMs;
    private final SplittableRandom content;
    private final MessageDigest sentDigest = sha256();
    private final MessageDigest receivedDigest = sha256();
    private long word;
    private int wordBytes;
    private long sent;
    private long received;

    /** Completes when all bytes have been received and all sent bytes have been acknowledged. */
    final CompletableFuture<Void> done = new CompletableFuture<>();
    private boolean allAcknowledged;

    /** Creates a session that sends and receives the same number of bytes. */
    ExchangeSession(long seed, long bytes, int writeBytes) {
        this(seed, bytes, bytes, writeBytes);
    }

    ExchangeSession(long seed, long bytesToSend, long bytesToReceive, int writeBytes) {
        this(seed, bytesToSend, bytesToReceive, writeBytes, 0);
    }

    /** Creates a session that writes once per interval, or as fast as the channel accepts data if the interval is 0. */
    ExchangeSession(long seed, long bytesToSend, long bytesToReceive, int writeBytes, int intervalMs) {
        this.intervalMs = intervalMs;
        this.bytesToSend = bytesToSend;
        this.bytesToReceive = bytesToReceive;
        this.writeBytes = writeBytes;
        content = new SplittableRandom(seed);
    }

    String sentSha256() {
        return HexFormat.of().formatHex(sentDigest.digest());
    }

    String receivedSha256() {
        return HexFormat.of().formatHex(receivedDigest.digest());
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        send(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (intervalMs == 0) {
            send(ctx);
        }
    }

    private void send(ChannelHandlerContext ctx) {
        while (sent < bytesToSend && ctx.channel().isWritable()) {
            int count = (int) Math.min(writeBytes, bytesToSend - sent);
            ByteBuf chunk = ctx.alloc().buffer(count);
            for (int i = 0; i < count; i++) {
                chunk.writeByte(nextByte());
            }
            sentDigest.update(chunk.nioBuffer());
            sent += count;
            ctx.write(chunk).addListener(written -> {
                if (!written.isSuccess()) {
                    done.completeExceptionally(written.cause());
                }
            });
            if (sent == bytesToSend) {
                ((KcpChannel) ctx.channel()).acknowledged().addListener(acknowledged -> {
                    allAcknowledged = acknowledged.isSuccess();
                    complete();
                });
            } else if (intervalMs > 0) {
                ctx.executor().schedule(() -> send(ctx), intervalMs, TimeUnit.MILLISECONDS);
                break;
            }
        }
        ctx.flush();
    }

    private byte nextByte() {
        if (wordBytes == 0) {
            word = content.nextLong();
            wordBytes = Long.BYTES;
        }
        byte next = (byte) word;
        word >>>= Byte.SIZE;
        wordBytes--;
        return next;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf data = (ByteBuf) message;
        received += data.readableBytes();
        receivedDigest.update(data.nioBuffer());
        data.release();
        complete();
    }

    private void complete() {
        if (received >= bytesToReceive && allAcknowledged) {
            done.complete(null);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        done.completeExceptionally(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        done.completeExceptionally(new IllegalStateException("closed after " + received + " bytes received"));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
