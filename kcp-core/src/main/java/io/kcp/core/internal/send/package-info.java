/**
 * The sending half of a conversation: queue of messages, send window, transmissions and retransmissions, pacing, and what
 * acknowledgements say about them. Start reading with {@code Sender}.
 *
 * <p>Not here: when a segment counts as lost ({@code internal.loss}), and how fast to send ({@code internal.congestion}).
 */
@NullMarked
package io.kcp.core.internal.send;

import org.jspecify.annotations.NullMarked;
