package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpChannelOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a reconnecting client notices that its server is gone. A time that is set holds; otherwise the session's own does, where it is
 * shorter than the default.
 *
 * @param keepalive       after how long without a datagram the server is probed; null for the default
 * @param deadPeerTimeout how long an answer may be owed; null for the default
 */
record PeerWatch(@Nullable Duration keepalive, @Nullable Duration deadPeerTimeout) {

    /** Together below ten seconds, the second to which the keepalive is kept included. */
    static final Duration DEFAULT_KEEPALIVE = Duration.ofSeconds(3);
    static final Duration DEFAULT_DEAD_PEER_TIMEOUT = Duration.ofSeconds(6);

    void configure(KcpChannel session) {
        KcpChannelConfig config = session.config();
        config.setKeepaliveMs(ms(keepalive, config.keepaliveMs(), DEFAULT_KEEPALIVE));
        config.setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS,
            ms(deadPeerTimeout, config.kcp().deadPeerTimeoutMs(), DEFAULT_DEAD_PEER_TIMEOUT));
    }

    private static int ms(@Nullable Duration set, int ofSessionMs, Duration standard) {
        if (set != null) {
            return (int) set.toMillis();
        }
        int standardMs = (int) standard.toMillis();
        return ofSessionMs == 0 ? standardMs : Math.min(ofSessionMs, standardMs);
    }
}
