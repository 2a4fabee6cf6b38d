package io.kcp.spring.properties;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectBuilder;
import io.kcp.netty.tls.KcpTls;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/** Validated settings of client sessions, read from {@link KcpClientProperties}. For internal use by the starter. */
public final class ClientSettings {

    static final String PREFIX = "kcp.client";

    private final PropertyReader reader = new PropertyReader(PREFIX);
    private final KcpClientProperties properties;
    private final KcpConfig config;
    private final @Nullable CryptoConfig crypto;
    private final @Nullable FecConfig fec;
    private final boolean roaming;
    private final Map<ChannelOption<Integer>, Integer> sessionOptions;
    private final Map<ChannelOption<Integer>, Integer> socketOptions;
    private final TlsSettings tls;
    private final IoHandlerFactory loops;
    private final int threads;

    /**
     * Reads and validates properties.
     *
     * @param properties the properties
     * @throws KcpPropertyException if a property is invalid
     */
    public ClientSettings(KcpClientProperties properties) {
        this.properties = properties;
        SessionSettings settings = new SessionSettings(reader, properties);
        config = settings.config();
        crypto = settings.crypto();
        fec = settings.fec();
        roaming = settings.roaming(crypto);
        sessionOptions = settings.sessionOptions();
        socketOptions = settings.socketOptions();
        tls = new TlsSettings(reader, properties.getSsl());
        loops = settings.loops(settings.transport());
        threads = settings.threads();
        // Configures the builders of a client that is never started, so that the builders validate the remaining settings.
        reconnect(bootstrap(new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory())), () -> new InetSocketAddress(0));
    }

    /**
     * Creates TLS for client sessions.
     *
     * @param bundles the SSL bundles of the application; null if there are none
     * @return TLS that follows changes of its bundle; null if sessions do not use TLS
     * @throws KcpPropertyException if the bundle does not exist or is not usable
     */
    public @Nullable KcpTls tls(@Nullable SslBundles bundles) {
        return tls.tls(bundles);
    }

    /**
     * Creates the event loops for client sessions.
     *
     * @return a new group, which the caller shuts down
     */
    public EventLoopGroup newEventLoops() {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("kcp-client", true), loops);
    }

    /**
     * Creates a bootstrap with all session settings except the handler.
     *
     * @param loops the event loops of the sessions
     * @return a new bootstrap
     */
    public KcpBootstrap bootstrap(EventLoopGroup loops) {
        KcpBootstrap bootstrap = new KcpBootstrap().group(loops).config(config).crypto(crypto).fec(fec).roaming(roaming);
        sessionOptions.forEach(bootstrap::option);
        bootstrap.option(KcpChannelOption.CLOSE_NOTICE, properties.isCloseNotice());
        socketOptions.forEach(bootstrap::socketOption);
        reader.setBytes("socket-buffer", properties.getSocketBuffer(), bootstrap::socketBufferBytes);
        return bootstrap;
    }

    /**
     * Creates a builder of reconnecting clients and applies the {@code kcp.client.reconnect} properties to it.
     *
     * @param bootstrap opens each session
     * @param remote    returns the address of the server for each attempt
     * @return a new builder
     */
    public KcpReconnectBuilder reconnect(KcpBootstrap bootstrap, Supplier<? extends SocketAddress> remote) {
        KcpReconnectBuilder builder = KcpReconnect.to(bootstrap, remote);
        KcpReconnectProperties reconnect = properties.getReconnect();
        reader.set("reconnect.first-delay", reconnect.getFirstDelay(), builder::firstDelay);
        reader.set("reconnect.max-delay", reconnect.getMaxDelay(), builder::maxDelay);
        reader.set("reconnect.jitter", reconnect.getJitter(), builder::jitter);
        reader.set("reconnect.max-attempts", reconnect.getMaxAttempts(), builder::maxAttempts);
        reader.set("reconnect.answer-timeout", reconnect.getAnswerTimeout(), builder::answerTimeout);
        reader.setMsOfSeconds("reconnect.keepalive", reconnect.getKeepalive(), ms -> builder.keepalive(Duration.ofMillis(ms)));
        reader.setMsOfSeconds("reconnect.dead-peer-timeout", reconnect.getDeadPeerTimeout(),
            ms -> builder.deadPeerTimeout(Duration.ofMillis(ms)));
        if (reconnect.getMaxDelay().compareTo(reconnect.getFirstDelay()) < 0) {
            throw reader.invalid("reconnect.max-delay", reconnect.getMaxDelay() + " is less than " + reader.name("reconnect.first-delay")
                + ", " + reconnect.getFirstDelay(), "Use at least that duration", null);
        }
        return builder;
    }
}
