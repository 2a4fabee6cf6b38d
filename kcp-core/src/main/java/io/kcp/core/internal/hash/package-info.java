/**
 * An implementation of SipHash for the nonces of {@link io.kcp.core.crypto} and the hash tables of kcp-netty. The package is exported only
 * to kcp-netty.
 */
@NullMarked
package io.kcp.core.internal.hash;

import org.jspecify.annotations.NullMarked;
