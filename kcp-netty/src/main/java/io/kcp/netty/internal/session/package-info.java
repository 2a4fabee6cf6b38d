/**
 * Contains the parts of a session that are independent of its handler and of the public API, and the tables, the queues, the heap of
 * deadlines and the timer wheel of the sessions of one event loop. All of them access a session through
 * {@link io.kcp.netty.internal.session.AbstractSession}.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.session;

import org.jspecify.annotations.NullMarked;
