/**
 * Streams of the smux protocol, versions 1 and 2, as Netty channels. They are compatible with the Go library
 * {@code github.com/xtaci/smux}, which kcptun uses.
 *
 * <p>A {@link io.kcp.netty.smux.SmuxHandler} runs over any channel that transfers bytes reliably and in order, such as a
 * {@link io.kcp.netty.KcpChannel} in stream mode or a TCP channel. It represents every stream as a
 * {@link io.kcp.netty.smux.SmuxStreamChannel}, a child channel on the event loop of its parent channel. The peer's streams are accepted by
 * the child handler of {@link io.kcp.netty.smux.SmuxHandlerBuilder}, and {@link io.kcp.netty.smux.SmuxStreamChannelBootstrap} opens
 * streams. The terms <b>takes</b>, <b>borrows</b> and <b>returns owned</b> for buffers are defined in {@link io.kcp.core}.
 */
@NullMarked
package io.kcp.netty.smux;

import org.jspecify.annotations.NullMarked;
