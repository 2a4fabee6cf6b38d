package io.kcp.spring;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A client on loopback that waits for echoed messages. */
public final class EchoClient implements AutoCloseable {

    private static final int TIMEOUT_S = 20;
    /** Linger time, which is short because the servers of some tests cannot acknowledge data. */
    private static final int LINGER_MS = 200;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, KcpTransport.NIO.ioHandlerFactory());
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final KcpChannel session;

    public EchoClient(int port) {
        this(port, UnaryOperator.identity());
    }

    public EchoClient(int port, UnaryOperator<KcpBootstrap> settings) {
        KcpBootstrap bootstrap = new KcpBootstrap().group(loops).config(KcpConfig.fast3()).option(KcpChannelOption.LINGER_MS, LINGER_MS)
            .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                    answers.add(message.toString(StandardCharsets.UTF_8));
                }
            });
        session = settings.apply(bootstrap).connect("127.0.0.1", port).syncUninterruptibly().channel();
    }

    public KcpChannel session() {
        return session;
    }

    public void send(String text) {
        session.writeAndFlush(session.alloc().buffer().writeBytes(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Sends a text and returns the next message. */
    public String ask(String text) throws InterruptedException {
        send(text);
        String answer = answer(TIMEOUT_S);
        if (answer == null) {
            throw new AssertionError("no response to \"" + text + "\" within " + TIMEOUT_S + " s");
        }
        return answer;
    }

    public @Nullable String answer(long seconds) throws InterruptedException {
        return answers.poll(seconds, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        session.close().awaitUninterruptibly(TIMEOUT_S, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(TIMEOUT_S, TimeUnit.SECONDS);
    }
}
