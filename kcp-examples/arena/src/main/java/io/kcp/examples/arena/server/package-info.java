/**
 * A gateway. A {@link io.kcp.examples.arena.server.PlayerSession} lives on the event loop of its session, a
 * {@link io.kcp.examples.arena.server.Room} on an executor of its own; they hand each other work and share no locks.
 */
@NullMarked
package io.kcp.examples.arena.server;

import org.jspecify.annotations.NullMarked;
