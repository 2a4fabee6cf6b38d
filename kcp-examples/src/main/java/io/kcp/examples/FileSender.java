package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.tools.command.Launcher;
import io.kcp.tools.command.SessionOptions;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends a file to a {@link FileReceiver}. Succeeds once the receiver has stored the file and verified its SHA-256. */
@Command(name = "file-sender", description = "Sends a file to a file receiver.")
public final class FileSender implements Callable<Integer> {

    private static final int CHUNK_BYTES = 16 << 10;
    /** Maximum number of segments per message, which is small enough for any practical window. */
    private static final int CHUNK_SEGMENTS = 8;
    private static final int SEGMENT_HEADER_BYTES = 24;
    private static final int POLL_MS = 100;
    private static final int BYTES_PER_MB = 1_000_000;

    @Mixin
    private final SessionOptions options = new SessionOptions(KcpTransferMode.STREAM, 1024);

    @Parameters(paramLabel = "FILE", description = "The file to send.")
    private Path path = Path.of("");

    @Option(names = "--name", paramLabel = "NAME", description = "File name at the receiver (default: the local name).")
    private @Nullable String name;

    @Spec
    private @Nullable CommandSpec spec;

    /** Creates the command before picocli sets its options. */
    public FileSender() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String... arguments) {
        Launcher.main(new FileSender(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            throw new IOException("'" + path + "' is not a readable file");
        }
        Path fileName = path.getFileName();
        String sentAs = name != null ? name : fileName.toString();
        PrintWriter out = Launcher.out(spec);
        EventLoopGroup group = options.newEventLoops();
        try {
            InetSocketAddress receiver = InetSocketAddress.createUnresolved(options.host(), options.port());
            TransferReply reply;
            try (ProgressBar progress = Launcher.progressBar(out).setTaskName(sentAs).setInitialMax(Files.size(path))
                .setUnit(" MB", BYTES_PER_MB).showSpeed().build()) {
                reply = send(options.newClient(group), receiver, options.config(), path, sentAs, progress);
            }
            if (!reply.accepted()) {
                throw new IOException("the receiver rejected the file: " + reply.text());
            }
            out.println("The receiver has stored '" + reply.text() + "' and verified its SHA-256.");
            return 0;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** Sends the file and waits for the receiver's reply. Fails if the session closes before the reply arrives. */
    static TransferReply send(KcpBootstrap client, InetSocketAddress receiver, KcpConfig config, Path path, String name,
        ProgressBar progress) throws IOException, InterruptedException {
        int chunkBytes = config.mode() == KcpTransferMode.STREAM ? CHUNK_BYTES
            : Math.min(CHUNK_BYTES, Math.min(CHUNK_SEGMENTS, config.sendWindow()) * (config.mtuBytes() - SEGMENT_HEADER_BYTES));
        EventExecutor disk = new DefaultEventExecutor();
        try (OutgoingTransfer transfer = new OutgoingTransfer(path, name, chunkBytes)) {
            FileSendHandler handler = new FileSendHandler(disk, transfer);
            KcpChannel session = client
                .option(KcpChannelOption.KEEPALIVE_MS, config.deadPeerTimeoutMs())
                .handler(handler).connect(receiver).sync().channel();
            try {
                return await(handler.reply(), transfer, session, progress);
            } catch (ExecutionException failed) {
                Throwable cause = failed.getCause();
                throw new IOException("'" + path + "' was not sent: " + (cause == null ? failed : cause).getMessage()
                    + (cause instanceof KcpCloseException
                    ? " (is a FileReceiver listening on " + receiver.getHostString() + ':' + receiver.getPort() + "?)" : ""), failed);
            } finally {
                // Disables lingering, because data that is still in flight is no longer needed after the transfer has ended.
                session.config().setLingerMs(0);
                session.close().awaitUninterruptibly();
                disk.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            }
        } finally {
            disk.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private static TransferReply await(Future<TransferReply> answer, OutgoingTransfer transfer, KcpChannel session,
        ProgressBar progress) throws ExecutionException, InterruptedException {
        while (true) {
            try {
                TransferReply reply = answer.get(POLL_MS, TimeUnit.MILLISECONDS);
                if (reply.accepted()) {
                    progress.stepTo(transfer.size());
                }
                return reply;
            } catch (TimeoutException notYet) {
                KcpSessionStats stats = session.collectStats().get();
                long acknowledged = Math.max(0, transfer.bytesRead() - stats.unacknowledgedBytes());
                progress.setExtraMessage(" rtt " + stats.smoothedRttMs() + " ms").stepTo(acknowledged);
            }
        }
    }
}
