package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A KCP session as a channel: reliable and ordered bytes or messages over the datagram channel that carries it.
 *
 * <h2>Threads</h2>
 * It lives on the event loop of its datagram channel. Every method may be called from any thread, as on any channel.
 *
 * <h2>Open and close</h2>
 * KCP has neither on the wire. A session is active once it is registered; that the peer is there shows when it answers.
 * {@link #close()} refuses new writes, waits until all that was flushed is acknowledged or {@link KcpChannelOption#LINGER_MS}
 * is over, then closes; if not all of that is acknowledged by then its future fails with a {@link KcpCloseException} that tells how
 * many bytes are not. There is no waiting when the datagram channel is closed or the event loop shuts down. The peer is not told.
 *
 * <h2>Writing</h2>
 * Takes {@code ByteBuf}s. In message mode each is one message, in stream mode bytes. The promise of a write succeeds when
 * KCP has accepted the data, as TCP's does when the kernel has; {@link #acknowledged()} tells more. Writability is that
 * of every channel: by the water marks of what KCP has not accepted.
 *
 * <h2>Reading</h2>
 * Fires {@code ByteBuf}s, a message each, or what a segment of the stream carried; the handler owns them. Those of 256 bytes and
 * more are parts of what the socket was read into: who keeps one keeps up to 256 KiB, so copy what is to be kept for long.
 * Without auto-read received data stays where it is and the window shown to the peer shrinks to nothing, so the peer stops.
 */
public interface KcpChannel extends Channel {

    /**
     * Returns the conversation id.
     *
     * @return {@code conv}
     */
    int conv();

    /**
     * Returns the datagram channel that carries this session; {@link #parent()} is the server channel if there is one.
     *
     * @return any kind of channel that takes datagram packets, usually a {@link DatagramChannel}
     */
    Channel datagramChannel();

    /**
     * Tells when the peer has acknowledged all that was written so far.
     *
     * @return a future that fails if the session ends before
     */
    ChannelFuture acknowledged();

    /**
     * Sends one datagram of its own beside the reliable data: neither repeated nor ordered nor acknowledged. It waits for
     * nothing that was written before. The peer must send FEC too to take it, and be kcp-go 5.6.60 or later or this library.
     *
     * @param payload what to send, <b>taken</b>; may be empty
     * @return a future that succeeds when it was handed to the socket; fails if it is longer than {@link #maxOobBytes()},
     *         this side sends no FEC, the session is closed, or the socket takes no more
     */
    ChannelFuture sendOob(ByteBuf payload);

    /**
     * Returns the largest out-of-band message.
     *
     * @return bytes, 0 if this side sends no FEC
     */
    int maxOobBytes();

    /**
     * Tells how the session stands. Works on a closed channel too, with its last figures.
     *
     * @return the figures, taken on the event loop
     */
    Future<KcpSessionStats> collectStats();

    /**
     * Returns {@code true} if the session takes no more writes: it was closed, or {@code exceptionCaught} is being notified of a
     * failure that closes it. A closed session may still be active while it waits for the acknowledgement of earlier writes.
     *
     * @return {@code true} if it waits for that, is failing, or has ended
     */
    boolean isClosing();

    /**
     * Returns why the session ended.
     *
     * @return the cause, null while it is open and when its application closed it and everything it had flushed was acknowledged
     */
    @Nullable Throwable closeCause();

    /**
     * Closes as {@link #close()} does, and waits as that does, because something failed in the application: a handler that threw,
     * a message that makes no sense. The session then counts as ended by {@link KcpCloseReason#APPLICATION_FAILED}, whatever
     * else happens to it meanwhile; {@link #closeCause()}, which failed writes have as cause too, is a {@link KcpCloseException}
     * with that reason, or {@link KcpCloseReason#REJECTED} for a {@link KcpRejectedException}, and the failure as its cause.
     * {@code exceptionCaught} is not called. The opening of a session that is not open yet fails with it. Does nothing to a session
     * that has ended; of several failures the first counts. KCP has no reasons on the wire: what the peer is to know, write before.
     *
     * @param failure what went wrong
     * @return as {@link #close()}: a future that succeeds if everything was delivered
     */
    ChannelFuture closeBecause(Throwable failure);

    @Override
    KcpChannelConfig config();

    @Override
    InetSocketAddress remoteAddress();
}
