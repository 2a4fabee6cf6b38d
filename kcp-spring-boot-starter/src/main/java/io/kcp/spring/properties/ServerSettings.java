package io.kcp.spring.properties;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.tls.KcpTls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/** Validated settings of one server, read from {@link KcpServerProperties}. For internal use by the starter. */
public final class ServerSettings {

    /** Name of the server that is configured under {@code kcp.server}. */
    private static final String DEFAULT_NAME = "server";
    private static final String DEFAULT_PREFIX = "kcp.server";
    private static final String NAMED_PREFIX = "kcp.servers.";
    private static final int MAX_PORT = 65_535;

    private final String name;
    private final PropertyReader reader;
    private final KcpServerBootstrap bootstrap;
    private final InetSocketAddress localAddress;
    private final KcpTransport transport;
    private final IoHandlerFactory loops;
    private final int threads;
    private final KcpShutdown shutdown;
    private final SessionLayers layers;
    private final TlsSettings tls;

    private ServerSettings(String name, String prefix, KcpServerProperties properties) {
        this.name = name;
        reader = new PropertyReader(prefix);
        SessionSettings settings = new SessionSettings(reader, properties);
        bootstrap = bootstrap(reader, settings, properties);
        layers = SessionLayers.of(reader, properties);
        tls = new TlsSettings(reader, properties.getSsl());
        localAddress = localAddress(reader, properties);
        transport = settings.transport();
        loops = settings.loops(transport);
        threads = settings.threads();
        shutdown = properties.getShutdown();
    }

    /**
     * Reads and validates the settings of all configured servers.
     *
     * @param properties the properties
     * @return the server of {@code kcp.server}, if it has a port, followed by the servers of {@code kcp.servers}
     * @throws KcpPropertyException if a property is invalid
     */
    public static List<ServerSettings> readAll(KcpProperties properties) {
        List<ServerSettings> servers = new ArrayList<>();
        boolean hasDefault = properties.getServer().getPort() != null;
        if (hasDefault) {
            servers.add(new ServerSettings(DEFAULT_NAME, DEFAULT_PREFIX, properties.getServer()));
        }
        for (Map.Entry<String, KcpServerProperties> server : properties.getServers().entrySet()) {
            String name = server.getKey();
            String prefix = NAMED_PREFIX + name;
            if (hasDefault && name.equals(DEFAULT_NAME)) {
                throw new KcpPropertyException(prefix, "\"" + name + "\" is the name of the server under " + DEFAULT_PREFIX,
                    "Use a different name", null);
            }
            servers.add(new ServerSettings(name, prefix, server.getValue()));
        }
        return servers;
    }

    private static KcpServerBootstrap bootstrap(PropertyReader reader, SessionSettings settings, KcpServerProperties properties) {
        KcpConfig config = settings.config();
        CryptoConfig crypto = settings.crypto();
        FecConfig fec = settings.fec();
        settings.checkRoom(config, crypto, fec);
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().config(config).fec(fec)
            .replayProtection(properties.isReplayProtection()).amplificationLimit(properties.isAmplificationLimit())
            .roaming(settings.roaming(crypto));
        if (crypto != null) {
            // Does not set a cipher if crypt.type is missing, so that the bootstrap warns about a server without a cipher.
            bootstrap.crypto(crypto);
        }
        settings.sessionOptions().forEach(bootstrap::childOption);
        bootstrap.childOption(KcpChannelOption.CLOSE_NOTICE, properties.isCloseNotice());
        reader.setMsOfSeconds("first-message-timeout", properties.getFirstMessageTimeout(),
            ms -> bootstrap.childOption(KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, ms));
        settings.socketOptions().forEach(bootstrap::option);
        reader.setBytes("socket-buffer", properties.getSocketBuffer(), bootstrap::socketBufferBytes);
        reader.set("sockets", properties.getSockets(), bootstrap::sockets);
        KcpLimitsProperties limits = properties.getLimits();
        reader.set("limits.sessions", limits.getSessions(), bootstrap::maxSessions);
        reader.set("limits.sessions-per-address", limits.getSessionsPerAddress(), bootstrap::maxSessionsPerAddress);
        reader.set("limits.unvalidated-sessions", limits.getUnvalidatedSessions(), bootstrap::maxUnvalidatedSessions);
        reader.set("limits.unknown-datagrams", limits.getUnknownDatagrams(), bootstrap::unknownDatagramsPerSecond);
        reader.set("limits.unknown-decryption-percent", limits.getUnknownDecryptionPercent(), bootstrap::unknownDecryptionPercent);
        bootstrap.retransmittedOnlyUnderLoad(limits.isRetransmittedOnlyUnderLoad());
        bootstrap.addressProofUnderLoad(limits.isAddressProofUnderLoad());
        reader.set("limits.openings-under-load", limits.getOpeningsUnderLoad(), bootstrap::openingsPerSecondUnderLoad);
        reader.set("limits.trusted-prefixes", limits.getTrustedPrefixes(),
            prefixes -> bootstrap.trustedPrefixes(prefixes.toArray(String[]::new)));
        return bootstrap;
    }

    private static InetSocketAddress localAddress(PropertyReader reader, KcpServerProperties properties) {
        Integer port = properties.getPort();
        if (port == null) {
            throw reader.invalid("port", "it is not set", "Set it to a UDP port, or to 0 for any free port", null);
        }
        if (port < 0 || port > MAX_PORT) {
            throw reader.invalid("port", port + " is out of range", "Use 1 to " + MAX_PORT + ", or 0 for any free port", null);
        }
        return properties.getAddress() == null ? new InetSocketAddress(port) : new InetSocketAddress(properties.getAddress(), port);
    }

    /**
     * Returns the name of the server.
     *
     * @return the key under {@code kcp.servers}, or {@code server} for the server of {@code kcp.server}
     */
    public String name() {
        return name;
    }

    /**
     * Returns the bootstrap with all settings of the server except the event loops and the child handler.
     *
     * @return the bootstrap, always the same instance
     */
    public KcpServerBootstrap bootstrap() {
        return bootstrap;
    }

    /**
     * Returns the full name of the property that sets the port.
     *
     * @return the name, such as {@code kcp.server.port}
     */
    public String portProperty() {
        return reader.name("port");
    }

    /**
     * Returns the address to bind.
     *
     * @return the address, with port 0 if any free port may be used
     */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * Returns the transport of the sockets.
     *
     * @return an available transport
     */
    public KcpTransport transport() {
        return transport;
    }

    /**
     * Returns the number of event loops.
     *
     * @return at least 1
     */
    public int threads() {
        return threads;
    }

    /**
     * Returns how open sessions are closed when the application stops.
     *
     * @return the kind of shutdown
     */
    public KcpShutdown shutdown() {
        return shutdown;
    }

    /**
     * Returns the layers between the sessions of the server and its controllers.
     *
     * @return smux and packets
     */
    public SessionLayers layers() {
        return layers;
    }

    /**
     * Creates TLS for the sessions of the server.
     *
     * @param bundles the SSL bundles of the application; null if there are none
     * @return TLS that follows changes of its bundle; null if sessions do not use TLS
     * @throws KcpPropertyException if the bundle does not exist or is not usable
     */
    public @Nullable KcpTls tls(@Nullable SslBundles bundles) {
        return tls.tls(bundles);
    }

    /**
     * Creates the event loops of the server.
     *
     * @return a new group, which the caller shuts down
     */
    public EventLoopGroup newEventLoops() {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("kcp-" + name), loops);
    }
}
