package io.kcp.netty;

import io.kcp.core.KcpConfig;
import io.netty.channel.ChannelConfig;

/** Settings of a {@link KcpChannel}. Any thread may change the settings while the session is open. */
public interface KcpChannelConfig extends ChannelConfig {

    /**
     * Returns the KCP settings of the session.
     *
     * @return immutable settings
     */
    KcpConfig kcp();

    /**
     * Replaces all KCP settings of the session.
     *
     * @param config the new settings
     * @return this
     */
    KcpChannelConfig setKcp(KcpConfig config);

    /**
     * Returns the idle timeout. The session is closed if the peer is inactive for this time. Acknowledgements count as activity, but
     * replayed datagrams do not, as described at {@link io.kcp.core.conversation.Kcp#inactiveMs(int)}.
     *
     * @return milliseconds, 0 if there is no idle timeout
     */
    int idleTimeoutMs();

    /**
     * Sets the idle timeout. The default is 60000; kcp-go has no idle timeout.
     *
     * @param idleTimeoutMs milliseconds, 0 for no idle timeout; accurate to one second
     * @return this
     */
    KcpChannelConfig setIdleTimeoutMs(int idleTimeoutMs);

    /**
     * Returns the keepalive interval. A liveness probe is sent if the peer is inactive for this time, see {@link #idleTimeoutMs()}.
     *
     * @return milliseconds, 0 if there is no keepalive
     */
    int keepaliveMs();

    /**
     * Sets the keepalive interval. The default is 25000, below the 30 s after which many NAT devices forget a UDP flow. kcp-go sends no
     * keepalives, but responds to them.
     *
     * @param keepaliveMs milliseconds, 0 for no keepalive; accurate to one second
     * @return this
     */
    KcpChannelConfig setKeepaliveMs(int keepaliveMs);

    /**
     * Returns the linger time, which is the maximum time that a close waits for acknowledgements.
     *
     * @return milliseconds, 0 if a close does not wait
     */
    int lingerMs();

    /**
     * Sets the linger time, which is the maximum time that a close waits for acknowledgements. The default is 5000; kcp-go does not wait.
     * If data is not acknowledged by then, the close fails and the session counts as closed by {@link KcpCloseReason#LINGER_EXPIRED}. The
     * wait ends early if the peer is considered gone, which means that nothing was received for a fifth of this time, and for at least one
     * second and four retransmission timeouts, in spite of four retransmissions.
     *
     * @param lingerMs milliseconds, 0 to close without waiting
     * @return this
     */
    KcpChannelConfig setLingerMs(int lingerMs);

    /**
     * Returns the first-message timeout. A session that a server has accepted is closed if it receives no complete message within this
     * timeout.
     *
     * @return milliseconds, 0 if there is no first-message timeout
     */
    int firstMessageTimeoutMs();

    /**
     * Sets the first-message timeout, after which a session closes with {@link KcpCloseReason#FIRST_MESSAGE_TIMEOUT}. The default is 10000.
     * The timeout applies only to sessions that a server has accepted. It prevents peers from occupying sessions with incomplete messages.
     *
     * @param firstMessageTimeoutMs milliseconds, 0 for no timeout; accurate to one second
     * @return this
     */
    KcpChannelConfig setFirstMessageTimeoutMs(int firstMessageTimeoutMs);

    /**
     * Returns {@code true} if the session uses close notices.
     *
     * @return {@code true} if the session notifies its peer when it closes, and closes when its peer notifies it
     */
    boolean closeNotice();

    /**
     * Sets whether the session uses close notices. The default is true. With close notices, a closing session notifies its peer if the peer
     * uses this library as well. The session of the peer then closes with {@link KcpCloseReason#PEER_CLOSED} or
     * {@link KcpCloseReason#PEER_FAILED}. To announce that it reads notices, a session sends up to three window probes of 24 bytes together
     * with other segments. Every KCP implementation responds to these probes.
     *
     * @param closeNotice {@code true} to use close notices
     * @return this
     */
    KcpChannelConfig setCloseNotice(boolean closeNotice);

    /**
     * Returns the maximum number of messages that the session delivers to its handlers in one event-loop iteration.
     *
     * @return messages, 0 for no limit
     */
    int maxMessagesPerIteration();

    /**
     * Sets the maximum number of messages that the session delivers to its handlers in one event-loop iteration. The session delivers
     * further messages in the next iteration, so that the messages of one peer do not delay the other sessions of the event loop. The
     * default is 1024. Independently of this limit, the session checks after each 32 messages whether the event loop has served sessions
     * for 2 ms, and then also defers further messages.
     *
     * @param maxMessagesPerIteration messages, 0 for no limit other than the time
     * @return this
     */
    KcpChannelConfig setMaxMessagesPerIteration(int maxMessagesPerIteration);

    /**
     * Returns the number of bytes after which the session delivers no further messages in one event-loop iteration.
     *
     * @return bytes, 0 for no limit
     */
    int maxBytesPerIteration();

    /**
     * Sets the number of bytes after which the session delivers no further messages in one event-loop iteration, in addition to
     * {@link #setMaxMessagesPerIteration(int)}. The default is 2097152.
     *
     * @param maxBytesPerIteration bytes, 0 for no limit
     * @return this
     */
    KcpChannelConfig setMaxBytesPerIteration(int maxBytesPerIteration);
}
