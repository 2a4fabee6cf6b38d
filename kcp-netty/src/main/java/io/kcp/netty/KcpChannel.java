package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A KCP session as a Netty channel, which transfers bytes or messages reliably and in order over a datagram channel.
 *
 * <h2>Threads</h2>
 * A session runs on the event loop of its datagram channel. As with every channel, any thread may call any method.
 *
 * <h2>Open and close</h2>
 * KCP has no handshake. A session is active once it is registered; only a response from the peer shows that the
 * peer is reachable. {@link #close()} refuses new writes, waits until all flushed data is acknowledged or
 * {@link KcpChannelOption#LINGER_MS} has elapsed, and then closes the session. If some of that data is not acknowledged by then, the future
 * of the close fails with a {@link KcpCloseException} that reports the number of unacknowledged bytes. The close does not wait if the
 * datagram channel is closed or the event loop is shutting down. A peer that uses this library is notified of the close
 * ({@link KcpChannelConfig#setCloseNotice}); other KCP implementations are not.
 *
 * <h2>Writing</h2>
 * A session accepts {@code ByteBuf}s. In message mode each buffer is one message; in stream mode its bytes are added to the stream. The
 * promise of a write succeeds when KCP has accepted the data, as that of a TCP channel does when the kernel has accepted it; use
 * {@link #acknowledged()} to wait for the peer's acknowledgement. As on every channel, writability depends on the water marks. They apply
 * to data that KCP has not accepted yet.
 *
 * <h2>Reading</h2> A session fires {@code ByteBuf}s, each with one message or, in stream mode, the payload of one segment. The handler
 * owns them. A buffer of 256 bytes or more may be a slice of the read buffer. Retaining such a slice keeps up to 256 KiB alive, and
 * retaining a shorter buffer up to 4 KiB, so copy data that you keep for a long time. Do not append to a received buffer, because the
 * memory behind it may belong to another message. Without auto-read, received data stays queued and the advertised window shrinks to 0, so
 * the peer stops sending.
 */
public interface KcpChannel extends Channel {

    /**
     * Returns the conversation id.
     *
     * @return the {@code conv} field of the session's segments
     */
    int conv();

    /**
     * Returns the datagram channel that carries this session. In contrast, {@link #parent()} returns the server channel if there is one.
     *
     * @return any kind of channel that accepts datagram packets, usually a {@link DatagramChannel}
     */
    Channel datagramChannel();

    /**
     * Returns a future that succeeds when the peer has acknowledged all data written so far.
     *
     * @return the future, which fails if the session closes first
     */
    ChannelFuture acknowledged();

    /**
     * Sends an out-of-band message, which is a separate datagram that is not retransmitted, ordered or acknowledged. It does not wait for
     * earlier writes. A peer that uses kcp-go receives it only with version 5.6.60 or later, and only if that peer sends FEC, too.
     *
     * @param payload the payload, <b>taken</b>; may be empty
     * @return a future that succeeds when the datagram was passed to the socket; fails if the payload is longer than
     *         {@link #maxOobBytes()}, this side sends no FEC, the session is closed, or the socket accepts no more datagrams
     */
    ChannelFuture sendOob(ByteBuf payload);

    /**
     * Returns the maximum payload length of an out-of-band message.
     *
     * @return bytes, 0 if this side sends no FEC
     */
    int maxOobBytes();

    /**
     * Collects the statistics of this session on its event loop. For a closed session these are its last statistics.
     *
     * @return a future with the statistics
     */
    Future<KcpSessionStats> collectStats();

    /**
     * Returns {@code true} if the session is closed or being closed and therefore accepts no more writes. A session that is being closed
     * may still be active while it waits for the acknowledgement of earlier writes. This method also returns {@code true} while
     * {@code exceptionCaught} is called for a failure that closes the session.
     *
     * @return {@code true} if the session is waiting for acknowledgements before it closes, is failing, or is closed
     */
    boolean isClosing();

    /**
     * Returns the exception that describes why the session was closed.
     *
     * @return the exception; null while the session is open, or if its application closed it and all flushed data was acknowledged
     */
    @Nullable Throwable closeCause();

    /**
     * Closes the session because of a failure in the application, such as an exception in a handler or an invalid message. Like
     * {@link #close()}, this method waits for the acknowledgement of flushed data. The session then counts as closed by
     * {@link KcpCloseReason#APPLICATION_FAILED}, even if it fails for another reason during the wait. {@link #closeCause()}, which is also
     * the cause of failed writes, is a {@link KcpCloseException} with that reason. The reason is {@link KcpCloseReason#REJECTED} for a
     * {@link KcpPeerRejectedException} and {@link KcpCloseReason#TLS_FAILED} for a {@link KcpTlsException}. The failure is the cause of the
     * {@code KcpCloseException}.
     *
     * <p>{@code exceptionCaught} is not called. If the session is still being opened, the future of {@code connect} fails with that
     * exception. This method does nothing if the session is closed. If it is called several times, the first failure is reported. KCP does
     * not transmit a close reason, so write any data that the peer needs to know before the close.
     *
     * @param failure the failure of the application
     * @return a future that succeeds if all data was delivered, like that of {@link #close()}
     */
    ChannelFuture closeBecause(Throwable failure);

    @Override
    KcpChannelConfig config();

    @Override
    InetSocketAddress remoteAddress();
}
