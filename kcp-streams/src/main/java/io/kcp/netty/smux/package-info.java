/**
 * Streams of the smux protocol, versions 1 and 2, as Netty channels. They are compatible with the Go library
 * {@code github.com/xtaci/smux}, which kcptun uses.
 *
 * <p>A {@link io.kcp.netty.smux.SmuxHandler} runs over any channel that transfers bytes reliably and in order, such as a KCP
 * session in stream mode or a TCP channel. It represents every stream as a
 * {@link io.kcp.netty.smux.SmuxStreamChannel}, a child channel on the event loop of its parent channel. The peer's streams are accepted by
 * the child handler of {@link io.kcp.netty.smux.SmuxHandlerBuilder}, and {@link io.kcp.netty.smux.SmuxStreamChannelBootstrap} opens
 * streams. The terms <b>takes</b>, <b>borrows</b> and <b>returns owned</b> for buffers mean that the callee
 * releases a buffer, does not release it, and that the caller releases it.
 */
@NullMarked
package io.kcp.netty.smux;

import org.jspecify.annotations.NullMarked;
