/**
 * Contains the handlers that encrypt datagrams and that add forward error correction.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.codec;

import org.jspecify.annotations.NullMarked;
