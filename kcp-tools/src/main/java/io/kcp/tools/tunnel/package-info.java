/**
 * A tunnel for TCP connections that is compatible with kcptun. {@link io.kcp.tools.tunnel.TunnelServer} and
 * {@link io.kcp.tools.tunnel.TunnelClient} replace the programs of kcptun on either side. The page {@code kcptun.md} describes them.
 *
 * <p>A KCP session carries the streams of many connections: the bytes of a {@link io.kcp.netty.KcpChannel} in stream mode pass through
 * Netty's snappy codec, unless compression is disabled, and then through a {@link io.kcp.netty.smux.SmuxHandler}. {@code Relay} connects
 * each stream with one socket.
 */
@NullMarked
package io.kcp.tools.tunnel;

import org.jspecify.annotations.NullMarked;
