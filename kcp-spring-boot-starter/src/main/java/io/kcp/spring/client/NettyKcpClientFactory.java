package io.kcp.spring.client;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.kcp.netty.tls.KcpTls;
import io.kcp.spring.KcpClientCustomizer;
import io.kcp.spring.KcpClientFactory;
import io.kcp.spring.properties.ClientSettings;
import io.kcp.spring.properties.TlsInitializer;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/** Client factory that creates its event loops when it opens the first session, and shuts them down when the application stops. */
final class NettyKcpClientFactory implements KcpClientFactory, SmartLifecycle, DisposableBean {

    private static final long LOOP_SHUTDOWN_TIMEOUT_MS = 5_000;

    private final ClientSettings settings;
    private final List<KcpClientCustomizer> customizers;
    private final @Nullable KcpTls tls;
    private final Object lock = new Object();
    private @Nullable Open open;
    private @Nullable Open closing;
    private boolean stopped;

    /**
     * Creates a factory.
     *
     * @param tls TLS inside the sessions; null if they do not use it
     */
    NettyKcpClientFactory(ClientSettings settings, List<KcpClientCustomizer> customizers, @Nullable KcpTls tls) {
        this.settings = settings;
        this.tls = tls;
        this.customizers = List.copyOf(customizers);
    }

    /**
     * Resources that are created when the first session is opened, and released when the application stops. The channel group also contains
     * the sessions of reconnecting clients.
     */
    private record Open(EventLoopGroup loops, ChannelGroup sessions, Set<KcpReconnect> reconnects) {
    }

    @Override
    public Future<KcpChannel> connect(String host, int port, ChannelHandler handler) {
        return connect(InetSocketAddress.createUnresolved(host, port), handler);
    }

    @Override
    public Future<KcpChannel> connect(SocketAddress remote, ChannelHandler handler) {
        Open all = open();
        KcpFuture<KcpChannel> opening = bootstrap(all, handler).connect(remote);
        KcpChannel session = opening.channel();
        all.sessions.add(session);
        if (!isOpen(all)) {
            session.close();
            throw stopped();
        }
        // Uses the global executor, which can notify listeners even after the event loop of the session has terminated.
        Promise<KcpChannel> promise = GlobalEventExecutor.INSTANCE.newPromise();
        opening.addListener(done -> {
            if (!done.isSuccess()) {
                promise.tryFailure(done.cause());
            } else if (!promise.trySuccess(session)) {
                // Closes the session, because the caller has canceled the future.
                session.close();
            }
        });
        return promise;
    }

    @Override
    public KcpReconnect reconnecting(Supplier<? extends SocketAddress> remote, ChannelHandler handler, KcpReconnectListener listener) {
        Open all = open();
        KcpReconnect reconnect = settings.reconnect(bootstrap(all, handler), remote)
            .listener(new SessionTrackingListener(all.sessions, listener)).start();
        all.reconnects.add(reconnect);
        reconnect.ended().addListener(ended -> all.reconnects.remove(reconnect));
        if (!isOpen(all)) {
            reconnect.close();
            throw stopped();
        }
        return reconnect;
    }

    private KcpBootstrap bootstrap(Open all, ChannelHandler handler) {
        KcpBootstrap bootstrap = settings.bootstrap(all.loops).handler(TlsInitializer.before(tls, handler));
        customizers.forEach(customizer -> customizer.customize(bootstrap));
        return bootstrap;
    }

    private Open open() {
        synchronized (lock) {
            if (stopped) {
                throw stopped();
            }
            Open all = open;
            if (all == null) {
                all = new Open(settings.newEventLoops(), new DefaultChannelGroup("kcp clients", GlobalEventExecutor.INSTANCE, true),
                    ConcurrentHashMap.newKeySet());
                open = all;
            }
            return all;
        }
    }

    /**
     * Returns {@code true} unless the factory has stopped since it created these resources. Application code runs without the lock, so
     * the factory may stop while a session is being opened.
     */
    private boolean isOpen(Open all) {
        synchronized (lock) {
            return open == all;
        }
    }

    private static IllegalStateException stopped() {
        return new IllegalStateException("Cannot open a KCP session: the application is stopping or has stopped");
    }

    @Override
    public void start() {
        synchronized (lock) {
            stopped = false;
        }
    }

    @Override
    public void stop() {
        stop(() -> { });
    }

    /** Closes all sessions, and shuts down the event loops after the last session has closed. */
    @Override
    public void stop(Runnable callback) {
        Open all = takeOpen();
        if (all == null) {
            callback.run();
            return;
        }
        List<Future<?>> ends = new ArrayList<>();
        all.reconnects.forEach(reconnect -> ends.add(reconnect.close()));
        ends.add(all.sessions.close());
        AtomicInteger left = new AtomicInteger(ends.size());
        ends.forEach(end -> end.addListener(done -> {
            if (left.decrementAndGet() == 0) {
                all.loops.shutdownGracefully(0, LOOP_SHUTDOWN_TIMEOUT_MS, TimeUnit.MILLISECONDS).addListener(ended -> callback.run());
            }
        }));
    }

    private @Nullable Open takeOpen() {
        synchronized (lock) {
            stopped = true;
            Open all = open;
            open = null;
            closing = all != null ? all : closing;
            return all;
        }
    }

    /**
     * Shuts down any event loops that are still running after a stop that did not finish in time or after a failed start of the context.
     */
    @Override
    public void destroy() {
        takeOpen();
        synchronized (lock) {
            if (closing != null) {
                closing.loops.shutdownGracefully(0, LOOP_SHUTDOWN_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    @Override
    public boolean isRunning() {
        synchronized (lock) {
            return !stopped;
        }
    }

    /** Returns {@code false}, because pausing this factory with the application context would close its sessions. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return STOP_PHASE;
    }
}
