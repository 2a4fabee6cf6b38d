package io.kcp.examples;

import io.kcp.core.KcpTransferMode;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.SessionOptions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Sends messages to an {@link EchoServer} one after the other, and prints the round-trip time of each message. The first round trip is
 * longer, because the JVM is still warming up.
 */
@Command(name = "echo-client", description = "Measures round-trip times to an echo server.")
public final class EchoClient implements Callable<Integer> {

    @Mixin
    private final SessionOptions options = new SessionOptions(KcpTransferMode.MESSAGE, 128);

    @Mixin
    private final TlsOptions tls = new TlsOptions();

    @Option(names = "--count", paramLabel = "N", description = "Number of messages to send (default: ${DEFAULT-VALUE}).")
    private int count = 10;

    @Option(names = "--size", paramLabel = "BYTES", description = "Size of each message (default: ${DEFAULT-VALUE}).")
    private int size = 64;

    @Option(names = "--interval", paramLabel = "MS",
        description = "Pause between a response and the next message (default: ${DEFAULT-VALUE}).")
    private int intervalMs = 100;

    /** Creates the command before picocli sets its options. */
    public EchoClient() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        Launcher.main(new EchoClient(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        if (count < 1 || size < 1 || intervalMs < 0) {
            throw new IllegalArgumentException("--count and --size must be at least 1, and --interval must be at least 0");
        }
        EventLoopGroup group = options.newEventLoops();
        try {
            RoundTrips roundTrips = new RoundTrips();
            Channel session = options.newClient(group).handler(tls.beforeClient(roundTrips))
                .connect(options.host(), options.port()).sync().channel();
            roundTrips.done.get();
            session.close().sync();
            return 0;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private final class RoundTrips extends SimpleChannelInboundHandler<ByteBuf> {

        final CompletableFuture<Void> done = new CompletableFuture<>();
        private int answered;
        private int received;
        private long sentAt;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            received = 0;
            sentAt = System.nanoTime();
            context.writeAndFlush(context.alloc().directBuffer(size).writeZero(size)).addListener(written -> {
                if (!written.isSuccess()) {
                    done.completeExceptionally(written.cause());
                }
            });
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            received += message.readableBytes();
            // In message mode, the echo arrives as one message. In stream mode, it may arrive in parts.
            if (received < size) {
                return;
            }
            answered++;
            double roundTripMs = (System.nanoTime() - sentAt) / 1e6;
            System.out.printf(Locale.ROOT, "%d bytes from %s:%d: seq=%d time=%.2f ms%n", received,
                options.host(), options.port(), answered, roundTripMs);
            if (answered == count) {
                done.complete(null);
            } else {
                context.executor().schedule(() -> send(context), intervalMs, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(new IOException(cause.getMessage() + " (is an EchoServer running on "
                + options.host() + ':' + options.port() + " with the same --crypt and --key? Start it, or set --host and --port)", cause));
        }
    }
}
