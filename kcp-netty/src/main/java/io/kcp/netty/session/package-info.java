/**
 * The parts of a session that know neither its handler nor the application's API, and the tables, queues and timers of the sessions of
 * one event loop. Their common view of a session is {@link io.kcp.netty.session.AbstractSession}.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.session;

import org.jspecify.annotations.NullMarked;
