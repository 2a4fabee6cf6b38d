/**
 * Rooms and players on the server. {@link io.kcp.examples.arena.room.PlayerController} handles the messages of players on the event loops
 * of their sessions, and each {@link io.kcp.examples.arena.room.Room} runs on one thread and advances by 20 ticks per second. Both exchange
 * tasks instead of sharing locks.
 */
@NullMarked
package io.kcp.examples.arena.room;

import org.jspecify.annotations.NullMarked;
