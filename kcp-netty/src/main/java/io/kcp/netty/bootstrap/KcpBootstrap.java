package io.kcp.netty.bootstrap;

import io.kcp.core.KcpConfig;
import io.kcp.netty.ForeignDatagramHandler;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.ListenerSettings;
import io.kcp.netty.internal.handler.OpeningPromise;
import io.kcp.netty.internal.session.ReducedMtus;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens KCP sessions as a client. This class is used like Netty's {@code Bootstrap}.
 *
 * <pre>{@code
 * KcpChannel session = new KcpBootstrap().group(group).config(KcpConfig.fast3())
 *     .handler(handler)
 *     .connect("game.example", 9000).sync().channel();
 * }</pre>
 *
 * <p>Each session has its own connected socket, which is closed with the session, because kcp-go servers distinguish clients by their
 * address. Not thread-safe; may be reused for further sessions.
 */
public final class KcpBootstrap extends AbstractKcpBuilder<KcpBootstrap> {

    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * The log of datagrams that cannot be decrypted. All sessions share its rate limit, because a client with a wrong key may open many
     * sessions.
     */
    private final DecryptionFailureLog decryptionFailures = new DecryptionFailureLog();
    private final ReducedMtus reducedMtus = new ReducedMtus();
    private final Map<ChannelOption<?>, Object> options = new LinkedHashMap<>();
    private final Map<ChannelOption<?>, Object> socketOptions = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> attributes = new LinkedHashMap<>();
    private @Nullable EventLoopGroup group;
    private @Nullable ChannelHandler handler;
    private @Nullable InetSocketAddress localAddress;
    private @Nullable Integer conv;
    private AddressResolverGroup<?> resolver = DefaultAddressResolverGroup.INSTANCE;
    private int socketBufferBytes = DatagramSockets.SOCKET_BUFFER_BYTES;

    /** Creates a bootstrap with default settings. A group and a handler must be set. */
    public KcpBootstrap() {
    }

    /**
     * Sets the event loops that serve the sessions. Each session is served by one of them.
     *
     * @param group event loops of one of the transports in {@link KcpTransport}
     * @return this
     */
    public KcpBootstrap group(EventLoopGroup group) {
        this.group = Objects.requireNonNull(group, "group");
        return this;
    }

    /**
     * Returns the event loops that serve the sessions.
     *
     * @return the group set by {@link #group(EventLoopGroup)}
     * @throws IllegalStateException if no group was set
     */
    public EventLoopGroup group() {
        EventLoopGroup loops = group;
        if (loops == null) {
            throw new IllegalStateException("group not set");
        }
        return loops;
    }

    /**
     * Sets a channel option of all sessions that this bootstrap opens.
     *
     * @param option an option of {@link KcpChannelOption} or {@link ChannelOption}
     * @param value  its value
     * @param <T>    type of the value
     * @return this
     */
    public <T> KcpBootstrap option(ChannelOption<T> option, T value) {
        options.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, option.name()));
        return this;
    }

    /**
     * Sets a channel option of the UDP sockets that carry the sessions.
     *
     * @param option the option
     * @param value  its value
     * @param <T>    type of the value
     * @return this
     */
    public <T> KcpBootstrap socketOption(ChannelOption<T> option, T value) {
        socketOptions.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, option.name()));
        return this;
    }

    /**
     * Sets a channel attribute of all sessions that this bootstrap opens.
     *
     * @param key   the key
     * @param value its value
     * @param <T>   type of the value
     * @return this
     */
    public <T> KcpBootstrap attr(AttributeKey<T> key, T value) {
        attributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the handler of each session, usually a {@code ChannelInitializer<KcpChannel>}.
     *
     * @param handler the handler
     * @return this
     */
    public KcpBootstrap handler(ChannelHandler handler) {
        this.handler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Sets the KCP settings of all sessions that this bootstrap opens. This method is a shorthand for the option
     * {@link KcpChannelOption#KCP_CONFIG}.
     *
     * @param config the settings
     * @return this
     */
    public KcpBootstrap config(KcpConfig config) {
        return option(KcpChannelOption.KCP_CONFIG, config);
    }

    /**
     * Sets the conversation id of the sessions. By default each session gets a random id, which is never 0 because tokio_kcp interprets 0
     * as a request to choose an id.
     *
     * @param conv the id
     * @return this
     */
    public KcpBootstrap conv(int conv) {
        this.conv = conv;
        return this;
    }

    /**
     * Sets the local address of the sockets. By default the operating system chooses the address and the port.
     *
     * @param localAddress the address; port 0 for any port
     * @return this
     */
    public KcpBootstrap localAddress(InetSocketAddress localAddress) {
        this.localAddress = Objects.requireNonNull(localAddress, "localAddress");
        return this;
    }

    /**
     * Sets the resolver for unresolved remote addresses. Addresses are resolved again for each session. The default is Netty's resolver,
     * which calls the JDK's resolver and blocks the event loop until it returns. The resolver of {@code netty-resolver-dns} does not block:
     * <pre>{@code
     * bootstrap.resolver(new DnsAddressResolverGroup(KcpTransport.best().channelFactory(),
     *     DnsServerAddressStreamProviders.platformDefault()));
     * }</pre>
     *
     * @param resolver the resolver group
     * @return this
     */
    public KcpBootstrap resolver(AddressResolverGroup<?> resolver) {
        this.resolver = Objects.requireNonNull(resolver, "resolver");
        return this;
    }

    /**
     * Sets the size of the receive buffer and of the send buffer that the socket requests from the kernel. The default is 4 MiB.
     *
     * @param bytes at least 1
     * @return this
     */
    public KcpBootstrap socketBufferBytes(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("socketBufferBytes: " + bytes + " (expected: at least 1)");
        }
        this.socketBufferBytes = bytes;
        return this;
    }

    /**
     * Opens a session to a host and a port.
     *
     * @param host name or address of the peer
     * @param port port of the peer
     * @return see {@link #connect(SocketAddress)}
     */
    public KcpFuture<KcpChannel> connect(String host, int port) {
        return connect(InetSocketAddress.createUnresolved(host, port));
    }

    /**
     * Opens a session. Nothing is sent, because KCP has no handshake. An unreachable peer is detected only when it does not respond to a
     * write.
     *
     * @param remoteAddress the peer
     * @return a future with the session; fails if the name cannot be resolved, no socket can be opened, the application closes the session
     *         before, or the event loops have terminated
     */
    public KcpFuture<KcpChannel> connect(SocketAddress remoteAddress) {
        EventLoopGroup loops = group();
        ChannelHandler sessionHandler = handler;
        if (sessionHandler == null) {
            throw new IllegalStateException("handler not set");
        }
        return connect(loops, remoteAddress, sessionHandler);
    }

    /**
     * Opens a session with a handler other than that of {@link #handler(ChannelHandler)}. Unlike the other methods, this method may be
     * called by several threads at the same time, as long as no thread changes the settings.
     *
     * @param remoteAddress the peer
     * @param handler       the handler of the session
     * @return see {@link #connect(SocketAddress)}
     */
    public KcpFuture<KcpChannel> connect(SocketAddress remoteAddress, ChannelHandler handler) {
        return connect(group(), remoteAddress, Objects.requireNonNull(handler, "handler"));
    }

    private KcpFuture<KcpChannel> connect(EventLoopGroup loops, SocketAddress remoteAddress, ChannelHandler sessionHandler) {
        checkRoaming();
        EventLoop loop = loops.next();
        DefaultKcpHandler kcp = new DefaultKcpHandler(
            new ListenerSettings(true, isRoaming(), reducedMtus, ForeignDatagramHandler.NONE, null));
        int id = conv != null ? conv : drawConv(RANDOM::nextInt);
        if (loop.isShutdown()) {
            DefaultKcpChannel refused = kcp.newSession(null, id);
            OpeningPromise<KcpChannel> refusal = OpeningPromise.ofSession(refused, loop);
            OpeningPromise.closeUnregistered(refused, loop);
            refusal.tryFailure(new RejectedExecutionException("Cannot open a session, because the event loop has terminated"));
            return refusal;
        }
        Bootstrap bootstrap = DatagramSockets.bootstrap(loop, KcpTransport.of(loops), socketBufferBytes).resolver(resolver)
            .handler(initializer(decryptionFailures, null, () -> kcp));
        DatagramSockets.setOptions(bootstrap, socketOptions);
        InetSocketAddress local = localAddress;
        ChannelFuture connected = local == null ? bootstrap.connect(remoteAddress) : bootstrap.connect(remoteAddress, local);
        DefaultKcpChannel session = kcp.newSession(connected.channel(), id);
        OpeningPromise<KcpChannel> promise = OpeningPromise.ofSession(session, loop).failWithLoop();
        promise.addListener(opened -> {
            if (!opened.isSuccess() && loop.isTerminated() && !session.isRegistered()) {
                // Closes the session here, because the event loop has terminated and can no longer close it.
                OpeningPromise.closeUnregistered(session, loop);
            }
        });
        // The application may close the session while the name is being resolved, which may take long.
        ChannelFutureListener onClosed = closed -> {
            if (!connected.isDone()) {
                promise.tryFailure(new ClosedChannelException());
                if (connected.channel().isRegistered()) {
                    connected.channel().close();
                }
            }
        };
        session.closeFuture().addListener(onClosed);
        promise.addListener(opened -> session.closeFuture().removeListener(onClosed));
        Map<ChannelOption<?>, Object> sessionOptions = new LinkedHashMap<>(options);
        Map<AttributeKey<?>, Object> sessionAttributes = new LinkedHashMap<>(attributes);
        connected.addListener((ChannelFutureListener) future -> {
            if (!future.isSuccess() || !future.channel().isOpen()) {
                fail(session, promise, future.isSuccess() ? new ClosedChannelException() : future.cause());
                return;
            }
            DatagramChannel socket = (DatagramChannel) future.channel();
            DatagramSockets.checkBuffers(socket, socketBufferBytes);
            DatagramSockets.allowFragments(socket, KcpTransport.of(loops));
            session.setRemoteAddress(socket.remoteAddress());
            kcp.open(session, sessionHandler, sessionOptions, sessionAttributes, promise);
            promise.addListener(opened -> {
                if (!opened.isSuccess()) {
                    socket.close();
                }
            });
        });
        return promise;
    }

    private static void fail(DefaultKcpChannel session, ChannelPromise promise, Throwable cause) {
        session.unsafe().close(session.unsafe().voidPromise());
        promise.tryFailure(cause);
    }

    /** Draws a random conversation id that is not 0. */
    static int drawConv(IntSupplier random) {
        int id = random.getAsInt();
        while (id == 0) {
            id = random.getAsInt();
        }
        return id;
    }
}
