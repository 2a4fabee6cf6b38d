/**
 * Contains the channel of a session, and what all sessions of one datagram channel share: the writer of datagrams and the read batch. Start
 * reading at {@link io.kcp.netty.internal.channel.SessionHost} and {@link io.kcp.netty.internal.channel.DefaultKcpChannel}.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.channel;

import org.jspecify.annotations.NullMarked;
