package io.kcp.examples.arena.wire;

/** A message between a player and a gateway. */
public sealed interface ArenaMessage permits ClientMessage, ServerMessage {
}
