package io.kcp.netty.registry;

/**
 * A user event, fired through the pipeline of a session before {@link KcpSessionRegistry#kick} closes the session.
 *
 * @param reason the reason, for logs and operators; it is not sent to the peer
 */
public record KcpKickEvent(String reason) {
}
