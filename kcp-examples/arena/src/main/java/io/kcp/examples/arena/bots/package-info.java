/**
 * Players without people, by the thousand. {@link io.kcp.examples.arena.bots.BotFleet} is what a test drives, and
 * {@link io.kcp.examples.arena.bots.ArenaBots} what is run from a shell. Each bot lives on one event loop.
 */
@NullMarked
package io.kcp.examples.arena.bots;

import org.jspecify.annotations.NullMarked;
