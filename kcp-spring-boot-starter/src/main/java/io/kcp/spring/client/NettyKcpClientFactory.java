package io.kcp.spring.client;

import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.kcp.spring.KcpClientCustomizer;
import io.kcp.spring.KcpClientFactory;
import io.kcp.spring.properties.ClientSettings;
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

/** Has event loops from the first session on until the application ends. */
final class NettyKcpClientFactory implements KcpClientFactory, SmartLifecycle, DisposableBean {

    private static final long LOOPS_END_MS = 5_000;

    private final ClientSettings settings;
    private final List<KcpClientCustomizer> customizers;
    private final Object lock = new Object();
    private @Nullable Open open;
    private @Nullable Open closing;
    private boolean stopped;

    NettyKcpClientFactory(ClientSettings settings, List<KcpClientCustomizer> customizers) {
        this.settings = settings;
        this.customizers = List.copyOf(customizers);
    }

    /** What there is between the first session and the end; the sessions include those of the reconnects, and stay closed. */
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
        // An event loop that has ended would call no listeners.
        Promise<KcpChannel> promise = GlobalEventExecutor.INSTANCE.newPromise();
        opening.addListener(done -> {
            if (!done.isSuccess()) {
                promise.tryFailure(done.cause());
            } else if (!promise.trySuccess(session)) {
                // Cancelled meanwhile.
                session.close();
            }
        });
        return promise;
    }

    @Override
    public KcpReconnect reconnecting(Supplier<? extends SocketAddress> remote, ChannelHandler handler, KcpReconnectListener listener) {
        Open all = open();
        KcpReconnect reconnect = settings.reconnect(bootstrap(all, handler), remote)
            .listener(new GroupedSessions(all.sessions, listener)).start();
        all.reconnects.add(reconnect);
        reconnect.ended().addListener(ended -> all.reconnects.remove(reconnect));
        if (!isOpen(all)) {
            reconnect.close();
            throw stopped();
        }
        return reconnect;
    }

    private KcpBootstrap bootstrap(Open all, ChannelHandler handler) {
        KcpBootstrap bootstrap = settings.bootstrap(all.loops).handler(handler);
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

    /** Asked when a session was added: nothing of the application is called with the lock held, so it may have stopped meanwhile. */
    private boolean isOpen(Open all) {
        synchronized (lock) {
            return open == all;
        }
    }

    private static IllegalStateException stopped() {
        return new IllegalStateException("the application has stopped, or is about to: no more KCP sessions are opened");
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

    /** Closes the sessions, which waits for acknowledgements, then ends the loops. */
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
                all.loops.shutdownGracefully(0, LOOPS_END_MS, TimeUnit.MILLISECONDS).addListener(ended -> callback.run());
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

    /** For what did not end in time, or was not stopped because the context did not start. */
    @Override
    public void destroy() {
        takeOpen();
        synchronized (lock) {
            if (closing != null) {
                closing.loops.shutdownGracefully(0, LOOPS_END_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    @Override
    public boolean isRunning() {
        synchronized (lock) {
            return !stopped;
        }
    }

    /** Sessions are not paused with other beans, because the peers would lose them. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return STOP_PHASE;
    }
}
