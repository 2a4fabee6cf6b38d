package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.function.Consumer;

/** Verifies every received byte and records the delivery time of each message. */
final class MessageReceiver extends SimpleChannelInboundHandler<ByteBuf> {

    private final DelayRecorder recorder;
    private final Consumer<Throwable> onFailure;
    private long position;

    MessageReceiver(DelayRecorder recorder, Consumer<Throwable> onFailure) {
        this.recorder = recorder;
        this.onFailure = onFailure;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) throws IOException {
        long nowNanos = System.nanoTime();
        int length = bytes.readableBytes();
        for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
            if (bytes.getByte(i) != DemoTraffic.byteAt(position++)) {
                throw new IOException("byte " + (position - 1) + " was corrupted in transit; please report this");
            }
        }
        recorder.onDelivered(length, nowNanos);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        onFailure.accept(cause);
    }
}
