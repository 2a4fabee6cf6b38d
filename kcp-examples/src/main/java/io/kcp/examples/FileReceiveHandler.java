package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Receives one file. Passes the data of each read to a disk thread, which may block, and requests the next read after that data has
 * been written. Because of this, a slow disk closes the receive window that the sender sees, and the event loop never blocks. The
 * channel must have auto-read turned off.
 */
final class FileReceiveHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private final Executor disk;
    private final IncomingTransfer transfer;
    private final TransferListener listener;
    private List<ByteBuf> batch = new ArrayList<>();
    private String endedBecause = "the session ended";
    // Only the disk thread accesses the following two fields.
    private boolean begun;
    private boolean ended;

    /** Creates a handler that writes files and calls the listener on {@code disk}, which must be single-threaded. */
    FileReceiveHandler(Executor disk, Path directory, TransferListener listener) {
        this.disk = disk;
        this.listener = listener;
        transfer = new IncomingTransfer(directory);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.read();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        batch.add(bytes.retain());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        List<ByteBuf> read = batch;
        batch = new ArrayList<>();
        disk.execute(() -> store(context, read));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        String message = cause.getMessage();
        endedBecause = message != null ? message : cause.toString();
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        String because = endedBecause;
        disk.execute(() -> {
            if (!ended) {
                transfer.discard();
                end(new TransferReply(false, transfer.progress() + ", then: " + because));
            }
        });
    }

    private void store(ChannelHandlerContext context, List<ByteBuf> read) {
        try {
            for (ByteBuf bytes : read) {
                TransferReply reply = ended ? null : transfer.take(bytes);
                begin();
                if (reply != null) {
                    reply(context, reply);
                }
            }
        } finally {
            read.forEach(ByteBuf::release);
        }
        if (!ended) {
            context.read();
        }
    }

    private void begin() {
        TransferHeader header = transfer.header();
        if (!begun && header != null) {
            begun = true;
            listener.onBegin(header);
        }
    }

    private void reply(ChannelHandlerContext context, TransferReply reply) {
        // Deletes a partial file before replying, so that it no longer exists when the sender receives the reply.
        transfer.discard();
        context.writeAndFlush(reply.encode(context.alloc()));
        // close() waits until the sender has acknowledged the reply. A failed write is ignored, because it means that the sender is
        // unreachable.
        context.close();
        end(reply);
    }

    private void end(TransferReply outcome) {
        ended = true;
        listener.onEnd(outcome);
    }
}
