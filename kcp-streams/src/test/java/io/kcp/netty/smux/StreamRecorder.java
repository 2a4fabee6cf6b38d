package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Records what a stream fires through its pipeline. */
class StreamRecorder extends ChannelInboundHandlerAdapter {

    final List<Object> events = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    final ByteArrayOutputStream received = new ByteArrayOutputStream();
    int reads;
    int readCompletes;
    int readsWhileInactive;
    int writabilityChanges;
    boolean active;
    boolean inactive;
    SmuxStreamChannel stream;
    BiConsumer<ChannelHandlerContext, ByteBuf> onRead = (context, data) -> { };
    Consumer<ChannelHandlerContext> onReadComplete = context -> { };
    Consumer<ChannelHandlerContext> onActive = context -> { };
    Consumer<ChannelHandlerContext> onException = context -> { };

    String text() {
        return received.toString(StandardCharsets.US_ASCII);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        stream = (SmuxStreamChannel) context.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        active = true;
        onActive.accept(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        inactive = true;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf data = (ByteBuf) message;
        try {
            reads++;
            if (inactive || !context.channel().isActive()) {
                readsWhileInactive++;
            }
            byte[] bytes = new byte[data.readableBytes()];
            data.getBytes(data.readerIndex(), bytes);
            received.writeBytes(bytes);
            onRead.accept(context, data);
        } finally {
            data.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        readCompletes++;
        onReadComplete.accept(context);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        events.add(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        writabilityChanges++;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.add(cause);
        onException.accept(context);
    }
}
