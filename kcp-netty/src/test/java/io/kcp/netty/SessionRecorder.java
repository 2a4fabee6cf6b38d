package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Records the events of a session's pipeline, with messages as text. Tests can add their own actions. */
public class SessionRecorder extends ChannelInboundHandlerAdapter {

    private final List<String> messages = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<Throwable> exceptions = new ArrayList<>();
    private Consumer<ChannelHandlerContext> onActive = ctx -> {
    };
    private BiConsumer<ChannelHandlerContext, String> onRead = (ctx, message) -> {
    };
    private Consumer<ChannelHandlerContext> onReadComplete = ctx -> {
    };
    private BiConsumer<ChannelHandlerContext, Throwable> onException = (ctx, cause) -> {
    };
    private final List<String> oobMessages = new ArrayList<>();
    private int readCompletes;
    private KcpChannel session;

    SessionRecorder onActive(Consumer<ChannelHandlerContext> action) {
        onActive = action;
        return this;
    }

    public SessionRecorder onRead(BiConsumer<ChannelHandlerContext, String> action) {
        onRead = action;
        return this;
    }

    SessionRecorder onReadComplete(Consumer<ChannelHandlerContext> action) {
        onReadComplete = action;
        return this;
    }

    public SessionRecorder onException(BiConsumer<ChannelHandlerContext, Throwable> action) {
        onException = action;
        return this;
    }

    public KcpChannel session() {
        return session;
    }

    public List<String> messages() {
        return messages;
    }

    /** Returns the names of the events so far: active, inactive, unregistered, writable, unwritable, closed. */
    List<String> events() {
        return events;
    }

    public List<Throwable> exceptions() {
        return exceptions;
    }

    /** Returns the payloads of the out-of-band messages, as text. */
    List<String> oobMessages() {
        return oobMessages;
    }

    int readCompletes() {
        return readCompletes;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        session = (KcpChannel) ctx.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        events.add("active");
        onActive.accept(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        events.add("inactive");
        ctx.fireChannelInactive();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
        events.add("unregistered");
        ctx.fireChannelUnregistered();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        String text = buffer.toString(StandardCharsets.ISO_8859_1);
        buffer.release();
        messages.add(text);
        onRead.accept(ctx, text);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        readCompletes++;
        onReadComplete.accept(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        events.add(ctx.channel().isWritable() ? "writable" : "unwritable");
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof KcpOobMessage oob) {
            oobMessages.add(oob.content().toString(StandardCharsets.ISO_8859_1));
            oob.release();
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        exceptions.add(cause);
        onException.accept(ctx, cause);
    }
}
