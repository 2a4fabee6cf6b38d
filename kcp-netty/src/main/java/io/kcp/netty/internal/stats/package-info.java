/**
 * Records session and timer events with Java Flight Recorder, and measures timer delays. This package does not depend on the sessions of
 * {@code io.kcp.netty}. The statistics that applications read, such as {@code KcpListenerStats}, are in that package.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.stats;

import org.jspecify.annotations.NullMarked;
