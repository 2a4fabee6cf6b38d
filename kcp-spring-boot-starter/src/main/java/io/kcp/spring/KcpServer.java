package io.kcp.spring;

import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.packet.PacketFormat;
import io.kcp.netty.smux.SmuxTotals;
import io.kcp.netty.smux.SmuxVersion;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

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
     * Returns the version of smux that divides the sessions of this server into streams.
     *
     * @return the version; null if sessions have no streams
     */
    @Nullable SmuxVersion smux();

    /**
     * Returns the counters of the smux streams of all sessions since the server was created.
     *
     * @return the counters, or null if sessions have no streams
     */
    @Nullable SmuxTotals smuxTotals();

    /**
     * Returns the format of the packets that controllers of this server receive and send.
     *
     * @return the format; null if messages are not packets
     */
    @Nullable PacketFormat packets();

    /**
     * Returns {@code true} if the sessions of this server use TLS. {@code KcpTls.sslSession} then returns the certificate of a peer.
     *
     * @return {@code true} if the property {@code ssl.bundle} of the server is set
     */
    boolean usesTls();

    /**
     * Returns the server channel. A restart of the application context creates a new channel.
     *
     * @return the channel
     * @throws IllegalStateException if the server is not running
     */
    KcpServerChannel channel();
}
