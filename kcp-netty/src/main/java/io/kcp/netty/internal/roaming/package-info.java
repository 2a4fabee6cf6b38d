/**
 * Moves sessions to new addresses of their peers, also between the sockets of a server. Start reading at
 * {@link io.kcp.netty.internal.roaming.PathRouter}.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.roaming;

import org.jspecify.annotations.NullMarked;
