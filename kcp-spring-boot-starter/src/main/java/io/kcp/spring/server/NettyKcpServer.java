package io.kcp.spring.server;

import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpServerChannel;
import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServer;
import io.kcp.spring.properties.KcpShutdown;
import io.kcp.spring.properties.ServerSettings;
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

/** A server with event loops of its own. One thread at a time starts and stops it. */
final class NettyKcpServer implements KcpServer {

    private static final Log LOG = LogFactory.getLog(NettyKcpServer.class);
    private static final long LOOPS_END_MS = 5_000;
    private static final long REPORT_MS = 1_000;

    private final ServerSettings settings;
    private final String wireSettings;
    private volatile @Nullable Running running;
    private volatile @Nullable DrainReport drain;

    /** Creates a server that is not bound yet. The bootstrap of the settings has been customized. */
    NettyKcpServer(ServerSettings settings) {
        this.settings = settings;
        wireSettings = WireDescription.of(settings.bootstrap());
    }

    /**
     * Binds.
     *
     * @param childHandler goes into each session; sharable
     * @throws KcpBindException if that fails
     */
    void start(ChannelHandler childHandler) {
        EventLoopGroup loops = settings.newEventLoops();
        KcpFuture<KcpServerChannel> bound;
        try {
            bound = settings.bootstrap().group(loops).childHandler(childHandler).bind(settings.localAddress()).awaitUninterruptibly();
        } catch (RuntimeException refused) {
            end(loops).run();
            throw refused;
        }
        if (!bound.isSuccess()) {
            end(loops).run();
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
     * Accepts no more sessions; when all listeners have finished, closes those that are open, which wait for their data to be
     * acknowledged.
     *
     * @return done when all are closed
     */
    CompletableFuture<?> drain(List<KcpDrainListener> listeners) {
        KcpServerChannel server = channel();
        LOG.info(this + " accepts no more sessions and lets those that are open finish");
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
        return closed.thenCompose(done -> report.say());
    }

    private CompletableFuture<?> finished(KcpDrainListener listener) {
        try {
            return listener.onDrain(this).toCompletableFuture().handle((done, failure) -> {
                if (failure != null) {
                    LOG.warn(listener + " failed while " + this + " drained", failure);
                }
                return done;
            });
        } catch (RuntimeException | Error failure) {
            // Whatever it is: the other sessions are to finish.
            LOG.warn(listener + " failed while " + this + " drained", failure);
            return CompletableFuture.completedFuture(null);
        }
    }

    /**
     * Begins to end the event loops, and with them at once what is still open.
     *
     * @return waits for the end, bounded
     */
    Runnable stop() {
        Running ending = running;
        if (ending == null) {
            return () -> { };
        }
        running = null;
        DrainReport unfinished = drain;
        if (unfinished == null) {
            return end(ending.loops);
        }
        drain = null;
        // Asked for before the loops are told to end: they answer what was asked before.
        CompletableFuture<?> said = unfinished.say();
        Runnable end = end(ending.loops);
        return () -> {
            end.run();
            said.completeOnTimeout(null, REPORT_MS, TimeUnit.MILLISECONDS).join();
        };
    }

    private static Runnable end(EventLoopGroup loops) {
        Future<?> ended = loops.shutdownGracefully(0, LOOPS_END_MS, TimeUnit.MILLISECONDS);
        return () -> ended.awaitUninterruptibly(LOOPS_END_MS);
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
    public KcpServerChannel channel() {
        Running server = running;
        if (server == null) {
            throw new IllegalStateException("The " + this + " does not run");
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
