/**
 * Records what happens to sessions and timers: events for Java Flight Recorder and the delay of timers. Nothing here depends on the
 * sessions of {@code io.kcp.netty}. The statistics that applications read, such as {@code KcpListenerStats}, are in that package.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.stats;

import org.jspecify.annotations.NullMarked;
