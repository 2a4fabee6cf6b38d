package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Receives one file. Hands what one read brought to a thread that may wait for the disk, and reads on when that is done: a
 * slow disk closes the window shown to the sender, the event loop never waits. Expects a channel without auto-read.
 */
final class FileReceiveHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private final Executor disk;
    private final IncomingTransfer transfer;
    private final TransferListener listener;
    private List<ByteBuf> batch = new ArrayList<>();
    private String endedBecause = "the session ended";
    // Of the thread of the disk, from here on.
    private boolean begun;
    private boolean ended;

    /** Writes to the directory, and calls the listener, on {@code disk}: a single thread. */
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
        // Before the answer: who has it finds the directory in order.
        transfer.discard();
        context.writeAndFlush(reply.encode(context.alloc()));
        // Waits until the sender has the answer; there is nothing to do about it if it cannot be reached any more.
        context.close();
        end(reply);
    }

    private void end(TransferReply outcome) {
        ended = true;
        listener.onEnd(outcome);
    }
}
