package io.kcp.examples;

import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.SessionOptions;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sends every received message back to its sender. This is the smallest useful server. */
@Command(name = "echo-server", description = "Echoes received messages.")
public final class EchoServer implements Callable<Integer> {

    @Mixin
    private final SessionOptions options = new SessionOptions(KcpTransferMode.MESSAGE, 128);

    @Mixin
    private final TlsOptions tls = new TlsOptions();

    /** Creates the command before picocli sets its options. */
    public EchoServer() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        Launcher.main(new EchoServer(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        EventLoopGroup group = options.newEventLoops();
        try {
            Channel server = listen(options.newServer(group), tls, options.host(), options.port());
            System.out.println("Listening on " + server.localAddress() + ". Press Ctrl-C to stop.");
            server.closeFuture().sync();
            return 0;
        } finally {
            group.shutdownGracefully();
        }
    }

    static Channel listen(KcpServerBootstrap server, TlsOptions tls, String host, int port) throws InterruptedException, SSLException {
        return server.childHandler(tls.beforeServer(new Echo())).bind(host, port).sync().channel();
    }

    static Channel listen(KcpServerBootstrap server, String host, int port) throws InterruptedException, SSLException {
        return listen(server, new TlsOptions(), host, port);
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            // Applies back-pressure by not reading from the session while the session is not writable.
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            System.out.println(cause.getMessage());
            context.close();
        }
    }
}
