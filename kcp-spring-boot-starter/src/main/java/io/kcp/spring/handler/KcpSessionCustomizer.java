package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;

/**
 * Customizes each session that is handled by {@link KcpController} beans before the session opens. Beans of this type add handlers before
 * the controllers, such as a {@code LengthFieldBasedFrameDecoder} in stream mode, or set channel options.
 */
@FunctionalInterface
public interface KcpSessionCustomizer {

    /**
     * Customizes a session. Called on the event loop of the session. An exception closes the session.
     *
     * @param serverName the name of the server that accepted the session
     * @param session    the session, whose pipeline does not contain the controllers yet
     */
    void customize(String serverName, KcpChannel session);
}
