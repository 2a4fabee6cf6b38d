/**
 * Which segments are lost, and when to retransmit them: round-trip times, reordering, and retransmission timeouts. Start reading with
 * {@code LossDetector}.
 */
@NullMarked
package io.kcp.core.internal.loss;

import org.jspecify.annotations.NullMarked;
