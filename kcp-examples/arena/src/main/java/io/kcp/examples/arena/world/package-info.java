/**
 * The game: a world of players, shots and gems that moves in ticks. It reads no clock, does no I/O and draws its chances from a
 * seed, so the same inputs make the same world on every machine.
 */
@NullMarked
package io.kcp.examples.arena.world;

import org.jspecify.annotations.NullMarked;
