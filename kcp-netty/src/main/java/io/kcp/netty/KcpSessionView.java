package io.kcp.netty;

import java.net.InetSocketAddress;

/**
 * A snapshot of an open session, taken on the event loop of the session.
 *
 * @param channel the session
 * @param ageMs   milliseconds since the session was opened
 * @param stats   the statistics of the session
 */
public record KcpSessionView(KcpChannel channel, long ageMs, KcpSessionStats stats) {

    /**
     * Returns the conversation id.
     *
     * @return the {@code conv} field of the session's segments
     */
    public int conv() {
        return channel.conv();
    }

    /**
     * Returns the address of the peer.
     *
     * @return the address
     */
    public InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }
}
