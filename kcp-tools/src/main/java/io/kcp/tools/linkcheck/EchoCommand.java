package io.kcp.tools.linkcheck;

import io.kcp.core.KcpTransferMode;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.SessionOptions;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The other end of a measurement with {@link LinkCheck}: sends every received message back to its sender. */
@Command(name = "echo-server", description = "Echoes received messages, for example those of link-check.")
public final class EchoCommand implements Callable<Integer> {

    @Mixin
    private final SessionOptions options = new SessionOptions(KcpTransferMode.MESSAGE, 2_048);

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public EchoCommand() {
    }

    @Override
    public Integer call() throws Exception {
        EventLoopGroup group = options.newEventLoops();
        try {
            Channel server = listen(options.newServer(group), options.host(), options.port(), Launcher.out(spec));
            Launcher.out(spec).println("Listening on " + server.localAddress() + ". Press Ctrl-C to stop.");
            server.closeFuture().sync();
            return 0;
        } finally {
            group.shutdownGracefully();
        }
    }

    static Channel listen(KcpServerBootstrap server, String host, int port, PrintWriter out) throws InterruptedException {
        return server.childHandler(new Echo(out)).bind(host, port).sync().channel();
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        private final PrintWriter out;

        Echo(PrintWriter out) {
            this.out = out;
        }

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
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            out.println(context.channel().remoteAddress() + ": " + cause.getMessage());
            context.close();
        }
    }
}
