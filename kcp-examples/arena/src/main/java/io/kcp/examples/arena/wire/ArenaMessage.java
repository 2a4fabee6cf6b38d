package io.kcp.examples.arena.wire;

/** What is said between a player and a gateway. */
public sealed interface ArenaMessage permits ClientMessage, ServerMessage {
}
