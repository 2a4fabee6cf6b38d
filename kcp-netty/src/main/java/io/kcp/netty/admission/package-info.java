/**
 * Decides which datagrams may open a session, based on session limits, counts per address, records of closed sessions and a filter for
 * replayed datagrams. This package does not depend on the sessions of {@code io.kcp.netty}.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.admission;

import org.jspecify.annotations.NullMarked;
