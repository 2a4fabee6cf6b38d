package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;

/**
 * A bean of this kind changes each session of {@link KcpController}s before it begins: puts handlers in front of the
 * controllers, such as a {@code LengthFieldBasedFrameDecoder} in stream mode, or sets options.
 */
@FunctionalInterface
public interface KcpSessionCustomizer {

    /**
     * Changes a session; on its event loop. What it throws closes the session.
     *
     * @param serverName the server it came to
     * @param session    a session whose pipeline has no controllers in it yet
     */
    void customize(String serverName, KcpChannel session);
}
