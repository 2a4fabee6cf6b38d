package io.kcp.examples;

import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.SessionOptions;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Receives files from {@link FileSender} programs and stores them in a directory. A file appears in the directory only when it is
 * complete and its SHA-256 matches. Existing files are never overwritten, and interrupted transfers are not resumed.
 */
@Command(name = "file-receiver", description = "Receives files into a directory.")
public final class FileReceiver implements Callable<Integer> {

    private static final int DISK_THREADS = 4;

    @Mixin
    private final SessionOptions options = new SessionOptions(KcpTransferMode.STREAM, 1024);

    @Option(names = "--dir", paramLabel = "DIRECTORY", description = "Directory for received files (default: ${DEFAULT-VALUE}).")
    private Path directory = Path.of(".");

    @Option(names = "--once", description = "Exit after the first file, with exit code 0 if it was received and 1 otherwise.")
    private boolean once;

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public FileReceiver() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        Launcher.main(new FileReceiver(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
            throw new IOException("'" + directory + "' is not a writable directory (create it, or choose a different one with --dir)");
        }
        PrintWriter out = Launcher.out(spec);
        EventLoopGroup group = options.newEventLoops();
        EventExecutorGroup disk = new DefaultEventExecutorGroup(DISK_THREADS);
        try {
            CompletableFuture<TransferReply> first = new CompletableFuture<>();
            Channel server = listen(options.newServer(group), disk, new InetSocketAddress(options.host(), options.port()),
                options.timeoutMs(), directory, new TransferListener() {
                    @Override
                    public void onBegin(TransferHeader header) {
                        out.println(String.format(Locale.ROOT, "Receiving '%s', %,d bytes", header.name(), header.size()));
                    }

                    @Override
                    public void onEnd(TransferReply outcome) {
                        out.println(outcome.accepted() ? "Received '" + outcome.text() + "'" : "Failed: " + outcome.text());
                        first.complete(outcome);
                    }
                });
            out.println("Listening on " + server.localAddress() + ". Press Ctrl-C to stop.");
            // Closes the sessions when the process exits, so that incomplete files are deleted.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> closeAll(server, group, disk)));
            if (!once) {
                server.closeFuture().sync();
                return 0;
            }
            boolean accepted = first.get().accepted();
            server.close().sync();
            return accepted ? 0 : 1;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            disk.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    /** Binds the server. Files are written on the threads of {@code disk}. */
    static Channel listen(KcpServerBootstrap server, EventExecutorGroup disk, InetSocketAddress address, int silenceMs,
        Path directory, TransferListener listener) throws InterruptedException {
        return server
            .childOption(ChannelOption.AUTO_READ, false)
            // The dead-peer timeout cannot detect a failed sender, because the receiver has no unacknowledged data. Therefore, keepalives
            // probe the sender, and the idle timeout closes the session if the sender does not respond.
            .childOption(KcpChannelOption.KEEPALIVE_MS, silenceMs)
            .childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 2 * silenceMs)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new FileReceiveHandler(disk.next(), directory, listener));
                }
            })
            .bind(address).sync().channel();
    }

    private static void closeAll(Channel server, EventLoopGroup group, EventExecutorGroup disk) {
        server.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
        disk.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
