/**
 * TLS inside KCP sessions. {@link io.kcp.netty.tls.KcpTls} adds Netty's {@code SslHandler} to the pipeline of a session and preserves the
 * boundaries of messages. This package requires {@code io.netty:netty-handler}, which is an optional dependency of this library.
 */
@NullMarked
package io.kcp.netty.tls;

import org.jspecify.annotations.NullMarked;
