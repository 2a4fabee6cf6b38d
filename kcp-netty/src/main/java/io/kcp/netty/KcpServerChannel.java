package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A KCP server: gathers the datagram channels that share one port, does no I/O itself. Its pipeline sees each accepted
 * {@link KcpChannel} as a message, after the session has begun, on the server channel's own event loop: it cannot veto
 * ({@link AcceptFilter} can).
 *
 * <p>{@link #close()} refuses new sessions and closes the open ones: each sees a {@link KcpServerCloseEvent}, with which its handlers
 * can delay that, and then lingers. The sockets are closed after the last session of all sockets. If one of the sockets closes by
 * itself, the server closes too, without a linger, after an {@code exceptionCaught} in its pipeline that names the socket. It cannot
 * go on: once a socket has left a shared port, the kernel delivers datagrams of other sockets' sessions to the wrong sockets.
 */
public interface KcpServerChannel extends ServerChannel {

    /**
     * Returns the sockets, one for each event loop that serves.
     *
     * @return datagram channels, unmodifiable
     */
    List<Channel> datagramChannels();

    /**
     * Accepts no more sessions, for good; those that are open go on. What else {@link #close()} does can then wait until the
     * application has finished with them.
     *
     * @return a future that succeeds when no session can begin any more
     */
    Future<Void> stopAccepting();

    /**
     * Tells whether sessions can begin.
     *
     * @return whether it is bound and neither {@link #stopAccepting()} nor {@link #close()} was called
     */
    boolean isAccepting();

    /**
     * Tells what all sockets together did so far.
     *
     * @return the figures, taken on the event loop of each
     */
    Future<KcpListenerStats> collectStats();

    /**
     * Visits all open sessions. With many of them it takes some turns of their event loops, so that no session has to wait;
     * one that ends meanwhile may be left out.
     *
     * @param action called on the event loop of each session, so by several threads at once if there are several sockets; must
     *               not block
     * @return succeeds when all were visited, fails if the action does (the sessions of that loop are then not visited any
     *         further) or a loop has ended
     */
    Future<Void> forEachSession(Consumer<KcpSessionView> action);

    /**
     * Returns the address that all sockets share.
     *
     * @return the address, null before it is bound
     */
    @Override
    @Nullable InetSocketAddress localAddress();
}
