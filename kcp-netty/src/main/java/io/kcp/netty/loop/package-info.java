/**
 * Contains the state that the sessions of one event loop share, which includes the clock, timers, pools, ciphers and memory limits, and
 * classes that complete promises after an event loop has terminated.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.loop;

import org.jspecify.annotations.NullMarked;
