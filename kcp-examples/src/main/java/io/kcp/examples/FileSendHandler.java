package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Sends one file and waits for the receiver's reply. A disk thread, which may block, reads the file and pauses while the channel is not
 * writable, so that the event loop never blocks.
 */
final class FileSendHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private final Executor disk;
    private final OutgoingTransfer transfer;
    private final ByteBuf answer = Unpooled.buffer();
    private final CompletableFuture<TransferReply> reply = new CompletableFuture<>();

    /** Creates a handler that reads the file on {@code disk}, which must be single-threaded. */
    FileSendHandler(Executor disk, OutgoingTransfer transfer) {
        this.disk = disk;
        this.transfer = transfer;
    }

    /**
     * Returns a future that completes with the reply of the receiver. It fails if the session closes before a reply arrives or if the
     * file cannot be read.
     */
    CompletableFuture<TransferReply> reply() {
        return reply;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        disk.execute(() -> fill(context.channel()));
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            disk.execute(() -> fill(context.channel()));
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        answer.writeBytes(bytes);
        TransferReply received = TransferReply.decode(answer);
        if (received != null) {
            reply.complete(received);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        reply.completeExceptionally(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        reply.completeExceptionally(new IOException("the session was closed before the receiver replied"));
    }

    private void fill(Channel channel) {
        try {
            while (!reply.isDone() && !transfer.isOver() && channel.isWritable()) {
                channel.write(transfer.next(channel.alloc())).addListener(written -> {
                    if (!written.isSuccess()) {
                        reply.completeExceptionally(written.cause());
                    }
                });
            }
            channel.flush();
        } catch (IOException unreadable) {
            reply.completeExceptionally(unreadable);
        }
    }
}
