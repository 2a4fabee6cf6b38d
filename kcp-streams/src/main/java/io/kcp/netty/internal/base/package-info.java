/**
 * Contains small building blocks that several packages of kcp-netty share. They depend only on Netty.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.base;

import org.jspecify.annotations.NullMarked;
