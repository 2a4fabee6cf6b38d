/**
 * Reads and writes of one datagram socket: runs of datagrams sent and received as one (GSO, GRO), read buffers, and event loops
 * that poll before they sleep. Nothing here depends on sessions.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.socket;

import org.jspecify.annotations.NullMarked;
