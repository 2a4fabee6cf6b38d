/**
 * Counts, tables and filters for new peers: session limits, counts per address, records of closed sessions, and a filter for replayed
 * datagrams. Whether a datagram opens a session is decided in {@code accept}, which uses them. This package does not know sessions.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.admission;

import org.jspecify.annotations.NullMarked;
