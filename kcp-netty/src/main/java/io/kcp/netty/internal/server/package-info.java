/**
 * Contains the channel of a KCP server, which manages the sockets of the server, and the close of all its sessions.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.server;

import org.jspecify.annotations.NullMarked;
