package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpChannelOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The timeouts with which a reconnecting client detects that its server is unreachable. A timeout that is set here overrides that of the
 * session. For a timeout that is not set, the shorter of the default and the timeout of the session applies.
 *
 * @param keepalive       the time without a datagram after which the server is probed; null if not set
 * @param deadPeerTimeout the time after which an unanswered probe or unacknowledged data closes the session; null if not set
 */
record LivenessSettings(@Nullable Duration keepalive, @Nullable Duration deadPeerTimeout) {

    /**
     * The default keepalive interval. With the default dead-peer timeout and the keepalive resolution of one second, an unreachable server
     * is detected within ten seconds.
     */
    static final Duration DEFAULT_KEEPALIVE = Duration.ofSeconds(3);
    static final Duration DEFAULT_DEAD_PEER_TIMEOUT = Duration.ofSeconds(6);

    /** Applies the timeouts to the configuration of a session. */
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
