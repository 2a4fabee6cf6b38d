package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Passes the messages that a session receives to the test thread, as text. */
public final class MessageCollector extends SimpleChannelInboundHandler<ByteBuf> {

    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final BlockingQueue<Throwable> exceptions = new LinkedBlockingQueue<>();

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
        messages.add(message.toString(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        exceptions.add(cause);
    }

    BlockingQueue<Throwable> exceptions() {
        return exceptions;
    }

    int waiting() {
        return messages.size();
    }

    /** Waits for the next message and returns it. */
    public String next() throws InterruptedException {
        String message = messages.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("no message after " + Loopback.PATIENCE_S + " s; exceptions: " + exceptions);
        }
        return message;
    }

    List<String> next(int count) throws InterruptedException {
        List<String> result = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            result.add(next());
        }
        return result;
    }
}
