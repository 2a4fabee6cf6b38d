package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A {@link SmuxHandler} on an embedded channel with a simulated clock. Tests send it bytes and inspect the frames that it sends. Closing it
 * verifies that every buffer was released.
 */
final class SmuxEnd implements AutoCloseable {

    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    final EmbeddedChannel channel = new EmbeddedChannel();
    final SmuxHandler handler;
    final SmuxVersion version;
    final List<StreamRecorder> accepted = new ArrayList<>();
    int flushes;
    int readRequests;
    private final Blocker blocker = new Blocker();

    /** A handler between the network and the {@link SmuxHandler} that can stop flushes, as a peer that does not read does. */
    private final class Blocker extends ChannelDuplexHandler {

        private boolean blocked;

        @Override
        public void flush(ChannelHandlerContext context) {
            flushes++;
            if (!blocked) {
                context.flush();
            }
        }

        @Override
        public void read(ChannelHandlerContext context) {
            readRequests++;
            context.read();
        }
    }

    private SmuxEnd(SmuxHandlerBuilder builder, SmuxVersion version) {
        this.version = version;
        channel.config().setAllocator(allocator);
        channel.freezeTime();
        handler = builder.version(version).build();
        channel.pipeline().addLast(blocker, handler);
    }

    static SmuxEnd server(SmuxVersion version) {
        return server(version, builder -> builder, recorder -> { });
    }

    static SmuxEnd server(SmuxVersion version, UnaryOperator<SmuxHandlerBuilder> settings, Consumer<StreamRecorder> setup) {
        List<SmuxEnd> end = new ArrayList<>();
        end.add(new SmuxEnd(settings.apply(SmuxHandler.server().childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                StreamRecorder recorder = new StreamRecorder();
                setup.accept(recorder);
                end.get(0).accepted.add(recorder);
                stream.pipeline().addLast(recorder);
            }
        })), version));
        return end.get(0);
    }

    static SmuxEnd client(SmuxVersion version) {
        return client(version, builder -> builder);
    }

    static SmuxEnd client(SmuxVersion version, UnaryOperator<SmuxHandlerBuilder> settings) {
        return new SmuxEnd(settings.apply(SmuxHandler.client()), version);
    }

    /** Opens a stream. */
    SmuxStreamChannel open(StreamRecorder recorder) {
        Future<SmuxStreamChannel> opened = openLater(recorder);
        channel.runPendingTasks();
        assertThat(opened.cause()).isNull();
        return opened.getNow();
    }

    Future<SmuxStreamChannel> openLater(StreamRecorder recorder) {
        return new SmuxStreamChannelBootstrap(channel).handler(recorder).option(ChannelOption.ALLOW_HALF_CLOSURE, true).open();
    }

    ByteBuf buffer(byte[] bytes) {
        return allocator.buffer(Math.max(1, bytes.length)).writeBytes(bytes);
    }

    ByteBuf text(String text) {
        return buffer(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Passes bytes of the peer to the handler. */
    void receive(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        channel.writeInbound(buffer(all.toByteArray()));
        channel.runPendingTasks();
    }

    byte[] syn(int id) {
        return frame(WireFrame.SYN, id, new byte[0]);
    }

    byte[] fin(int id) {
        return frame(WireFrame.FIN, id, new byte[0]);
    }

    byte[] nop() {
        return frame(WireFrame.NOP, 0, new byte[0]);
    }

    byte[] psh(int id, String text) {
        return frame(WireFrame.PSH, id, text.getBytes(StandardCharsets.US_ASCII));
    }

    byte[] psh(int id, int bytes) {
        return frame(WireFrame.PSH, id, new byte[bytes]);
    }

    byte[] upd(int id, int consumed, int window) {
        byte[] payload = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putInt(consumed).putInt(window).array();
        return frame(WireFrame.UPD, id, payload);
    }

    private byte[] frame(int command, int id, byte[] payload) {
        return new WireFrame(version.number(), command, id, payload).bytes();
    }

    void block() {
        blocker.blocked = true;
    }

    void unblock() {
        blocker.blocked = false;
        channel.flush();
        channel.runPendingTasks();
    }

    /** Returns the bytes that the handler has sent since the last call. */
    byte[] sentBytes() {
        channel.runPendingTasks();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            byte[] bytes = new byte[next.readableBytes()];
            next.readBytes(bytes);
            next.release();
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    /** Returns the frames that the handler has sent since the last call. */
    List<WireFrame> sent() {
        return WireFrame.decode(sentBytes());
    }

    List<String> sentNames() {
        return sent().stream().map(WireFrame::toString).toList();
    }

    void advanceMs(long ms) {
        channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    SmuxStats stats() {
        return handler.collectStats().getNow();
    }

    long usedBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    @Override
    public void close() {
        unblock();
        channel.close();
        channel.runPendingTasks();
        sentBytes();
        channel.releaseInbound();
        assertThat(allocator.metric().usedDirectMemory()).as("direct bytes not released").isZero();
        assertThat(allocator.metric().usedHeapMemory()).as("heap bytes not released").isZero();
    }
}
