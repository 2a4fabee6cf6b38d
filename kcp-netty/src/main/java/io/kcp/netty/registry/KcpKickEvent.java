package io.kcp.netty.registry;

/**
 * A user event in the pipeline of a session that is about to be closed by {@link KcpSessionRegistry#kick}.
 *
 * @param reason for people and logs; the peer does not see it
 */
public record KcpKickEvent(String reason) {
}
