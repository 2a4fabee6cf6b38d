package io.kcp.bench;

import io.kcp.bench.rig.ChannelSession;
import io.kcp.bench.rig.Events;
import io.kcp.bench.rig.Load;
import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
import io.kcp.bench.rig.Work;
import io.kcp.bench.rig.Workload;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.blocking.KcpSocket;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Adapts this library to the workloads of the rig. */
final class KcpProtocol implements Protocol {

    /** Workloads with few sessions. In the others, collecting the statistics of each session would distort the measurement. */
    private static final Set<Work> COUNTED = Set.of(Work.SOURCE, Work.ECHO, Work.PINGPONG, Work.DELAY);
    private static final long SHUTDOWN_SECONDS = 3;

    private final LoadOptions options;
    private final KcpServerOptions serverOptions;
    private final Setup setup;
    private final int sharedSockets;
    private final MultiThreadIoEventLoopGroup group;
    private final List<KcpChannel> countedSessions = new CopyOnWriteArrayList<>();
    private volatile @Nullable KcpServerChannel server;
    private @Nullable MetricsScrape scrape;
    private @Nullable ClientSockets sockets;

    /** Creates the event loops. If {@code sharedSockets} is greater than 0, all client sessions share that number of sockets. */
    KcpProtocol(LoadOptions options, KcpServerOptions serverOptions, Setup setup, int sharedSockets) {
        this.options = options;
        this.serverOptions = serverOptions;
        this.setup = setup;
        this.sharedSockets = sharedSockets;
        group = options.newGroup(setup.threads());
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) {
        KcpServerBootstrap bootstrap = options.newServer(group).maxSessions(serverOptions.maxSessions);
        if (serverOptions.untrusted) {
            bootstrap.trustedPrefixes();
        }
        KcpServerChannel bound = bootstrap.childHandler(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                if (isBlocking()) {
                    BlockingThreads.echo(KcpSocket.wrap(session), setup.meter());
                } else {
                    session.pipeline().addLast(new ChannelSession(listeners.get()));
                }
            }
        }).bind(new InetSocketAddress(setup.host(), port)).syncUninterruptibly().channel();
        server = bound;
        scrape = serverOptions.metrics ? new MetricsScrape(bound) : null;
        return Objects.requireNonNull(bound.localAddress(), "localAddress").getPort();
    }

    private boolean isBlocking() {
        return options.blocking && setup.work() == Work.ECHO;
    }

    @Override
    public void connect(int port, SessionListener listener) {
        open(port, new ClientSession(listener), listener::failed);
    }

    /** Opens a session with a handler. */
    void open(int port, ChannelHandler handler, Consumer<Throwable> onFailure) {
        KcpFuture<KcpChannel> session = clientSockets(port).open(handler);
        session.addListener(opened -> {
            if (!opened.isSuccess()) {
                onFailure.accept(opened.cause());
            } else if (COUNTED.contains(setup.work())) {
                countedSessions.add(session.channel());
            }
        });
    }

    private synchronized ClientSockets clientSockets(int port) {
        if (sockets == null) {
            sockets = new ClientSockets(options, group, new InetSocketAddress(setup.host(), port), sharedSockets);
        }
        return sockets;
    }

    @Override
    public boolean notifiesOfClose() {
        return true;
    }

    @Override
    public synchronized int sockets(int sessions) {
        return sockets == null ? 0 : sockets.count();
    }

    @Override
    public ObjectNode stats() {
        KcpServerChannel bound = server;
        SessionCounts counts = bound == null ? SessionCounts.of(countedSessions)
            : SessionCounts.of(bound.collectStats().syncUninterruptibly().getNow());
        return counts.addTo(Events.event("stats"));
    }

    @Override
    public Map<String, Supplier<ObjectNode>> commands() {
        KcpServerChannel bound = server;
        return bound == null ? Map.of() : Map.of("listener", () -> listenerEvent(bound.collectStats().syncUninterruptibly().getNow()));
    }

    private static ObjectNode listenerEvent(KcpListenerStats stats) {
        ObjectNode event = Events.event("listener").put("active", stats.activeSessions()).put("max_active", stats.maxSessions())
            .put("opened", stats.openedSessions()).put("max_timer_delay_ms", stats.maxTimerDelayMs())
            .put("max_handling_delay_ms", stats.maxHandlingDelayMs());
        event.set("dropped", Json.MAPPER.<JsonNode>valueToTree(stats.dropped()));
        event.set("closed", Json.MAPPER.<JsonNode>valueToTree(stats.closed()));
        return event;
    }

    @Override
    public @Nullable Workload workload(Load load) {
        return isBlocking() ? new BlockingEchoWorkload(load, this) : null;
    }

    @Override
    public void close() {
        try {
            if (scrape != null) {
                scrape.close();
                System.err.println(scrape.summary());
            }
        } finally {
            shutDown(group);
        }
    }

    /** Terminates event loops and thereby closes all their sockets. */
    static void shutDown(MultiThreadIoEventLoopGroup group) {
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Client session that reports why this library has closed it. */
    private static final class ClientSession extends ChannelSession {

        ClientSession(SessionListener listener) {
            super(listener);
        }

        @Override
        protected Throwable closeCause() {
            Throwable cause = ((KcpChannel) channel()).closeCause();
            return cause == null ? super.closeCause() : cause;
        }
    }
}
