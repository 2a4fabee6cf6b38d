package io.kcp.netty.bootstrap;

import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpServerCloseEvent;
import io.kcp.netty.internal.admission.SessionLimits;
import io.kcp.netty.internal.channel.SessionSetup;
import io.kcp.netty.internal.handler.OpeningPromise;
import io.kcp.netty.internal.server.DefaultKcpServerChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.AttributeKey;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Starts a KCP server. This class is used like Netty's {@code ServerBootstrap}.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(KcpTransport.best().ioHandlerFactory());
 * KcpServerChannel server = new KcpServerBootstrap().group(group).config(KcpConfig.fast3())
 *     .childHandler(childHandler)               // usually a ChannelInitializer<KcpChannel>
 *     .bind(9000).sync().channel();
 * }</pre>
 *
 * <p>Closing the server channel closes its sessions first. Each session waits for unfinished work of its handlers
 * ({@link KcpServerCloseEvent}), and then until its peer has acknowledged all written data, at most for {@link KcpChannelOption#LINGER_MS}.
 * All sessions wait at the same time. The wait ends early if the peer is considered gone, which means that nothing was received for a fifth
 * of that time, and for at least one second, in spite of four retransmissions. The sockets of all event loops are closed last, together.
 *
 * <p>The server binds one socket per event loop if the kernel distributes the peers of one port among several sockets (epoll and io_uring),
 * otherwise one socket. Not thread-safe; may be reused for further servers.
 */
public final class KcpServerBootstrap extends AbstractKcpServerBuilder<KcpServerBootstrap> {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpServerBootstrap.class);
    private static final String NO_CIPHER = "The KCP server on {} uses no cipher, so every host on the path can read, modify and forge"
        + " its datagrams. Set a cipher and a key on the server and on its clients: crypto(CryptoConfig.of(\"aes-128-gcm\", key)), or in"
        + " Spring Boot crypt.type and crypt.key of the server. If the network is trusted, state that no cipher is intended, which also"
        + " silences this warning: crypto(null), or in Spring Boot crypt.type=null (in YAML: type: \"null\").";

    private final Map<ChannelOption<?>, Object> options = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> attributes = new LinkedHashMap<>();
    private @Nullable EventLoopGroup group;
    private @Nullable ChannelHandler handler;
    private @Nullable ChannelHandler childHandler;
    private int sockets;
    private int socketBufferBytes = DatagramSockets.SOCKET_BUFFER_BYTES;
    private boolean sharedPort;

    /** Creates a bootstrap with default settings. A group and a child handler must be set. */
    public KcpServerBootstrap() {
    }

    /**
     * Sets the event loops that serve the sockets and the sessions.
     *
     * @param group event loops of one of the transports in {@link KcpTransport}
     * @return this
     */
    public KcpServerBootstrap group(EventLoopGroup group) {
        this.group = Objects.requireNonNull(group, "group");
        return this;
    }

    /**
     * Sets a channel option of all UDP sockets of the server.
     *
     * @param option the option
     * @param value  its value
     * @param <T>    type of the value
     * @return this
     */
    public <T> KcpServerBootstrap option(ChannelOption<T> option, T value) {
        options.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, option.name()));
        return this;
    }

    /**
     * Sets an attribute of the server channel.
     *
     * @param key   the key
     * @param value its value
     * @param <T>   type of the value
     * @return this
     */
    public <T> KcpServerBootstrap attr(AttributeKey<T> key, T value) {
        attributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the handler of the server channel. The {@code channelRead} method of this handler receives each accepted session.
     *
     * @param handler the handler
     * @return this
     */
    public KcpServerBootstrap handler(ChannelHandler handler) {
        this.handler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Sets the handler of each session, usually a {@code ChannelInitializer<KcpChannel>}. An initializer that throws an exception is
     * considered broken: after several failures in a row the server attempts only one session every few seconds. To refuse certain peers,
     * use {@link #acceptFilter}, or close the session in the initializer.
     *
     * @param childHandler the handler; must be sharable
     * @return this
     */
    public KcpServerBootstrap childHandler(ChannelHandler childHandler) {
        this.childHandler = Objects.requireNonNull(childHandler, "childHandler");
        return this;
    }

    /**
     * Sets the number of sockets that share the port. The default is one per event loop, or 1 if the transport cannot share a port.
     *
     * @param sockets at least 1
     * @return this
     */
    public KcpServerBootstrap sockets(int sockets) {
        this.sockets = SessionLimits.atLeastOne("sockets", sockets);
        return this;
    }

    /**
     * Sets the size of the receive buffer and of the send buffer that each socket requests from the kernel. The default is 4 MiB.
     *
     * @param bytes at least 1
     * @return this
     */
    public KcpServerBootstrap socketBufferBytes(int bytes) {
        this.socketBufferBytes = SessionLimits.atLeastOne("socketBufferBytes", bytes);
        return this;
    }

    /**
     * Sets whether other sockets, including those of other processes, may share the port. The kernel then distributes all clients over the
     * sockets of all programs, including clients with open sessions, so many open sessions break when a program binds or closes a socket.
     * Share the port only if an eBPF program selects the socket of each datagram. The default is false, so that the bind fails if another
     * program uses the port, even if that program shares the port, and even if both programs bind at the same time. However, a program of
     * the same user that requests to share the port <i>later</i> can always do so, because Linux offers no way to refuse it.
     *
     * @param sharedPort {@code true} to share the port
     * @return this
     */
    public KcpServerBootstrap sharedPort(boolean sharedPort) {
        this.sharedPort = sharedPort;
        return this;
    }

    /**
     * Binds the server to a port of all local addresses.
     *
     * @param port the port, 0 for any
     * @return see {@link #bind(SocketAddress)}
     */
    public KcpFuture<KcpServerChannel> bind(int port) {
        return bind(new InetSocketAddress(port));
    }

    /**
     * Binds the server to a port of one local address.
     *
     * @param host the address
     * @param port the port, 0 for any
     * @return see {@link #bind(SocketAddress)}
     */
    public KcpFuture<KcpServerChannel> bind(String host, int port) {
        return bind(new InetSocketAddress(host, port));
    }

    /**
     * Binds the server to a local address.
     *
     * @param localAddress the address, port 0 for any port
     * @return a future with the server; fails if the port is in use or the event loops have terminated
     * @throws IllegalArgumentException if the child handler is not sharable, a child option is out of range, or the overhead of the cipher
     *                                  and FEC leaves too little room in the MTU
     */
    public KcpFuture<KcpServerChannel> bind(SocketAddress localAddress) {
        if (!(localAddress instanceof InetSocketAddress address) || address.isUnresolved()) {
            throw new IllegalArgumentException("localAddress: " + localAddress + " (expected: a resolved InetSocketAddress)");
        }
        EventLoopGroup loops = group;
        if (loops == null) {
            throw new IllegalStateException("group not set");
        }
        ChannelHandler child = childHandler;
        if (child == null) {
            throw new IllegalStateException("childHandler not set");
        }
        SessionSetup.checkSharable(child);
        check();
        KcpTransport transport = KcpTransport.of(loops);
        DefaultKcpServerChannel server = new DefaultKcpServerChannel();
        ChannelHandler serverHandler = handler;
        if (serverHandler != null) {
            server.pipeline().addLast(serverHandler);
        }
        SessionSetup.setAttributes(server, attributes);
        List<EventLoop> serving = DatagramSockets.loops(loops, transport, sockets);
        EventLoop first = serving.get(0);
        OpeningPromise<KcpServerChannel> promise = new OpeningPromise<KcpServerChannel>(server, first).failWithLoop();
        ChannelHandler pipeline = pipeline(settings(child, server, server::onAccepted, false));
        Opening opening = new Opening(server, promise, socketBootstraps(serving, transport, pipeline), address);
        ChannelFuture registration = first.register(server);
        Throwable refusal = registration.cause();
        if (refusal != null) {
            // Reports the failure here, because a terminated event loop does not notify listeners.
            promise.tryFailure(refusal);
            return promise;
        }
        registration.addListener(registered -> {
            if (registered.isSuccess()) {
                opening.start();
            } else {
                promise.tryFailure(registered.cause());
            }
        });
        return promise;
    }

    private List<Bootstrap> socketBootstraps(List<EventLoop> serving, KcpTransport transport, ChannelHandler pipeline) {
        List<Bootstrap> bootstraps = new ArrayList<>();
        for (EventLoop loop : serving) {
            Bootstrap bootstrap = DatagramSockets.bootstrap(loop, transport, socketBufferBytes)
                .option(ChannelOption.AUTO_READ, false)
                .handler(pipeline);
            // The first socket is bound without port sharing, so that binding fails if the port is in use. Once bound, this socket permits
            // the other sockets to share its port.
            if (!bootstraps.isEmpty() || sharedPort) {
                bootstrap.option(DatagramSockets.reusePort(transport), true);
            }
            DatagramSockets.setOptions(bootstrap, options);
            bootstraps.add(bootstrap);
        }
        return bootstraps;
    }

    /** Binds all sockets of a server one after another, because binding the first socket may determine the port of the others. */
    private final class Opening {

        private final DefaultKcpServerChannel server;
        private final ChannelPromise promise;
        private final List<Bootstrap> bootstraps;
        /** {@code true} if the application has neither set nor disabled a cipher. */
        private final boolean unprotected;
        private InetSocketAddress address;
        private @Nullable Throwable failure;

        Opening(DefaultKcpServerChannel server, ChannelPromise promise, List<Bootstrap> bootstraps, InetSocketAddress address) {
            unprotected = !isCryptoSet();
            this.server = server;
            this.promise = promise;
            this.bootstraps = bootstraps;
            this.address = address;
        }

        void start() {
            if (promise.setUncancellable()) {
                server.closeFuture().addListener(closed -> {
                    // The server channel closes before it is bound if its event loop shuts down or if the application closes the channel.
                    Throwable cause = failure;
                    promise.tryFailure(cause != null ? cause : new ClosedChannelException());
                });
                bind(0);
            } else {
                server.close();
            }
        }

        private void bind(int index) {
            if (index == bootstraps.size()) {
                succeed();
                return;
            }
            ChannelFuture binding = bootstraps.get(index).bind(address);
            if (binding.cause() != null) {
                // Handles the failure here, because the event loop of the socket does not notify listeners if it has terminated.
                onBound(index, binding);
                return;
            }
            binding.addListener((ChannelFutureListener) bound -> {
                try {
                    // This listener runs on the event loop of the socket, which may differ from the event loop of the server.
                    server.eventLoop().execute(() -> onBound(index, bound));
                } catch (RejectedExecutionException ended) {
                    bound.channel().close();
                }
            });
        }

        private void onBound(int index, ChannelFuture bound) {
            if (!bound.isSuccess()) {
                fail(DatagramSockets.bindFailure(bound.cause(), address));
                return;
            }
            DatagramChannel socket = (DatagramChannel) bound.channel();
            if (!server.isOpen()) {
                socket.close();
                return;
            }
            if (!socket.isOpen()) {
                fail(new ClosedChannelException());
                return;
            }
            try {
                server.addSocket(socket);
            } catch (IllegalStateException incomplete) {
                socket.close();
                fail(incomplete);
                return;
            }
            socket.closeFuture().addListener(closed -> server.onSocketClosed(socket));
            DatagramSockets.allowFragments(socket, KcpTransport.of(socket.eventLoop()));
            if (index == 0) {
                if (bootstraps.size() > 1) {
                    DatagramSockets.sharePort(socket);
                }
                address = new InetSocketAddress(address.getAddress(), socket.localAddress().getPort());
                DatagramSockets.checkBuffers(socket, socketBufferBytes);
            }
            bind(index + 1);
        }

        private void succeed() {
            server.bind(address).addListener(bound -> {
                if (!bound.isSuccess()) {
                    fail(bound.cause());
                    return;
                }
                if (unprotected && !address.getAddress().isLoopbackAddress()) {
                    LOGGER.warn(NO_CIPHER, address);
                }
                try {
                    server.startReading(promise::trySuccess);
                } catch (RejectedExecutionException ended) {
                    fail(ended);
                }
            });
        }

        private void fail(Throwable cause) {
            failure = cause;
            server.close();
            promise.tryFailure(cause);
        }
    }
}
