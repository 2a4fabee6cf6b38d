/**
 * Decides which datagrams open a session, and opens it: rules for first datagrams, limits under load, the queue of waiting peers, and the
 * limit on decrypting datagrams from unknown addresses. Start reading at {@link io.kcp.netty.internal.accept.FirstDatagramReader}.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.accept;

import org.jspecify.annotations.NullMarked;
