package io.kcp.netty.tls;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpMode;
import io.kcp.netty.KcpChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ImmediateExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
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
 * <p>TLS transmits bytes, so the session itself uses {@link KcpMode#STREAM}. If the session is configured for {@link KcpMode#MESSAGE},
 * each message is preceded by its length as an integer of 4 bytes in network byte order, so that the peer receives the same messages. A
 * message of more than {@link KcpConfig#maxMessageBytes()} is neither sent nor received.
 *
 * <p>Out-of-band messages bypass TLS. Those of the peer are therefore dropped.
 *
 * <p>Instances are immutable, and any thread may use them for any number of sessions.
 */
public final class KcpTls {

    private static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

    private final boolean isClient;
    private final Supplier<SslContext> contexts;
    private final Duration handshakeTimeout;
    private final @Nullable String peerHost;
    private final Executor executor;

    private KcpTls(boolean isClient, Supplier<SslContext> contexts, Duration handshakeTimeout, @Nullable String peerHost,
        Executor executor) {
        this.isClient = isClient;
        this.contexts = Objects.requireNonNull(contexts, "contexts");
        this.handshakeTimeout = handshakeTimeout;
        this.peerHost = peerHost;
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    /**
     * Creates TLS for the sessions of a server.
     *
     * @param contexts returns the context for each new session, so that certificates can be replaced while the server runs. Called on event
     *                 loops
     * @return an instance with default settings
     */
    public static KcpTls server(Supplier<SslContext> contexts) {
        return new KcpTls(false, contexts, DEFAULT_HANDSHAKE_TIMEOUT, null, ImmediateExecutor.INSTANCE);
    }

    /**
     * Creates TLS for sessions that this side opens.
     *
     * @param contexts returns the context for each new session. Called on event loops
     * @return an instance with default settings
     */
    public static KcpTls client(Supplier<SslContext> contexts) {
        return new KcpTls(true, contexts, DEFAULT_HANDSHAKE_TIMEOUT, null, ImmediateExecutor.INSTANCE);
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
        return new KcpTls(isClient, contexts, timeout, peerHost, executor);
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
        return new KcpTls(true, contexts, handshakeTimeout, Objects.requireNonNull(host, "host"), executor);
    }

    /**
     * Sets the executor of the expensive parts of a handshake, such as signatures. By default, the event loop executes them, which delays
     * its other sessions by up to some milliseconds per handshake.
     *
     * @param executor executes short tasks that do not block
     * @return an instance with the changed setting
     */
    public KcpTls executor(Executor executor) {
        return new KcpTls(isClient, contexts, handshakeTimeout, peerHost, executor);
    }

    /**
     * Adds TLS to the end of a session's pipeline. Must be called before the session is active, usually in {@code initChannel}.
     *
     * @param session the session
     */
    public void addTo(KcpChannel session) {
        KcpConfig config = session.config().kcp();
        SslHandler handler = newHandler(session);
        handler.setHandshakeTimeout(handshakeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        ChannelPipeline pipeline = session.pipeline();
        pipeline.addLast(handler, new HandshakeHandler(session));
        if (config.mode() == KcpMode.MESSAGE) {
            session.config().setKcp(config.toBuilder().mode(KcpMode.STREAM).build());
            pipeline.addLast(new MessageFrameDecoder(session, config.maxMessageBytes()), new MessageFrameEncoder(config.maxMessageBytes()));
        }
    }

    private SslHandler newHandler(KcpChannel session) {
        SslContext context = contexts.get();
        if (!isClient) {
            return context.newHandler(session.alloc(), executor);
        }
        InetSocketAddress remote = session.remoteAddress();
        return context.newHandler(session.alloc(), peerHost == null ? remote.getHostString() : peerHost, remote.getPort(), executor);
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
