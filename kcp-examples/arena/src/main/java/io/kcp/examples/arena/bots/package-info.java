/**
 * Bots that play the game and check whether messages are lost. Tests use {@link io.kcp.examples.arena.bots.BotFleet}, and
 * {@link io.kcp.examples.arena.bots.ArenaBots} is the command-line program. Each bot runs on one event loop.
 */
@NullMarked
package io.kcp.examples.arena.bots;

import org.jspecify.annotations.NullMarked;
