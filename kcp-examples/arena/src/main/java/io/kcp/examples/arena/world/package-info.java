/**
 * Deterministic simulation of the game world, which advances in ticks. The simulation reads no clock, does no I/O and uses a seeded
 * random number generator, so the same inputs produce the same world on every machine.
 */
@NullMarked
package io.kcp.examples.arena.world;

import org.jspecify.annotations.NullMarked;
