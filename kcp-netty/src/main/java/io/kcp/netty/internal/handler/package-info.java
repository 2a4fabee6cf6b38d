/**
 * Contains the handler of one datagram channel: it passes inbound datagrams to their sessions, opens sessions at the request of the
 * application, and collects statistics. Start reading at {@link io.kcp.netty.internal.handler.DefaultKcpHandler}.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.handler;

import org.jspecify.annotations.NullMarked;
