package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client that sends and receives UTF-8 texts. */
final class TestClient implements AutoCloseable {

    static final long PATIENCE_S = 30;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> receivedOob = new LinkedBlockingQueue<>();
    private final KcpChannel session;

    TestClient(int port) {
        session = new KcpBootstrap().group(group).option(KcpChannelOption.LINGER_MS, 500)
            .fec(FecConfig.of(new FecShape(2, 1))).handler(new Collector())
            .connect(InetAddress.getLoopbackAddress().getHostAddress(), port).syncUninterruptibly().channel();
    }

    KcpChannel session() {
        return session;
    }

    void send(String message) {
        session.writeAndFlush(Unpooled.copiedBuffer(message, StandardCharsets.UTF_8));
    }

    void sendOob(String message) {
        session.sendOob(Unpooled.copiedBuffer(message, StandardCharsets.UTF_8));
    }

    String receive() throws InterruptedException {
        return some(received);
    }

    String receiveOob() throws InterruptedException {
        return some(receivedOob);
    }

    /** Returns the received messages that {@link #receive()} has not returned. */
    BlockingQueue<String> received() {
        return received;
    }

    private static String some(BlockingQueue<String> queue) throws InterruptedException {
        String message = queue.poll(PATIENCE_S, TimeUnit.SECONDS);
        assertThat(message).as("a message within %s s", PATIENCE_S).isNotNull();
        return message;
    }

    @Override
    public void close() {
        session.close().awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS);
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS);
    }

    private final class Collector extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            received.add(buffer.toString(StandardCharsets.UTF_8));
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof KcpOobMessage message) {
                receivedOob.add(message.content().toString(StandardCharsets.UTF_8));
                message.release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Tests check the close cause.
        }
    }
}
