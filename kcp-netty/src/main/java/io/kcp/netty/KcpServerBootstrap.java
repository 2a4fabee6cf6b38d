package io.kcp.netty;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.admission.ReplayFilter;
import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.SessionLimits;
import io.kcp.netty.admission.UndecipheredLog;
import io.kcp.netty.socket.SocketOffload;
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
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Starts a KCP server; reads like Netty's {@code ServerBootstrap}.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(KcpTransport.best().ioHandlerFactory());
 * KcpServerChannel server = new KcpServerBootstrap().group(group).config(KcpConfig.fast3())
 *     .childHandler(new ChannelInitializer<KcpChannel>() { ... })
 *     .bind(9000).sync().channel();
 * }</pre>
 *
 * <p>Closing the channel waits for the sessions: for what their handlers finish first ({@link KcpServerCloseEvent}), and until their
 * peers have acknowledged what was written, at most for {@link KcpChannelOption#LINGER_MS} each, all at the same time. A peer that has
 * vanished is given up when nothing was received from it for a fifth of that time, at least a second, in spite of four
 * retransmissions. The sockets close last, those of all event loops together.
 *
 * <p>Binds one socket per event loop where the kernel spreads the peers of one port over them (epoll and io_uring), else
 * one socket. Not thread safe; may be used again for another server.
 */
public final class KcpServerBootstrap {

    private final Map<ChannelOption<?>, Object> options = new LinkedHashMap<>();
    private final Map<ChannelOption<?>, Object> childOptions = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> childAttributes = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> attributes = new LinkedHashMap<>();
    private @Nullable EventLoopGroup group;
    private @Nullable ChannelHandler handler;
    private @Nullable ChannelHandler childHandler;
    private AcceptFilter acceptFilter = AcceptFilter.ALL;
    private ForeignDatagramHandler foreignHandler = ForeignDatagramHandler.NONE;
    private SessionLimits limits = SessionLimits.DEFAULT;
    private int sockets;
    private @Nullable CryptoConfig crypto;
    /** The same for all sockets, so that each recognises what another of them sealed. */
    private @Nullable CryptoConfig guardedCrypto;
    private @Nullable FecConfig fec;
    private int socketBufferBytes = DatagramSockets.SOCKET_BUFFER_BYTES;
    private SocketOffload offload = SocketOffload.ALL;
    private boolean sharedPort;
    private boolean replayProtection = true;

    /** Creates a bootstrap with nothing set. */
    public KcpServerBootstrap() {
    }

    /**
     * Sets the event loops; sessions live on them.
     *
     * @param group loops of a transport of {@link KcpTransport}
     * @return this
     */
    public KcpServerBootstrap group(EventLoopGroup group) {
        this.group = Objects.requireNonNull(group, "group");
        return this;
    }

    /**
     * Sets an option of the sockets.
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
     * Sets the handler of the server channel, which sees each accepted session as a message.
     *
     * @param handler the handler
     * @return this
     */
    public KcpServerBootstrap handler(ChannelHandler handler) {
        this.handler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Sets the handler of each session, usually a {@code ChannelInitializer<KcpChannel>}. An initializer that throws counts as broken:
     * after several failures in a row the server tries one session every few seconds. To refuse certain peers use
     * {@link #acceptFilter}, or close the session in the initializer.
     *
     * @param childHandler the handler; sharable
     * @return this
     */
    public KcpServerBootstrap childHandler(ChannelHandler childHandler) {
        this.childHandler = Objects.requireNonNull(childHandler, "childHandler");
        return this;
    }

    /**
     * Sets an option of the sessions.
     *
     * @param option see {@link KcpChannelOption}
     * @param value  its value
     * @param <T>    type of the value
     * @return this
     */
    public <T> KcpServerBootstrap childOption(ChannelOption<T> option, T value) {
        childOptions.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, option.name()));
        return this;
    }

    /**
     * Sets an attribute of the sessions.
     *
     * @param key   the key
     * @param value its value
     * @param <T>   type of the value
     * @return this
     */
    public <T> KcpServerBootstrap childAttr(AttributeKey<T> key, T value) {
        childAttributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the settings of the conversations: short for the child option {@link KcpChannelOption#KCP_CONFIG}.
     *
     * @param config the settings
     * @return this
     */
    public KcpServerBootstrap config(KcpConfig config) {
        return childOption(KcpChannelOption.KCP_CONFIG, config);
    }

    /**
     * Returns the settings of the conversations.
     *
     * @return what {@link #config(KcpConfig)} and the child options have set so far, the library's defaults included
     * @throws IllegalArgumentException if a child option is out of range
     */
    public KcpConfig config() {
        return ConversationOption.config(childOptions);
    }

    /**
     * Sets who may open a session. The default is everybody.
     *
     * @param acceptFilter the filter; called on all event loops
     * @return this
     */
    public KcpServerBootstrap acceptFilter(AcceptFilter acceptFilter) {
        this.acceptFilter = Objects.requireNonNull(acceptFilter, "acceptFilter");
        return this;
    }

    /**
     * Sets what sees datagrams that are not KCP.
     *
     * @param foreignHandler the handler; called on all event loops
     * @return this
     */
    public KcpServerBootstrap foreignDatagrams(ForeignDatagramHandler foreignHandler) {
        this.foreignHandler = Objects.requireNonNull(foreignHandler, "foreignHandler");
        return this;
    }

    /**
     * Limits the open sessions of the server, all sockets together. The default follows from the memory of the JVM: one session for
     * every 16 KiB of the maximum heap and every 8 KiB of direct memory, whichever gives less; 256 to 1048576.
     *
     * @param maxSessions at least 1
     * @return this
     */
    public KcpServerBootstrap maxSessions(int maxSessions) {
        limits = limits.withTotal(maxSessions);
        return this;
    }

    /**
     * Limits the open sessions of one IP address, whatever its ports; an IPv6 /64 counts as one address, and an address of NAT64
     * ({@code 64:ff9b::/96}) as the IPv4 address in it. Addresses of {@link #trustedPrefixes} are exempt. The default is an eighth of
     * {@link #maxSessions(int)}, at least 64.
     *
     * @param maxSessionsPerAddress at least 1
     * @return this
     */
    public KcpServerBootstrap maxSessionsPerAddress(int maxSessionsPerAddress) {
        limits = limits.withPerAddress(maxSessionsPerAddress);
        return this;
    }

    /**
     * Limits the open sessions that are younger than 10 s and whose peer has not yet acknowledged anything that the server sent. A
     * newcomer beyond the limit evicts the oldest of them ({@link KcpCloseReason#EVICTED}), because these may come from forged
     * addresses. The default is a quarter of {@link #maxSessions(int)} or 256, whichever is more, but at most {@code maxSessions}.
     * A newcomer beyond {@link #maxSessions(int)} evicts such a session too, or an older one whose peer has not acknowledged anything
     * and from which fewer than 16 datagrams were received.
     *
     * @param maxUnvalidatedSessions at least 1
     * @return this
     */
    public KcpServerBootstrap maxUnvalidatedSessions(int maxUnvalidatedSessions) {
        limits = limits.withUnvalidated(maxUnvalidatedSessions);
        return this;
    }

    /**
     * Exempts addresses from {@link #maxSessionsPerAddress(int)}: those of load balancers and carrier NAT, which many clients share.
     * Replaces the default, {@code 127.0.0.0/8} and {@code ::1/128}.
     *
     * @param prefixes IP prefixes such as {@code 10.0.0.0/8}; none to trust no address
     * @return this
     */
    public KcpServerBootstrap trustedPrefixes(String... prefixes) {
        limits = limits.withTrustedPrefixes(prefixes);
        return this;
    }

    /**
     * Sets how many sockets share the port. The default is one per event loop; 1 where the transport cannot share.
     *
     * @param sockets at least 1
     * @return this
     */
    public KcpServerBootstrap sockets(int sockets) {
        this.sockets = SessionLimits.atLeastOne("sockets", sockets);
        return this;
    }

    /**
     * Sets the cipher and the key of all datagrams; the peer must have the same. The default is none: everybody on the way
     * can read, and forge.
     *
     * @param crypto cipher and key, and others that are accepted too while keys rotate; null for none
     * @return this
     */
    public KcpServerBootstrap crypto(@Nullable CryptoConfig crypto) {
        this.crypto = crypto;
        guardedCrypto = crypto == null ? null : CryptoCodec.guarded(crypto);
        return this;
    }

    /**
     * Returns the cipher and the key.
     *
     * @return what {@link #crypto(CryptoConfig)} set; null for none
     */
    public @Nullable CryptoConfig crypto() {
        return crypto;
    }

    /**
     * Sets whether a datagram that could open a session is accepted only once in ten minutes, from whatever address: a
     * recording of one opens nothing then. Works with a cipher only, within this process. The default is true; false for
     * clients that send the same first datagram again and again (fixed {@code conv}, clock from 0, same first message).
     *
     * @param replayProtection whether
     * @return this
     */
    public KcpServerBootstrap replayProtection(boolean replayProtection) {
        this.replayProtection = replayProtection;
        return this;
    }

    /**
     * Sets what parity is sent. The default is none. What the peer sends is understood in any case.
     *
     * @param fec the settings; null for none
     * @return this
     */
    public KcpServerBootstrap fec(@Nullable FecConfig fec) {
        this.fec = fec;
        return this;
    }

    /**
     * Returns what parity is sent.
     *
     * @return what {@link #fec(FecConfig)} set; null for none
     */
    public @Nullable FecConfig fec() {
        return fec;
    }

    /**
     * Sets how many datagrams to one peer are handed to the kernel as one (GSO), where it can take them. They leave as a
     * burst, which the receive buffer of the peer must hold. The default is 64.
     *
     * @param datagrams 1 to 64; 1 for none
     * @return this
     */
    public KcpServerBootstrap gsoDatagrams(int datagrams) {
        offload = offload.withGsoDatagrams(datagrams);
        return this;
    }

    /**
     * Sets whether the kernel may hand over as one what comes as a run from one peer (GRO), where it can and while such
     * runs come. The default is that it may.
     *
     * @param on whether
     * @return this
     */
    public KcpServerBootstrap gro(boolean on) {
        offload = offload.withGro(on);
        return this;
    }

    /**
     * Sets the receive and send buffer that each socket asks the kernel for. The default is 4 MiB.
     *
     * @param bytes at least 1
     * @return this
     */
    public KcpServerBootstrap socketBufferBytes(int bytes) {
        this.socketBufferBytes = SessionLimits.atLeastOne("socketBufferBytes", bytes);
        return this;
    }

    /**
     * Allows the port to be in use by other sockets that share it, of another process too: for restarts without a gap. The
     * default is false: a taken port fails, also if its owner shares it and if both bind at the same time. A program of the
     * same user that asks to share the port <i>later</i> gets in nevertheless: Linux lets nobody refuse that.
     *
     * @param sharedPort whether
     * @return this
     */
    public KcpServerBootstrap sharedPort(boolean sharedPort) {
        this.sharedPort = sharedPort;
        return this;
    }

    /**
     * Binds to a port of all local addresses.
     *
     * @param port the port, 0 for any
     * @return see {@link #bind(SocketAddress)}
     */
    public KcpFuture<KcpServerChannel> bind(int port) {
        return bind(new InetSocketAddress(port));
    }

    /**
     * Binds to a port of one local address.
     *
     * @param host the address
     * @param port the port, 0 for any
     * @return see {@link #bind(SocketAddress)}
     */
    public KcpFuture<KcpServerChannel> bind(String host, int port) {
        return bind(new InetSocketAddress(host, port));
    }

    /**
     * Binds.
     *
     * @param localAddress where to
     * @return a future with the server; fails if the port is taken or the event loops have ended
     * @throws IllegalArgumentException if the child handler is not sharable, a child option is out of range, or the MTU leaves too
     *                                  little beside cipher and FEC
     */
    public KcpFuture<KcpServerChannel> bind(SocketAddress localAddress) {
        if (!(localAddress instanceof InetSocketAddress address) || address.isUnresolved()) {
            throw new IllegalArgumentException("localAddress: " + localAddress + " (expected: a resolved InetSocketAddress)");
        }
        EventLoopGroup loops = group;
        if (loops == null) {
            throw new IllegalStateException("group not set");
        }
        if (childHandler == null) {
            throw new IllegalStateException("childHandler not set");
        }
        KcpHandlerBuilder handlers = handlers();
        DefaultKcpChannelConfig.check(childOptions, KcpHandlerInitializer.overheadBytes(crypto, fec));
        KcpTransport transport = KcpTransport.of(loops);
        DefaultKcpServerChannel server = new DefaultKcpServerChannel();
        ChannelHandler serverHandler = handler;
        if (serverHandler != null) {
            server.pipeline().addLast(serverHandler);
        }
        KcpHandlerInitializer.setAttributes(server, attributes);
        List<EventLoop> serving = DatagramSockets.loops(loops, transport, sockets);
        EventLoop first = serving.get(0);
        OpeningPromise<KcpServerChannel> promise = new OpeningPromise<KcpServerChannel>(server, first).failWithLoop();
        Opening opening = new Opening(server, promise, socketBootstraps(serving, transport, handlers.serverChannel(server)), address);
        ChannelFuture registration = first.register(server);
        Throwable refusal = registration.cause();
        if (refusal != null) {
            // The loop may have ended; it would call no listener.
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

    private List<Bootstrap> socketBootstraps(List<EventLoop> serving, KcpTransport transport, KcpHandlerBuilder handlers) {
        List<Bootstrap> bootstraps = new ArrayList<>();
        UndecipheredLog undecipheredLog = new UndecipheredLog();
        for (EventLoop loop : serving) {
            Bootstrap bootstrap = DatagramSockets.bootstrap(loop, transport, socketBufferBytes)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new KcpHandlerInitializer(guardedCrypto, undecipheredLog, fec, offload, handlers));
            // The first has to find the port free; it lets the others in when it has it.
            if (!bootstraps.isEmpty() || sharedPort) {
                bootstrap.option(DatagramSockets.reusePort(transport), true);
            }
            KcpHandlerInitializer.setOptions(bootstrap, options);
            bootstraps.add(bootstrap);
        }
        return bootstraps;
    }

    private KcpHandlerBuilder handlers() {
        ChannelHandler child = childHandler;
        assert child != null;
        KcpHandlerBuilder builder = KcpHandler.server(child).acceptFilter(acceptFilter).foreignDatagrams(foreignHandler)
            .childOptions(childOptions).childAttributes(childAttributes);
        if (replayProtection && crypto != null && !crypto.isNull()) {
            builder.replayFilter(new ReplayFilter(new SecureRandom()));
        }
        return builder.limits(limits).counts(new SessionCounts(limits));
    }

    /** One attempt to bind: the sockets one after the other, as the first may choose the port for all. */
    private final class Opening {

        private final DefaultKcpServerChannel server;
        private final ChannelPromise promise;
        private final List<Bootstrap> bootstraps;
        private InetSocketAddress address;
        private @Nullable Throwable failure;

        Opening(DefaultKcpServerChannel server, ChannelPromise promise, List<Bootstrap> bootstraps, InetSocketAddress address) {
            this.server = server;
            this.promise = promise;
            this.bootstraps = bootstraps;
            this.address = address;
        }

        void start() {
            if (promise.setUncancellable()) {
                server.closeFuture().addListener(closed -> {
                    // Its loop shuts down, or somebody did not wait.
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
                // The loop of that socket may have ended, and then calls no listeners.
                onBound(index, binding);
                return;
            }
            binding.addListener((ChannelFutureListener) bound -> {
                try {
                    // This runs on the loop of the socket.
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
            try {
                server.addSocket(socket);
            } catch (IllegalStateException incomplete) {
                socket.close();
                fail(incomplete);
                return;
            }
            socket.closeFuture().addListener(closed -> server.onSocketClosed(socket));
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
