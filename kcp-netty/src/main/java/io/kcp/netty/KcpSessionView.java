package io.kcp.netty;

import java.net.InetSocketAddress;

/**
 * A look at an open session.
 *
 * @param channel the session
 * @param ageMs   milliseconds since it began
 * @param stats   how it stands
 */
public record KcpSessionView(KcpChannel channel, long ageMs, KcpSessionStats stats) {

    /**
     * Returns the conversation id.
     *
     * @return {@code conv}
     */
    public int conv() {
        return channel.conv();
    }

    /**
     * Returns the peer's address.
     *
     * @return the address
     */
    public InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }
}
