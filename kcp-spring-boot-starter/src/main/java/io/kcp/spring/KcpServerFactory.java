package io.kcp.spring;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpTransport;
import java.net.InetSocketAddress;
import java.util.List;

/** Makes servers of properties; they are not started. */
final class KcpServerFactory {

    private static final int MAX_PORT = 65_535;

    private final List<KcpServerCustomizer> customizers;

    KcpServerFactory(List<KcpServerCustomizer> customizers) {
        this.customizers = List.copyOf(customizers);
    }

    /**
     * Makes a server.
     *
     * @param prefix of the names of its properties
     */
    NettyKcpServer create(String name, String prefix, KcpServerProperties properties) {
        PropertyReader reader = new PropertyReader(prefix);
        KcpSettings settings = new KcpSettings(reader, properties);
        KcpConfig config = settings.config();
        CryptoConfig crypto = settings.crypto();
        FecConfig fec = settings.fec();
        settings.checkRoom(config, crypto, fec);
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().config(config).crypto(crypto).fec(fec)
            .replayProtection(properties.isReplayProtection());
        settings.sessionOptions().forEach(bootstrap::childOption);
        settings.socketOptions().forEach(bootstrap::option);
        reader.setBytes("socket-buffer", properties.getSocketBuffer(), bootstrap::socketBufferBytes);
        reader.set("sockets", properties.getSockets(), bootstrap::sockets);
        KcpLimitsProperties limits = properties.getLimits();
        reader.set("limits.sessions", limits.getSessions(), bootstrap::maxSessions);
        reader.set("limits.sessions-per-address", limits.getSessionsPerAddress(), bootstrap::maxSessionsPerAddress);
        reader.set("limits.unvalidated-sessions", limits.getUnvalidatedSessions(), bootstrap::maxUnvalidatedSessions);
        reader.set("limits.trusted-prefixes", limits.getTrustedPrefixes(),
            prefixes -> bootstrap.trustedPrefixes(prefixes.toArray(String[]::new)));
        InetSocketAddress local = local(reader, properties);
        KcpTransport transport = settings.transport();
        int threads = settings.threads();
        customizers.forEach(customizer -> customizer.customize(name, bootstrap));
        ServerSetup setup = new ServerSetup(name, reader.name("port"), local, transport, settings.loops(transport), threads,
            properties.getShutdown(), WireDescription.of(bootstrap));
        return new NettyKcpServer(setup, bootstrap);
    }

    private static InetSocketAddress local(PropertyReader reader, KcpServerProperties properties) {
        Integer port = properties.getPort();
        if (port == null) {
            throw reader.mistake("port", "it is not set", "Set it to a UDP port, or to 0 for any that is free", null);
        }
        if (port < 0 || port > MAX_PORT) {
            throw reader.mistake("port", port + " is out of range", "Use 1 to " + MAX_PORT + ", or 0 for any that is free", null);
        }
        return properties.getAddress() == null ? new InetSocketAddress(port) : new InetSocketAddress(properties.getAddress(), port);
    }
}
