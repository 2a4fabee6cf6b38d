/**
 * KCP sessions as Netty channels.
 *
 * <p>{@link io.kcp.netty.KcpServerBootstrap} and {@link io.kcp.netty.KcpBootstrap} are what most users call. They put
 * {@link io.kcp.netty.KcpHandler} into the pipeline of a datagram channel; it makes a {@link io.kcp.netty.KcpChannel} of
 * every session, an ordinary child channel on the event loop of its datagram channel. The words <b>takes</b>,
 * <b>borrows</b> and <b>returns owned</b> are those of {@link io.kcp.core}.
 */
@NullMarked
package io.kcp.netty;

import org.jspecify.annotations.NullMarked;
