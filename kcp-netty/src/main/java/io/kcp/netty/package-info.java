/**
 * KCP sessions as Netty channels.
 *
 * <p>Most applications use {@link io.kcp.netty.bootstrap.KcpServerBootstrap} and {@link io.kcp.netty.bootstrap.KcpBootstrap}. They add a
 * {@link io.kcp.netty.KcpHandler} to the pipeline of a datagram channel. The handler represents every session as a
 * {@link io.kcp.netty.KcpChannel}, an ordinary child channel on the event loop of its datagram channel. The terms <b>takes</b>,
 * <b>borrows</b> and <b>returns owned</b> for buffers are defined in {@link io.kcp.core}.
 */
@NullMarked
package io.kcp.netty;

import org.jspecify.annotations.NullMarked;
