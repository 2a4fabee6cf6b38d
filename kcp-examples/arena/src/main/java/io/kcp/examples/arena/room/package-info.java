/**
 * The server: {@link io.kcp.examples.arena.room.PlayerController} receives the messages of players on the event loops of their sessions;
 * a {@link io.kcp.examples.arena.room.Room} runs on one thread, 20 ticks a second. They hand each other work and share no locks.
 */
@NullMarked
package io.kcp.examples.arena.room;

import org.jspecify.annotations.NullMarked;
