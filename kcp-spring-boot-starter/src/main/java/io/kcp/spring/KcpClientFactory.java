package io.kcp.spring;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.util.function.Supplier;

/**
 * Opens sessions with the settings of {@code kcp.client}; a bean. All methods may be called from any thread, and as soon as the
 * bean is there.
 *
 * <p>All sessions share the event loops of the factory. When the application ends they are closed after its servers, which waits
 * until what was written is acknowledged or {@code kcp.client.linger} is over; after that all methods throw
 * {@link IllegalStateException}.
 *
 * <p>Names of unresolved addresses are resolved anew for each session, and for each attempt to come back: by Netty's DNS resolver
 * where {@code netty-resolver-dns} is on the class path, as it is with WebFlux; else by the JDK, which blocks an event loop
 * meanwhile. Netty's asks {@code /etc/hosts}, then the name servers of the machine, and nothing else that {@code nsswitch.conf} may
 * list; it believes an answer for five seconds at most, so that a server that has moved is found. A {@link KcpClientCustomizer} may
 * set another resolver.
 */
public interface KcpClientFactory {

    /** Lifecycle phase in which client sessions are closed: after the servers have closed, whose handlers may use client sessions. */
    int STOP_PHASE = KcpServers.START_STOP_PHASE - 1024;

    /**
     * Opens a session. Nothing is said on the wire: that there is nobody shows when an answer to a write stays away.
     *
     * @param host    name or address of the peer
     * @param port    its UDP port
     * @param handler of the session, usually a {@code ChannelInitializer<KcpChannel>}
     * @return the session; fails if the name is unknown or there is no socket to be had. To cancel it closes the session. Its
     *         listeners are called on a thread that is no event loop, and that others use: they must not block
     */
    Future<KcpChannel> connect(String host, int port, ChannelHandler handler);

    /**
     * Opens a session, as {@link #connect(String, int, ChannelHandler)}.
     *
     * @param remote  the peer
     * @param handler of the session
     * @return the session
     */
    Future<KcpChannel> connect(SocketAddress remote, ChannelHandler handler);

    /**
     * Opens a session and another whenever it was lost, by the rules of {@code kcp.client.reconnect}.
     *
     * @param remote   asked before each attempt, on an event loop, so it must not block, as {@code new InetSocketAddress(name, port)}
     *                 does: {@code InetSocketAddress.createUnresolved} leaves the name to the factory
     * @param handler  of each session: sharable, usually a {@code ChannelInitializer<KcpChannel>}. It should write something when
     *                 the session becomes active, as KCP itself does not say hello
     * @param listener is told how it goes, on an event loop; {@link KcpReconnectListener#NONE} for nobody
     * @return what goes on until it is closed, gives up, or the application ends
     */
    KcpReconnect reconnecting(Supplier<? extends SocketAddress> remote, ChannelHandler handler, KcpReconnectListener listener);
}
