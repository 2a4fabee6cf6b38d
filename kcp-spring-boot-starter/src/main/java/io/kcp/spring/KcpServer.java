package io.kcp.spring;

import io.kcp.netty.KcpServerChannel;
import java.net.InetSocketAddress;

/** A KCP server that is configured by the {@code kcp.server} or {@code kcp.servers} properties. Any thread may call its methods. */
public interface KcpServer {

    /**
     * Returns the name of the server.
     *
     * @return {@code <name>} for {@code kcp.servers.<name>}, {@code server} for {@code kcp.server}
     */
    String name();

    /**
     * Returns the address that the server is bound to.
     *
     * @return the address, with the actual port if the configured port is 0
     * @throws IllegalStateException if the server is not running
     */
    InetSocketAddress localAddress();

    /**
     * Returns the Go API calls that configure a kcp-go peer to match this server.
     *
     * @return a line without secrets
     */
    String wireSettings();

    /**
     * Returns the server channel. A restart of the application context creates a new channel.
     *
     * @return the channel
     * @throws IllegalStateException if the server is not running
     */
    KcpServerChannel channel();
}
