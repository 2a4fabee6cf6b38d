/**
 * State that every part of a conversation shares: the clock, the counters, and what the current datagram contained.
 */
@NullMarked
package io.kcp.core.internal.session;

import org.jspecify.annotations.NullMarked;
