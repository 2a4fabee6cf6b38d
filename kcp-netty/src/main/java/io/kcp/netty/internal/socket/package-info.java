/**
 * Reads and writes the datagrams of UDP sockets, with GSO and GRO, read buffers, and event loops that busy-poll before they block. This
 * package does not depend on sessions.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.socket;

import org.jspecify.annotations.NullMarked;
