/**
 * Starts KCP servers and opens KCP sessions, on sockets of its own ({@link io.kcp.netty.bootstrap.KcpServerBootstrap},
 * {@link io.kcp.netty.bootstrap.KcpBootstrap}) or on a datagram channel of the application
 * ({@link io.kcp.netty.bootstrap.KcpHandlerBuilder}).
 */
@NullMarked
package io.kcp.netty.bootstrap;

import org.jspecify.annotations.NullMarked;
