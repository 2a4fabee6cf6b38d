/**
 * Decides which datagrams of strangers may open a session: limits, counts per address, sessions whose peer is not validated, closed
 * sessions, replayed datagrams, and hash tables with a secret key. Nothing here depends on the sessions of {@code io.kcp.netty}.
 *
 * <p>This package is not exported: its public types are for {@code io.kcp.netty} and may change in any release.
 */
@NullMarked
package io.kcp.netty.admission;

import org.jspecify.annotations.NullMarked;
