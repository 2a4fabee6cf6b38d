/**
 * Contains the state that the sessions of one event loop share, such as the clock, timers, pools, ciphers and memory limits. Other classes
 * of this package complete promises after an event loop has terminated.
 *
 * <p>This package is not exported: its public types are for the packages of kcp-netty and may change in any release.
 */
@NullMarked
package io.kcp.netty.internal.loop;

import org.jspecify.annotations.NullMarked;
