package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A KCP server: gathers the datagram channels that share one port, does no I/O itself. Its pipeline sees each accepted
 * {@link KcpChannel} as a message, after the session has begun, on the server channel's own event loop: it cannot veto
 * ({@link AcceptFilter} can). {@link #close()} accepts nothing more, closes the sessions (each waits for its linger time),
 * then the sockets.
 */
public interface KcpServerChannel extends ServerChannel {

    /**
     * Returns the sockets, one for each event loop that serves.
     *
     * @return datagram channels, unmodifiable
     */
    List<Channel> datagramChannels();

    /**
     * Tells what all sockets together did so far.
     *
     * @return the figures, taken on the event loop of each
     */
    Future<KcpListenerStats> collectStats();

    /**
     * Returns the address that all sockets share.
     *
     * @return the address, null before it is bound
     */
    @Override
    @Nullable InetSocketAddress localAddress();
}
