package io.kcp.examples.arena.room;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaMessage;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A player that a test controls message by message. Received messages are queued. */
final class TestPlayer implements AutoCloseable {

    static final Token TOKEN = new Token(1, 2);
    private final BlockingQueue<ServerMessage> messages = new LinkedBlockingQueue<>();
    private final KcpChannel session;

    TestPlayer(EventLoopGroup group, InetSocketAddress gateway) {
        session = new KcpBootstrap().group(group).config(KcpConfig.fast3()).fec(FecConfig.of(new FecShape(2, 1)))
            .crypto(CryptoConfig.kcptun("aes-128-gcm", "arena-example")).handler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel channel) {
                    channel.pipeline().addLast(new Listener());
                }
            }).connect(gateway).syncUninterruptibly().channel();
    }

    private final class Listener extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            listen((ByteBuf) message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
            if (event instanceof KcpOobMessage message) {
                listen(message.content());
            }
        }

        private void listen(ByteBuf bytes) throws Exception {
            try {
                messages.add((ServerMessage) ArenaCodec.decode(bytes));
            } finally {
                bytes.release();
            }
        }
    }

    TestPlayer say(ArenaMessage message) {
        return sayBytes(ArenaCodec.encode(message));
    }

    TestPlayer sayBytes(byte... bytes) {
        session.writeAndFlush(Unpooled.wrappedBuffer(bytes));
        return this;
    }

    TestPlayer sayOutOfBand(ArenaMessage message) {
        session.sendOob(Unpooled.wrappedBuffer(ArenaCodec.encode(message)));
        return this;
    }

    /** Starts or stops reading. */
    void setReading(boolean reading) {
        session.config().setAutoRead(reading);
    }

    TestPlayer join(String room, String name) {
        return say(new ClientMessage.Join(room, name, TOKEN, 1, false, RoomPosition.START, 1));
    }

    /** Waits for the next message of a type and drops all before it. */
    <T extends ServerMessage> T await(Class<T> type) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (;;) {
            ServerMessage message = messages.poll(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (message == null) {
                throw new AssertionError("no " + type.getSimpleName() + " within 10 s");
            }
            if (type.isInstance(message)) {
                return type.cast(message);
            }
        }
    }

    /** Closes the socket without a message, as a crash does. */
    void crash() {
        session.datagramChannel().close().syncUninterruptibly();
    }

    @Override
    public void close() {
        crash();
    }
}
