package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;

/**
 * Customizes each new session that {@link KcpController} beans will handle. Beans of this type are called before the session opens. They
 * can add handlers before the controllers, such as a {@code LengthFieldBasedFrameDecoder} in stream mode, or set channel options.
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
