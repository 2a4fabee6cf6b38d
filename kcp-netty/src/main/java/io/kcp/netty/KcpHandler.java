package io.kcp.netty;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * Opens {@link KcpChannel}s over one datagram channel and passes inbound datagrams to them. It is the last handler of that channel, after
 * the handlers for the cipher and for FEC. {@link io.kcp.netty.bootstrap.KcpHandlerBuilder} and
 * {@link io.kcp.netty.bootstrap.KcpClientHandlerBuilder} build all of these handlers.
 *
 * <h2>Batches</h2> Datagrams are passed to their sessions as they arrive. When the read batch ends ({@code channelReadComplete}), each
 * session that received a datagram delivers its messages and sends all data that is due, including acknowledgements. Then the datagram
 * channel is flushed once. If the handlers take more than 2 ms, the event loop reads its sockets before it serves the remaining sessions
 * and messages, so that an overloaded server still reads and acknowledges datagrams. The limit applies to each datagram channel of an event
 * loop, and a single session may exceed it by 32 messages.
 *
 * <h2>Sessions</h2> A session is identified by a remote address and a conversation id. The application opens sessions with
 * {@link #connect}. If there is a child handler, a peer opens a session with a well-formed datagram of PUSH segments that have {@code una}
 * 0 and are inside the receive window. One of these segments must have {@code sn} 0. This handler never closes the channel, throws an
 * exception or logs a message because of a datagram. Dropped datagrams are counted by {@link DropReason}.
 *
 * <h2>Threads</h2>
 * An instance belongs to one channel and runs on its event loop. Any thread may call {@link #connect} and {@link #collectStats}.
 */
public interface KcpHandler extends ChannelInboundHandler {

    /**
     * Opens a session to a remote address. KCP has no handshake, so the peer learns of the session with the first write.
     *
     * @param remote  the peer
     * @param conv    the conversation id; must not be in use with that address
     * @param handler added to the pipeline of the session
     * @return a future with the session; succeeds when the session is registered, fails if the event loop has terminated
     */
    KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler);

    /**
     * Opens a session to a remote address with options and attributes, which are set before {@code handlerAdded} of the session's handler
     * is called.
     *
     * @param remote     the peer
     * @param conv       the conversation id; must not be in use with that address
     * @param handler    added to the pipeline of the session
     * @param options    options of the session, see {@link KcpChannelOption}; copied
     * @param attributes attributes of the session; copied
     * @return a future with the session; succeeds when the session is registered, fails if the event loop has terminated or an option is
     *         out of range
     */
    KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler, Map<ChannelOption<?>, ?> options,
        Map<AttributeKey<?>, ?> attributes);

    /**
     * Collects the statistics of this handler on its event loop. With many sessions this takes several event-loop iterations, so that
     * sessions are not delayed.
     *
     * @return a future with the statistics; fails if the event loop has terminated
     */
    Future<KcpListenerStats> collectStats();
}
