/**
 * What the sessions of one event loop share: clock, timers, pools, ciphers and the limit of their memory; and what closing needs of an
 * event loop that terminates.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.loop;

import org.jspecify.annotations.NullMarked;
