package io.kcp.spring;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.util.function.Supplier;

/**
 * Opens KCP client sessions that are configured by the {@code kcp.client} properties. The factory is available as a bean. Any thread may
 * call its methods, even before the application context has started.
 *
 * <p>All sessions share the event loops of the factory. When the application stops, its servers are closed before these sessions. A
 * session closes when the peer has acknowledged all data or {@code kcp.client.linger} has elapsed. After the application has stopped, all
 * methods throw {@link IllegalStateException}.
 *
 * <p>Unresolved addresses are resolved for each session and for each reconnect attempt. If {@code netty-resolver-dns} is on the class
 * path, as it is with WebFlux, Netty's DNS resolver is used; otherwise the JDK resolves names, which blocks an event loop during each
 * lookup. Netty's resolver uses {@code /etc/hosts} and the name servers of the machine, but no other source of {@code nsswitch.conf}.
 * Responses are cached for at most five seconds, so that a reconnecting client finds a server whose address has changed. A
 * {@link KcpClientCustomizer} may set a different resolver.
 */
public interface KcpClientFactory {

    /** Lifecycle phase in which client sessions are closed. The servers close first, because their handlers may use client sessions. */
    int STOP_PHASE = KcpServers.START_STOP_LIFECYCLE_PHASE - 1024;

    /**
     * Opens a session. Nothing is sent to the peer, because KCP has no handshake. An unreachable peer is therefore detected only when it
     * does not acknowledge a write.
     *
     * @param host    name or address of the peer
     * @param port    UDP port of the peer
     * @param handler the handler of the session, usually a {@code ChannelInitializer<KcpChannel>}
     * @return the session; fails if the name cannot be resolved or no socket can be opened. Canceling the future closes the session.
     *         Its listeners are called on a shared thread that is not an event loop, so they must not block
     */
    Future<KcpChannel> connect(String host, int port, ChannelHandler handler);

    /**
     * Opens a session to a socket address, which may be unresolved. Otherwise, this method is the same as
     * {@link #connect(String, int, ChannelHandler)}.
     *
     * @param remote  address of the peer
     * @param handler the handler of the session
     * @return the session
     */
    Future<KcpChannel> connect(SocketAddress remote, ChannelHandler handler);

    /**
     * Opens a session and, as configured by the {@code kcp.client.reconnect} properties, replaces each lost session with a new one.
     *
     * @param remote   returns the address of the peer for each attempt. Called on an event loop, so it must not block.
     *                 {@code new InetSocketAddress(name, port)} blocks; {@code InetSocketAddress.createUnresolved} has the factory
     *                 resolve the name
     * @param handler  the sharable handler of each session, usually a {@code ChannelInitializer<KcpChannel>}. It should write a message
     *                 when the session becomes active, because KCP has no handshake
     * @param listener notified of the progress on an event loop; {@link KcpReconnectListener#NONE} to ignore it
     * @return the reconnecting client, which ends when it is closed, when it gives up, or when the application stops
     */
    KcpReconnect reconnecting(Supplier<? extends SocketAddress> remote, ChannelHandler handler, KcpReconnectListener listener);
}
