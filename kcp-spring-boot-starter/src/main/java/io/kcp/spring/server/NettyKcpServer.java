package io.kcp.spring.server;

import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.smux.SmuxTotals;
import io.kcp.netty.smux.SmuxVersion;
import io.kcp.netty.tls.KcpTls;
import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServer;
import io.kcp.spring.properties.KcpShutdown;
import io.kcp.spring.properties.ServerSettings;
import io.kcp.spring.properties.TlsInitializer;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** KCP server with its own event loops. Only one thread at a time may call {@link #start}, {@link #drain} and {@link #stop}. */
final class NettyKcpServer implements KcpServer {

    private static final Log LOG = LogFactory.getLog(NettyKcpServer.class);
    private static final long LOOP_SHUTDOWN_TIMEOUT_MS = 5_000;
    private static final long REPORT_TIMEOUT_MS = 1_000;

    private final ServerSettings settings;
    private final @Nullable KcpTls tls;
    private final SmuxTotals smuxTotals = new SmuxTotals();
    private final String wireSettings;
    private volatile @Nullable Running running;
    private volatile @Nullable DrainReport drain;

    /**
     * Creates a server that is not bound yet. The bootstrap of the settings must already be customized.
     *
     * @param tls TLS inside the sessions; null if they do not use it
     */
    NettyKcpServer(ServerSettings settings, @Nullable KcpTls tls) {
        this.settings = settings;
        this.tls = tls;
        wireSettings = WireDescription.of(settings.bootstrap()) + (tls == null ? "" : ", TLS inside the session");
    }

    /**
     * Binds the server.
     *
     * @param childHandler the sharable handler that is added to each session
     * @throws KcpBindException if the address cannot be bound
     */
    void start(ChannelHandler childHandler) {
        EventLoopGroup loops = settings.newEventLoops();
        ChannelHandler handler = TlsInitializer.before(tls, childHandler);
        KcpFuture<KcpServerChannel> bound;
        try {
            bound = settings.bootstrap().group(loops).childHandler(handler).bind(settings.localAddress()).awaitUninterruptibly();
        } catch (RuntimeException invalid) {
            shutDown(loops).run();
            throw invalid;
        }
        if (!bound.isSuccess()) {
            shutDown(loops).run();
            throw new KcpBindException(settings.portProperty(), settings.localAddress(), bound.cause());
        }
        running = new Running(bound.channel(), loops);
        LOG.info(this + " listens on UDP " + NetUtil.toSocketAddressString(localAddress()) + " (" + settings.transport() + ", "
            + settings.threads() + " event loops); " + wireSettings);
    }

    boolean isRunning() {
        return running != null;
    }

    boolean isGraceful() {
        return settings.shutdown() == KcpShutdown.GRACEFUL;
    }

    /**
     * Stops accepting sessions, waits for the drain listeners, and closes the open sessions. Each session closes when its peer has
     * acknowledged all data.
     *
     * @return a future that completes when all sessions are closed
     */
    CompletableFuture<?> drain(List<KcpDrainListener> listeners) {
        KcpServerChannel server = channel();
        LOG.info(this + " stops accepting sessions and drains the open sessions");
        DrainReport report = new DrainReport(toString(), server);
        drain = report;
        List<CompletableFuture<?>> waits = new ArrayList<>();
        CompletableFuture<Void> accepting = new CompletableFuture<>();
        server.stopAccepting().addListener(stopped -> accepting.complete(null));
        waits.add(accepting);
        listeners.forEach(listener -> waits.add(finished(listener)));
        CompletableFuture<Void> closed = new CompletableFuture<>();
        CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> server.close().addListener(done -> closed.complete(null)));
        return closed.thenCompose(done -> report.log());
    }

    private CompletableFuture<?> finished(KcpDrainListener listener) {
        try {
            return listener.onDrain(this).toCompletableFuture().handle((done, failure) -> {
                if (failure != null) {
                    LOG.warn(listener + " failed during the drain of " + this, failure);
                }
                return done;
            });
        } catch (RuntimeException | Error failure) {
            // Only logs the failure, because a listener must not prevent the sessions from being drained.
            LOG.warn(listener + " failed during the drain of " + this, failure);
            return CompletableFuture.completedFuture(null);
        }
    }

    /**
     * Initiates the shutdown of the event loops, which closes the remaining sessions immediately.
     *
     * @return an action that waits for the end of the shutdown, for a limited time
     */
    Runnable stop() {
        Running stopping = running;
        if (stopping == null) {
            return () -> { };
        }
        running = null;
        DrainReport report = drain;
        if (report == null) {
            return shutDown(stopping.loops);
        }
        drain = null;
        // Requests the statistics before the shutdown, because terminated event loops cannot collect statistics.
        CompletableFuture<?> logged = report.log();
        Runnable shutdown = shutDown(stopping.loops);
        return () -> {
            shutdown.run();
            logged.completeOnTimeout(null, REPORT_TIMEOUT_MS, TimeUnit.MILLISECONDS).join();
        };
    }

    private static Runnable shutDown(EventLoopGroup loops) {
        Future<?> terminated = loops.shutdownGracefully(0, LOOP_SHUTDOWN_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        return () -> terminated.awaitUninterruptibly(LOOP_SHUTDOWN_TIMEOUT_MS);
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public String wireSettings() {
        return wireSettings;
    }

    @Override
    public @Nullable SmuxVersion smux() {
        return settings.layers().smux();
    }

    @Override
    public @Nullable SmuxTotals smuxTotals() {
        return smux() == null ? null : smuxTotals;
    }

    @Override
    public @Nullable PacketFormat packets() {
        return settings.layers().packets();
    }

    @Override
    public boolean usesTls() {
        return tls != null;
    }

    @Override
    public KcpServerChannel channel() {
        Running server = running;
        if (server == null) {
            throw new IllegalStateException("The " + this + " is not running");
        }
        return server.channel;
    }

    @Override
    public InetSocketAddress localAddress() {
        InetSocketAddress address = channel().localAddress();
        assert address != null;
        return address;
    }

    @Override
    public String toString() {
        return "KCP server \"" + settings.name() + '"';
    }

    private record Running(KcpServerChannel channel, EventLoopGroup loops) {
    }
}
