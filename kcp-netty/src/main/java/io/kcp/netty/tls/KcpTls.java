package io.kcp.netty.tls;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.internal.base.PartialInputLimit;
import io.kcp.netty.internal.session.AbstractSession;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ImmediateExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Adds TLS to sessions. TLS authenticates the server, and optionally the client, with certificates. With TLS 1.3, recorded traffic stays
 * secret even if the private keys of the certificates become known later.
 *
 * <pre>{@code
 * KcpTls tls = KcpTls.server(() -> sslContext);
 * serverBootstrap.childHandler(new ChannelInitializer<KcpChannel>() {
 *     protected void initChannel(KcpChannel session) {
 *         tls.addTo(session);
 *         session.pipeline().addLast(handler);
 *     }
 * });
 * }</pre>
 *
 * <p>Handlers that are added after TLS receive {@code channelActive} when the handshake has succeeded. They may write earlier, because the
 * data is queued until then. If the handshake fails, they receive neither {@code channelActive} nor {@code channelInactive}, and the
 * session is closed with {@link io.kcp.netty.KcpCloseReason#TLS_FAILED}. A session whose peer closes TLS is closed with
 * {@link io.kcp.netty.KcpCloseReason#PEER_CLOSED}.
 *
 * <p>TLS transmits bytes, so the session itself uses {@link KcpTransferMode#STREAM}. If the session is configured for {@link
 * KcpTransferMode#MESSAGE}, each message is preceded by its length as an integer of 4 bytes in network byte order, so that the peer
 * receives the same messages. A message of more than {@link KcpConfig#maxMessageBytes()} is neither sent nor received.
 *
 * <p>A server closes a session whose client sends no message for {@link io.kcp.netty.KcpChannelOption#FIRST_MESSAGE_TIMEOUT_MS} after the
 * handshake. The memory of incomplete TLS records and messages counts towards the limit that {@code PacketDecoder} describes. If that
 * memory is short, sessions are closed with {@link io.kcp.netty.KcpCloseReason#MEMORY_LIMIT}.
 *
 * <p>Out-of-band messages bypass TLS. Those of the peer are therefore dropped.
 *
 * <p>Instances are immutable, and any thread may use them for any number of sessions.
 */
public final class KcpTls {

    private static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);
    private static final List<String> DEFAULT_PROTOCOLS = List.of("TLSv1.3");

    private final boolean isClient;
    private final Supplier<SslContext> contexts;
    private final Duration handshakeTimeout;
    private final @Nullable String peerHost;
    private final Executor executor;
    private final List<String> protocols;
    private final boolean validatedPeersOnly;
    private final PartialInputLimit limit;

    private KcpTls(boolean isClient, Supplier<SslContext> contexts, Duration handshakeTimeout, @Nullable String peerHost,
        Executor executor, List<String> protocols, boolean validatedPeersOnly, PartialInputLimit limit) {
        this.isClient = isClient;
        this.contexts = Objects.requireNonNull(contexts, "contexts");
        this.handshakeTimeout = handshakeTimeout;
        this.peerHost = peerHost;
        this.executor = Objects.requireNonNull(executor, "executor");
        this.protocols = protocols;
        this.validatedPeersOnly = validatedPeersOnly;
        this.limit = limit;
    }

    private KcpTls(boolean isClient, Supplier<SslContext> contexts) {
        this(isClient, contexts, DEFAULT_HANDSHAKE_TIMEOUT, null, ImmediateExecutor.INSTANCE, DEFAULT_PROTOCOLS, true,
            PartialInputLimit.SHARED);
    }

    /**
     * Creates TLS for the sessions of a server.
     *
     * @param contexts returns the context for each new session, so that certificates can be replaced while the server runs. Called on event
     *                 loops
     * @return an instance with default settings
     */
    public static KcpTls server(Supplier<SslContext> contexts) {
        return new KcpTls(false, contexts);
    }

    /**
     * Creates TLS for sessions that this side opens.
     *
     * @param contexts returns the context for each new session. Called on event loops
     * @return an instance with default settings
     */
    public static KcpTls client(Supplier<SslContext> contexts) {
        return new KcpTls(true, contexts);
    }

    /**
     * Sets the time within which the handshake must finish. The session is closed otherwise. The default is 10 s.
     *
     * @param timeout a positive duration, or zero for no timeout
     * @return an instance with the changed setting
     */
    public KcpTls handshakeTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: 0 or more)");
        }
        return new KcpTls(isClient, contexts, timeout, peerHost, executor, protocols, validatedPeersOnly, limit);
    }

    /**
     * Sets the host name that a client expects in the certificate of the server. The default is the host name, or the IP address, to which
     * the session was opened.
     *
     * @param host a host name or an IP address
     * @return an instance with the changed setting
     */
    public KcpTls peerHost(String host) {
        if (!isClient) {
            throw new IllegalStateException("peerHost is a setting of clients");
        }
        return new KcpTls(true, contexts, handshakeTimeout, Objects.requireNonNull(host, "host"), executor, protocols, validatedPeersOnly,
            limit);
    }

    /**
     * Sets the executor of the expensive parts of a handshake, such as signatures. By default, the event loop executes them, which delays
     * its other sessions by up to some milliseconds per handshake.
     *
     * <p>The queue of the executor should be bounded. A session whose task is rejected is closed with
     * {@link io.kcp.netty.KcpCloseReason#TLS_FAILED}. Tasks of sessions that were closed while they waited are not run.
     *
     * @param executor executes short tasks that do not block
     * @return an instance with the changed setting
     */
    public KcpTls executor(Executor executor) {
        return new KcpTls(isClient, contexts, handshakeTimeout, peerHost, executor, protocols, validatedPeersOnly, limit);
    }

    /**
     * Sets the versions of TLS that this side accepts, regardless of the versions in the {@code SslContext}. The default is TLS 1.3 only.
     * TLS 1.2 provides forward secrecy only with some ciphers, and permits clients to repeat the expensive handshake within a session.
     *
     * @param versions names such as {@code TLSv1.3}; none to use the versions of the {@code SslContext}
     * @return an instance with the changed setting
     */
    public KcpTls protocols(String... versions) {
        return new KcpTls(isClient, contexts, handshakeTimeout, peerHost, executor, List.of(versions), validatedPeersOnly, limit);
    }

    /**
     * Sets whether a server begins the handshake only when the client has proved its address, so that datagrams from forged addresses cause
     * no signatures. The default is {@code true}.
     *
     * <p>A full handshake does not take longer with this setting, because a certificate exceeds the
     * {@linkplain io.kcp.netty.bootstrap.KcpServerBootstrap#amplificationLimit amplification limit} anyway. A resumed session takes
     * one more round trip. If the amplification limit is off, the handshake always begins immediately.
     *
     * @param required {@code true} to require the proof
     * @return an instance with the changed setting
     */
    public KcpTls validatedPeersOnly(boolean required) {
        return new KcpTls(isClient, contexts, handshakeTimeout, peerHost, executor, protocols, required, limit);
    }

    /** Sets the limit towards which incomplete records and messages count. */
    KcpTls limit(PartialInputLimit incomplete) {
        return new KcpTls(isClient, contexts, handshakeTimeout, peerHost, executor, protocols, validatedPeersOnly, incomplete);
    }

    /**
     * Adds TLS to the end of a session's pipeline. Must be called before the session is active, usually in {@code initChannel}.
     *
     * @param session the session
     */
    public void addTo(KcpChannel session) {
        KcpConfig config = session.config().kcp();
        RecordAssembler records = new RecordAssembler(session, limit);
        // Netty runs tasks without a queue only if it recognizes this executor.
        Executor tasks = executor == ImmediateExecutor.INSTANCE ? executor : new HandshakeTasks(session, records, executor);
        SslHandler handler = newHandler(session, tasks);
        handler.setHandshakeTimeout(handshakeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        if (!protocols.isEmpty()) {
            handler.engine().setEnabledProtocols(protocols.toArray(String[]::new));
        }
        ChannelPipeline pipeline = session.pipeline();
        pipeline.addLast(records, handler, new HandshakeHandler(session));
        if (config.mode() == KcpTransferMode.MESSAGE) {
            int maxMessageBytes = config.maxMessageBytes();
            session.config().setKcp(config.toBuilder().mode(KcpTransferMode.STREAM).build());
            pipeline.addLast(new MessageFrameDecoder(session, maxMessageBytes, limit), new MessageFrameEncoder(maxMessageBytes));
        }
        if (!isClient) {
            pipeline.addLast(new FirstMessageTimeout(session));
            if (validatedPeersOnly) {
                ((AbstractSession) session).delivery.withholdUntilValidated();
            }
        }
    }

    private SslHandler newHandler(KcpChannel session, Executor tasks) {
        SslContext context = contexts.get();
        if (!isClient) {
            return context.newHandler(session.alloc(), tasks);
        }
        InetSocketAddress remote = session.remoteAddress();
        return context.newHandler(session.alloc(), peerHost == null ? remote.getHostString() : peerHost, remote.getPort(), tasks);
    }

    /**
     * Returns the TLS session of a channel, for example to read the certificate of the peer.
     *
     * @param channel a session, or a smux stream of a session
     * @return the TLS session; null if the channel has no TLS. Before the handshake has succeeded, it contains no certificates
     */
    public static @Nullable SSLSession sslSession(Channel channel) {
        for (Channel each = channel; each != null; each = each.parent()) {
            SslHandler handler = each.pipeline().get(SslHandler.class);
            if (handler != null) {
                return handler.engine().getSession();
            }
        }
        return null;
    }
}
