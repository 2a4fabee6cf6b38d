/**
 * Blocking sockets for threads that read and write streams, in particular virtual threads.
 *
 * <p>{@link io.kcp.netty.blocking.KcpSocket} resembles {@code java.net.Socket}, and {@link io.kcp.netty.blocking.KcpServerSocket}
 * resembles {@code java.net.ServerSocket}. Both use the bootstraps of {@link io.kcp.netty} and run on the same event loops as other
 * channels. The calling threads block in {@code java.util.concurrent} locks, so that a virtual thread never pins its carrier
 * thread.
 */
@NullMarked
package io.kcp.netty.blocking;

import org.jspecify.annotations.NullMarked;
