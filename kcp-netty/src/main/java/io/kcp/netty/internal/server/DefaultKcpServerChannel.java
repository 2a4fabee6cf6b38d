package io.kcp.netty.internal.server;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionView;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.loop.Registration;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The channel of a KCP server, which manages the sockets of the server and their {@link DefaultKcpHandler}s. */
public final class DefaultKcpServerChannel extends AbstractServerChannel implements KcpServerChannel {

    /** Time in milliseconds for which sockets that share a port drop all datagrams after the last of these sockets was bound. */
    private static final long JOINING_MS = 20;

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private final List<Channel> sockets = new CopyOnWriteArrayList<>();
    /** The {@link DefaultKcpHandler} of each socket, stored here because the pipeline of a closed socket no longer contains it. */
    private final List<DefaultKcpHandler> handlers = new CopyOnWriteArrayList<>();
    private volatile @Nullable InetSocketAddress boundTo;
    private volatile boolean open = true;
    private volatile boolean refusing;
    private @Nullable LoopContext loop;
    private @Nullable ServerDrain drain;

    /** Adds a socket. Throws an exception if Netty has removed its {@link DefaultKcpHandler} because {@code handlerAdded} failed. */
    public void addSocket(Channel socket) {
        DefaultKcpHandler handler = socket.pipeline().get(DefaultKcpHandler.class);
        if (handler == null) {
            throw new IllegalStateException("Cannot add KcpHandler to the pipeline of " + socket + "."
                + " Netty has logged the exception of its handlerAdded method as a warning.");
        }
        handlers.add(handler);
        sockets.add(socket);
    }

    /**
     * Starts reading from all sockets, and then runs the callback. Datagrams that arrived while sockets were still being bound are dropped.
     * Each additional socket makes the kernel redistribute the peers, so a session that one of these datagrams opens would receive no
     * further datagrams.
     */
    public void startReading(Runnable then) {
        if (sockets.size() == 1) {
            sockets.get(0).config().setAutoRead(true);
            then.run();
            return;
        }
        // Runs the callback only when all sockets accept datagrams, because a peer could otherwise send its first datagram to a socket that
        // still drops datagrams.
        AtomicInteger dropping = new AtomicInteger(sockets.size());
        for (int i = 0; i < sockets.size(); i++) {
            DefaultKcpHandler handler = handlers.get(i);
            EventLoop loop = sockets.get(i).eventLoop();
            loop.execute(() -> handler.discard(true));
            sockets.get(i).config().setAutoRead(true);
            loop.schedule(() -> {
                handler.discard(false);
                if (dropping.decrementAndGet() == 0) {
                    onLoop(then);
                }
            }, JOINING_MS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Fires an accepted session through the pipeline of the server channel, if that pipeline contains any handlers. Any thread may call it.
     */
    public void onAccepted(KcpChannel session) {
        if (pipeline().firstContext() != null) {
            onLoop(() -> {
                pipeline().fireChannelRead(session);
                pipeline().fireChannelReadComplete();
            });
        }
    }

    /**
     * Closes the server after one of its sockets has closed, unless the server is already closing all sockets. Once a socket has left the
     * shared port, the kernel delivers datagrams of sessions on other sockets to the wrong sockets. Any thread may call it.
     */
    public void onSocketClosed(Channel socket) {
        onLoop(() -> {
            if (open && (drain == null || !drain.isClosingSockets())) {
                if (!socket.eventLoop().isShuttingDown()) {
                    pipeline().fireExceptionCaught(new IOException("The socket " + socket + " of the server " + this
                        + " was closed. The server closes, too, because the kernel delivers datagrams of its sessions to the "
                        + "wrong sockets."));
                }
                ((ServerUnsafe) unsafe()).closeNow();
            }
        });
    }

    private void onLoop(Runnable task) {
        try {
            eventLoop().execute(task);
        } catch (RejectedExecutionException ended) {
            // Skips the task, because the server channel was closed when its event loop shut down.
        }
    }

    @Override
    public List<Channel> datagramChannels() {
        return List.copyOf(sockets);
    }

    @Override
    public boolean isAccepting() {
        return isActive() && !refusing;
    }

    @Override
    public Future<Void> stopAccepting() {
        refusing = true;
        Promise<Void> promise = GlobalEventExecutor.INSTANCE.newPromise();
        List<Channel> all = datagramChannels();
        AtomicInteger missing = new AtomicInteger(1 + all.size());
        Runnable oneDone = () -> {
            if (missing.decrementAndGet() == 0) {
                promise.trySuccess(null);
            }
        };
        for (int i = 0; i < all.size(); i++) {
            DefaultKcpHandler handler = handlers.get(i);
            try {
                all.get(i).eventLoop().submit(handler::stopAccepting).addListener(stopped -> oneDone.run());
            } catch (RejectedExecutionException ended) {
                oneDone.run();
            }
        }
        oneDone.run();
        return promise;
    }

    @Override
    public Future<KcpListenerStats> collectStats() {
        // Uses the global executor, which can notify listeners even after the event loop of the server has terminated.
        Promise<KcpListenerStats> promise = GlobalEventExecutor.INSTANCE.newPromise();
        Map<Integer, KcpListenerStats> parts = new ConcurrentSkipListMap<>();
        callEach(promise, handler -> handler.collectStats().addListener((FutureListener<KcpListenerStats>) part -> {
            if (part.isSuccess()) {
                parts.put(handlers.indexOf(handler), part.getNow());
            }
        }), () -> promise.trySuccess(parts.values().stream().reduce(KcpListenerStats.ZERO, KcpListenerStats::plus)));
        return promise;
    }

    @Override
    public Future<Void> forEachSession(Consumer<KcpSessionView> action) {
        Objects.requireNonNull(action, "action");
        Promise<Void> promise = GlobalEventExecutor.INSTANCE.newPromise();
        callEach(promise, handler -> handler.visits().visitActive(action), () -> promise.trySuccess(null));
        return promise;
    }

    /**
     * Calls a function with the {@link DefaultKcpHandler} of each socket, and runs the callback when all returned futures have
     * succeeded. The promise fails with the first failure.
     */
    private void callEach(Promise<?> promise, Function<DefaultKcpHandler, Future<?>> call, Runnable whenAllDone) {
        List<DefaultKcpHandler> all = List.copyOf(handlers);
        AtomicInteger missing = new AtomicInteger(all.size());
        if (all.isEmpty()) {
            whenAllDone.run();
        }
        for (DefaultKcpHandler handler : all) {
            call.apply(handler).addListener(part -> {
                if (!part.isSuccess()) {
                    promise.tryFailure(part.cause());
                } else if (missing.decrementAndGet() == 0) {
                    whenAllDone.run();
                }
            });
        }
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return boundTo;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return boundTo;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && boundTo != null;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        boundTo = (InetSocketAddress) localAddress;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (eventLoop().isShuttingDown()) {
            // An event loop that is shutting down may already have closed its channels and might therefore never close this channel.
            promise.setFailure(new RejectedExecutionException(
                "Cannot register the server channel, because its event loop is shutting down"));
            return;
        }
        Registration.complete(promise, () -> {
            LoopContext loopContext = LoopContext.of(eventLoop());
            loopContext.enter(this);
            loop = loopContext;
        });
    }

    @Override
    protected void doClose() {
        open = false;
        sockets.forEach(Channel::close);
        LoopContext loopContext = loop;
        if (loopContext != null) {
            loop = null;
            loopContext.leave(this);
        }
    }

    /** Does nothing, because the sockets of the server read the datagrams. */
    @Override
    protected void doBeginRead() {
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    private final class ServerUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException("Cannot connect a server channel"));
        }

        @Override
        public void close(ChannelPromise promise) {
            if (!isActive() || eventLoop().isShuttingDown()) {
                super.close(promise);
                return;
            }
            if (!promise.isVoid()) {
                closeFuture().addListener(closed -> promise.trySuccess());
            }
            if (drain == null) {
                refusing = true;
                ServerDrain started = new ServerDrain(eventLoop(), datagramChannels(), this::closeNow);
                drain = started;
                started.start(handlers);
            }
        }

        void closeNow() {
            super.close(voidPromise());
        }
    }
}
