package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a KCP server, which manages the datagram channels that share one port. It does no I/O itself. Its pipeline receives each
 * accepted {@link KcpChannel} as a message, on the event loop of the server channel and after the session was opened. Its handlers
 * therefore cannot refuse a session; an {@link AcceptFilter} can.
 *
 * <p>{@link #close()} refuses new sessions and closes the open ones. Each session receives a {@link KcpServerCloseEvent}, with which its
 * handlers can delay the close, and then lingers. The sockets are closed after the last session of all sockets.
 *
 * <p>If one of the sockets is closed for another reason, the server closes, too. It calls {@code exceptionCaught} in its pipeline with an
 * exception that names the socket, and then closes without waiting for acknowledgements. The server cannot continue, because once a socket
 * has left a shared port, the kernel delivers datagrams of other sockets' sessions to the wrong sockets.
 */
public interface KcpServerChannel extends ServerChannel {

    /**
     * Returns the sockets of the server, by default one for each event loop.
     *
     * @return the datagram channels, unmodifiable
     */
    List<Channel> datagramChannels();

    /**
     * Refuses all new sessions from now on. Open sessions continue, so the application can finish with them before it calls
     * {@link #close()}.
     *
     * @return a future that succeeds when no further session can be opened
     */
    Future<Void> stopAccepting();

    /**
     * Returns {@code true} if the server accepts sessions.
     *
     * @return {@code true} if the server is bound and neither {@link #stopAccepting()} nor {@link #close()} was called
     */
    boolean isAccepting();

    /**
     * Collects the statistics of all sockets, each on its event loop.
     *
     * @return a future with the statistics of all sockets together
     */
    Future<KcpListenerStats> collectStats();

    /**
     * Calls an action for each open session. With many sessions this takes several event-loop iterations, so that sessions are not delayed.
     * A session that closes during the visit may be omitted.
     *
     * @param action called on the event loop of each session, so by several threads concurrently if there are several sockets; must not
     *               block
     * @return a future that succeeds when all sessions were visited; fails if the action throws an exception, which also ends the visits
     *         on that event loop, or if an event loop has terminated
     */
    Future<Void> forEachSession(Consumer<KcpSessionView> action);

    /**
     * Returns the local address to which all sockets of the server are bound.
     *
     * @return the address, null before the server is bound
     */
    @Override
    @Nullable InetSocketAddress localAddress();
}
