package io.kcp.netty;

import io.kcp.core.KcpConfig;
import io.netty.channel.ChannelConfig;

/** Settings of a {@link KcpChannel}; all of them may change while it lives, from its event loop or through its options. */
public interface KcpChannelConfig extends ChannelConfig {

    /**
     * Returns the settings of the conversation.
     *
     * @return immutable settings
     */
    KcpConfig kcp();

    /**
     * Replaces the settings of the conversation.
     *
     * @param config the settings from now on
     * @return this
     */
    KcpChannelConfig setKcp(KcpConfig config);

    /**
     * Returns after how long without anything valid from the peer, acknowledgements included, the session is closed.
     *
     * @return milliseconds, 0 for never
     */
    int idleTimeoutMs();

    /**
     * Sets the idle timeout. The default is 60000; kcp-go has none.
     *
     * @param idleTimeoutMs milliseconds, 0 for never; kept to the second
     * @return this
     */
    KcpChannelConfig setIdleTimeoutMs(int idleTimeoutMs);

    /**
     * Returns after how long without anything valid from the peer it is asked for a sign of life.
     *
     * @return milliseconds, 0 for never
     */
    int keepaliveMs();

    /**
     * Sets the keepalive. The default is 25000, below the 30 s after which many address translators forget a UDP flow;
     * kcp-go has none, but answers.
     *
     * @param keepaliveMs milliseconds, 0 for never; kept to the second
     * @return this
     */
    KcpChannelConfig setKeepaliveMs(int keepaliveMs);

    /**
     * Returns how long a close waits for acknowledgements.
     *
     * @return milliseconds
     */
    int lingerMs();

    /**
     * Sets how long a close waits for acknowledgements. The default is 5000; kcp-go does not wait. What is not acknowledged then
     * makes the close fail, and the session counts as ended by {@link KcpCloseReason#LINGER_EXPIRED}. The wait ends early if the peer
     * is gone: if nothing was received for a fifth of this time, at least a second and four retransmission timeouts, in spite of four
     * retransmissions.
     *
     * @param lingerMs milliseconds, 0 for not at all
     * @return this
     */
    KcpChannelConfig setLingerMs(int lingerMs);
}
