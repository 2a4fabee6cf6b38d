/**
 * Bots: clients of the arena without people. {@link io.kcp.examples.arena.bots.BotFleet} is for tests,
 * {@link io.kcp.examples.arena.bots.ArenaBots} for the command line. Each bot runs on one event loop.
 */
@NullMarked
package io.kcp.examples.arena.bots;

import org.jspecify.annotations.NullMarked;
